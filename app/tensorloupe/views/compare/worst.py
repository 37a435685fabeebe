"""The rows, or blocks, of one tensor with the largest errors: a click leads to them in the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

import weightmap
from tensorloupe import text
from tensorloupe.items.measures import share
from tensorloupe.items.table import RowTable
from tensorloupe.panels.table import Table
from tensorloupe.tasks import Progress
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import ViewContext

What = Literal["rows", "blocks"]
MOST = 50


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst: where it begins, counted through all leading axes, and its errors."""

    row: int
    column: int
    name: str
    rmse: float
    relative: float | None


class WorstTable(RowTable[Worst]):
    """Place, rmse, relative error."""

    heads = ("Place", "RMSE", "Relative error")
    numeric = frozenset({1, 2})

    def cell(self, row: Worst, column: int) -> str:
        relative = "–" if row.relative is None else share(row.relative)
        return (row.name, text.number(row.rmse, 4), relative)[column]

    def raw(self, row: Worst, column: int) -> str:
        return (row.name, repr(row.rmse), "" if row.relative is None else repr(row.relative))[column]


class WorstPanel(QWidget):
    """`chosen` gives the (row, column) to look at."""

    chosen = Signal(int, int)

    def __init__(self, context: ViewContext, slot: str) -> None:
        super().__init__()
        self._context, self._slot = context, slot
        self.model = WorstTable(self)
        self.table = Table(context.theme, self.model, "Worst rows or blocks", (26, 12, 14), 0)
        self.stage = Stage(context.theme, self.table)
        self._for: tuple[weightmap.TensorPair | None, What] = (None, "rows")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.stage)
        self.table.selectionModel().currentRowChanged.connect(lambda current, _: self._go(current.row()))
        self.table.clicked.connect(lambda index: self._go(index.row()))
        self.stage.cancel.connect(lambda: context.tasks.cancel(slot))
        self.stage.again.connect(self._look)

    def show_pair(self, pair: weightmap.TensorPair | None, what: What) -> None:
        """Find the worst of another pair."""
        if (pair, what) != self._for or pair is None or not self.model.rows:
            self._for = pair, what
            self.model.show_rows(())
            self._look()

    def rest(self) -> None:
        """Stop what runs."""
        self._context.tasks.drop(self._slot)

    def _look(self) -> None:
        pair, what = self._for
        size = 1 if pair is None else weightmap.PairValues(pair).block_size
        if pair is None:
            self.stage.show_sentence("")
            return
        if what == "blocks" and size == 1:
            self.stage.show_sentence(f"{weightmap.printable(pair.type)} has no blocks along the rows.")
            return
        title = f"Looking for the worst {what}"
        self.stage.show_running(title)
        self._context.tasks.start(
            self._slot,
            title,
            lambda progress: worst(pair, what, size, progress),
            self._found,
            self.stage.show_failed,
            lambda: self.stage.show_cancelled("Cancelled."),
        )

    def _found(self, rows: list[Worst]) -> None:
        self.model.show_rows(rows)
        if rows:
            self.stage.show_picture()
        else:
            self.stage.show_sentence("This tensor has no values.")

    def _go(self, at: int) -> None:
        if 0 <= at < len(self.model.rows):
            row = self.model.rows[at]
            self.chosen.emit(row.row, row.column)


def worst(pair: weightmap.TensorPair, what: What, size: int, progress: Progress) -> list[Worst]:
    """The rows or blocks with the largest rmse, largest first. Raises what reading raises, and Cancelled."""
    width = pair.shape[-1] if len(pair.shape) > 1 else 1
    if what == "rows":
        flat = len(pair.shape) < 2  # of a vector, each value is a row
        found = pair.worst_rows(MOST, progress=progress)
        return [
            Worst(*((0, row.row) if flat else (row.row, 0)), _name(pair, row.row, None), row.rmse, row.relative_rmse)
            for row in found
        ]
    width = pair.shape[-1]
    places = [(*divmod(row.row * size, width), row) for row in pair.worst_blocks(size, MOST, progress=progress)]
    return [Worst(r, c, _name(pair, r, (c, size, row.row)), row.rmse, row.relative_rmse) for r, c, row in places]


def _name(pair: weightmap.TensorPair, row: int, block: tuple[int, int, int] | None) -> str:
    if len(pair.shape) < 2 and block is None:
        return f"value {text.count(row)}"
    rows = pair.shape[-2] if len(pair.shape) > 1 else 1
    place = f"row {text.count(row % rows)}"
    if len(pair.shape) > 2:
        place = f"slice {text.count(row // rows)}, {place}"
    if block is not None:
        column, size, number = block
        place = f"block {text.count(number)}: {place}, columns {text.count(column)} – {text.count(column + size - 1)}"
    return place
