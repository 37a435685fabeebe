"""What has no pair, of this file and of the reference, each with the likely reason."""

from __future__ import annotations

from tensorloupe.items.errors import Left
from tensorloupe.items.table import RowTable
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.table import Table


class LeftTable(RowTable[Left]):
    """Tensor, side, reason."""

    heads = ("Tensor", "Side", "Why it has no pair")
    quiet = frozenset({1})

    def cell(self, row: Left, column: int) -> str:
        return (row.tensor, row.side, row.reason)[column]

    def tip(self, row: Left, column: int) -> str | None:
        return f"{row.tensor}\n{row.reason}"

    def status(self, row: Left) -> str | None:
        return "unchecked"


class LeftList(Table):
    """The list, read-only."""

    def __init__(self, theme: Theme) -> None:
        self.left = LeftTable()
        super().__init__(theme, self.left, "Tensors without a pair", (44, 12, 80), 2)
        self.left.setParent(self)
