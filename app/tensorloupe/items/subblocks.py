"""The sub-blocks of one block as a table: their own scales and minima as stored and as numbers, and what values they hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorloupe.items import roles
from tensorloupe.items.table import Index, RowTable
from tensorloupe.style import text

SUB, COLUMNS, SCALE_CODE, MIN_CODE, SCALE, MINIMUM, RANGE, VALUES = range(8)


@dataclass(frozen=True, slots=True)
class SubBlock:
    """One sub-block. `low` and `high` are its finite values' range as shares of the block's largest magnitude, -1 to 1."""

    number: int
    first: int
    last: int
    scale: float
    minimum: float | None
    scale_code: int | None
    minimum_code: int | None
    values: str
    low: float
    high: float


class SubBlockTable(RowTable[SubBlock]):
    """A row for each sub-block."""

    heads = ("Sub", "Columns", "Scale code", "Min code", "Scale", "Minimum", "Range", "Values")
    numeric = frozenset({SUB, COLUMNS, SCALE_CODE, MIN_CODE, SCALE, MINIMUM, VALUES})
    quiet = frozenset({VALUES})

    def cell(self, row: SubBlock, column: int) -> str:
        if column == SUB:
            return text.count(row.number)
        if column == COLUMNS:
            return f"{text.count(row.first)} – {text.count(row.last)}"
        if column in (SCALE, MINIMUM):
            value = row.scale if column == SCALE else row.minimum
            return "" if value is None else text.number(value, zeros=True)
        if column in (SCALE_CODE, MIN_CODE):
            code = row.scale_code if column == SCALE_CODE else row.minimum_code
            return "" if code is None else text.count(code)
        return row.values if column == VALUES else ""

    def raw(self, row: SubBlock, column: int) -> str:
        if column in (SCALE, MINIMUM):
            value = row.scale if column == SCALE else row.minimum
            return "" if value is None else repr(value)
        return self.cell(row, column)

    def look(self, index: Index) -> roles.Look:
        row, look = self.rows[index.row()], super().look(index)
        value = {SCALE: row.scale, MINIMUM: row.minimum}.get(index.column())
        return look if value is None or np.isfinite(value) else look._replace(tone="error", bold=True)

    def tip(self, row: SubBlock, column: int) -> str | None:
        return self.raw(row, column) if column in (SCALE, MINIMUM) else None
