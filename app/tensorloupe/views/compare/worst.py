"""The rows, or blocks, of one tensor with the largest errors: a click leads to them in the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

import weightmap
from tensorloupe.items.measures import share
from tensorloupe.items.table import RowTable
from tensorloupe.style import text
from tensorloupe.task import Progress
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import ViewContext
from tensorloupe.widgets.table import Table

What = Literal["rows", "blocks"]
MOST = 50


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst: where it begins, counted through all leading axes, its place in words, and its errors.

    place  what stands in the columns of the table; `name` says all of it
    """

    row: int
    column: int
    name: str
    place: tuple[str, str]
    rmse: float
    relative: float | None


class WorstTable(RowTable[Worst]):
    """Place, rmse, relative error."""

    heads = ("Row", "Columns", "RMSE", "Relative")
    numeric = frozenset({2, 3})

    def cell(self, row: Worst, column: int) -> str:
        relative = "–" if row.relative is None else share(row.relative)
        return (*row.place, text.number(row.rmse, 3), relative)[column]

    def tip(self, row: Worst, column: int) -> str | None:
        return row.name

    def raw(self, row: Worst, column: int) -> str:
        return (row.name, row.place[1], repr(row.rmse), "" if row.relative is None else repr(row.relative))[column]


class WorstPanel(QWidget):
    """`chosen` gives the (row, column) to look at."""

    chosen = Signal(int, int)

    def __init__(self, context: ViewContext, slot: str) -> None:
        super().__init__()
        self._context, self._slot = context, slot
        self.model = WorstTable(self)
        self.table = Table(context.theme, self.model, "Worst rows or blocks", (10, 14, 9, 9), 0)
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
    if what == "rows":
        flat = len(pair.shape) < 2  # of a vector, each value is a row
        found, size = pair.worst_rows(MOST, progress=progress), 0
        places = [(0, one.row) if flat else (one.row, 0) for one in found]
    else:
        found = pair.worst_blocks(size, MOST, progress=progress)
        places = [divmod(block.row * size, pair.shape[-1]) for block in found]
    return [
        Worst(row, column, *_words(pair, row, column, size, one.row), one.rmse, one.relative_rmse)
        for (row, column), one in zip(places, found, strict=True)
    ]


def _words(pair: weightmap.TensorPair, row: int, column: int, size: int, number: int) -> tuple[str, tuple[str, str]]:
    """The name of a row, or of a block of `size` values, and what stands in the columns for it."""
    if len(pair.shape) < 2 and not size:
        return f"value {text.count(column)}", (f"value {text.count(column)}", "")
    rows = pair.shape[-2] if len(pair.shape) > 1 else 1
    place, short = f"row {text.count(row % rows)}", text.count(row % rows)
    if len(pair.shape) > 2:
        place, short = f"slice {text.count(row // rows)}, {place}", f"{text.count(row // rows)}: {short}"
    if not size:
        return place, (short, "all")
    columns = f"{text.count(column)} – {text.count(column + size - 1)}"
    return f"block {text.count(number)}: {place}, columns {columns}", (short, columns)
