"""How the value under the pointer is made: read in the background once the pointer rests, a block or a few numbers at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

import weightmap
from tensorloupe.readable import has_blocks
from tensorloupe.style.text import MINUS, count, number
from tensorloupe.tasks import TaskRunner
from tensorloupe.views.rows import Number

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

REST_MS = 40
WAITING = "…"

Rows = tuple[Number, ...]


class Making(QObject):
    """`made`: the rows for the place that was pointed at last. While they are read, the same rows without their numbers."""

    made = Signal(object)

    def __init__(self, tasks: TaskRunner, slot: str, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._slot = tasks, f"{slot}.made"
        self._at: tuple[Shown, tuple[int, ...]] | None = None
        self._rows: Rows = ()
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._read)

    def point(self, tensor: Shown | None, index: tuple[int, ...] | None) -> None:
        """The pointer is at another value, or at none."""
        known = tensor is not None and index is not None and has_blocks(tensor)
        at = (tensor, index) if known and tensor is not None and index is not None else None
        if at == self._at:
            return
        another = at is None or self._at is None or at[0] is not self._at[0]
        self._at = at
        self._tasks.drop(self._slot)
        self._show(() if another else tuple(replace(row, value=WAITING, after="", exact="") for row in self._rows))
        if at is None:
            self._rest.stop()
        else:
            self._rest.start()

    def _read(self) -> None:
        if self._at is not None:
            tensor, index = self._at
            self._tasks.start(
                self._slot,
                "Reading a block",
                lambda _: rows_of(tensor, index),
                self._show,
                lambda _: self._show(()),
                quiet=True,
            )

    def _show(self, rows: Rows) -> None:
        if rows != self._rows:
            self._rows = rows
            self.made.emit(rows)


def rows_of(tensor: Shown, index: Sequence[int]) -> Rows:
    """How a value is made, as rows beside the picture. Raises what reading raises."""
    if isinstance(tensor, weightmap.Tensor):
        flat = int(np.ravel_multi_index(tuple(index), tensor.shape))
        return _of_block(tensor.block(flat // tensor.type.elements), flat % tensor.type.elements)
    if not isinstance(tensor, weightmap.Composed):
        return ()
    steps = tensor.explain(tuple(index))[:-1]  # the value itself stands above
    return tuple(Number(what, weightmap.printable(said).replace("-", MINUS), exact=said) for what, said in steps)


def _of_block(block: weightmap.Block, element: int) -> Rows:
    kind, group = block.type, element // block.type.sub_elements
    codes = len(kind.level_values())
    scale = float(block.scales[group])
    rows = [
        Number("code", count(int(block.codes[element // kind.code_elements])), after=f"of {count(codes)}"),
        Number("scale", number(scale), exact=repr(scale)),
    ]
    if block.minima is not None:
        minimum = float(block.minima[group])
        rows.append(Number("minimum", number(minimum), exact=repr(minimum)))
    at = block.offset + block.bytes_of(element)[0]
    rows.append(Number("code at byte", count(at), exact=str(at)))
    return (*rows, Number("value", block.formula))
