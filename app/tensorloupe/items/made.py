"""How a value is made, step by step, and the tensors of its weight, as tables."""

from __future__ import annotations

import re

import weightmap
from tensorloupe.items.table import RowTable
from tensorloupe.style import text

_WORDS = {"nan": "NaN", "inf": "Inf"}
_ODD = re.compile(r"\b(nan|inf)\b")


class StepTable(RowTable[tuple[str, str]]):
    """One row for each step: what, and the number; the value comes last."""

    heads = ("Step", "Number")

    def cell(self, row: tuple[str, str], column: int) -> str:
        return as_number(row[1]) if column else weightmap.printable(row[0])

    def raw(self, row: tuple[str, str], column: int) -> str:
        return row[column]


def as_number(exact: str) -> str:
    """What a step or the value comes to, with the window's minus, NaN and Inf; escaped."""
    said = _ODD.sub(lambda odd: _WORDS[odd.group()], weightmap.printable(exact))
    return said.replace("-", text.MINUS)


class SourceTable(RowTable[weightmap.Tensor]):
    """One row for each tensor, the codes first."""

    stem = ""  # what the names share with that of the weight

    heads = ("Tensor", "Type", "Shape", "Size", "Byte offset")
    numeric = frozenset({2, 3, 4})

    def cell(self, row: weightmap.Tensor, column: int) -> str:
        shown = (
            row.name.removeprefix(self.stem),
            row.type.name,
            text.shape(row.shape),
            text.size(row.nbytes),
            text.count(row.offset),
        )
        return weightmap.printable(shown[column])

    def tip(self, row: weightmap.Tensor, column: int) -> str | None:
        return weightmap.printable(row.name)

    def raw(self, row: weightmap.Tensor, column: int) -> str:
        return (row.name, row.type.name, str(row.shape), str(row.nbytes), str(row.offset))[column]


def source_rows(weight: weightmap.Composed, model: weightmap.WeightFile) -> tuple[weightmap.Tensor, ...]:
    """The tensors of a weight."""
    return tuple(model.tensors[name] for name in weight.sources if name in model.tensors)
