"""What a cell of the tensor tree answers to each role: for a tensor, and for the sums of a group or of the whole file."""

from __future__ import annotations

from functools import cache
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from tensorloupe.items import roles, wording
from tensorloupe.items.arrangement import NAME, SHAPE, SIZE, STATE, TYPE, Totals
from tensorloupe.items.outline import Outline
from tensorloupe.style import text, tips
from tensorloupe.style.status import WORDS


def tensor_cell(outline: Outline, number: int, column: int, role: int, inside: bool, mark: str) -> Any:
    """A cell of one tensor's row; `inside` a group only the last part of its name is shown. `mark` is its state."""
    tensor = outline.tensors[number]
    if role == Qt.ItemDataRole.DisplayRole:
        if column == NAME:
            return outline.labels[number] if inside else outline.names[number]
        if column == TYPE:
            return outline.types[number]
        if column == SHAPE:
            return text.shape(tensor.shape)
        return (
            wording.held(tensor.nbytes, float(outline.share[number]), bool(outline.located[number]))
            if column == SIZE
            else None
        )
    if role == roles.STATUS:
        return mark if column == STATE else None
    if role == roles.QUIET:
        return column == SHAPE or (column != STATE and outline.share[number] <= 0)
    if role == roles.WRONG:
        return column == SIZE and outline.share[number] < 1
    if role == roles.TENSOR:
        return tensor
    if role == roles.RAW:
        return tensor.name if column == NAME else tensor_cell(outline, number, column, 0, inside, mark)
    if role == Qt.ItemDataRole.ToolTipRole:
        return tips.plain(wording.describe(tensor))
    if role == Qt.ItemDataRole.AccessibleTextRole:
        if column == STATE:
            return WORDS[mark]
        return outline.names[number] if column == NAME else tensor_cell(outline, number, column, 0, inside, mark)
    return None


def summary_cell(name: str, held: Totals, inside: str, status: str, column: int, role: int) -> Any:
    """A cell of a row that stands for several tensors; `inside` says how many."""
    if role in (Qt.ItemDataRole.DisplayRole, roles.RAW):
        bits = f"{text.bits(held.bits)} bpw" if held.tensors else ""
        return (name, bits, inside, wording.held(held.nbytes, held.share, not held.unlocated), None)[column]
    if role == Qt.ItemDataRole.FontRole:
        return _bold() if column == NAME else None
    if role == roles.STATUS:
        return status if column == STATE else None
    if role == roles.QUIET:
        return column in (TYPE, SHAPE)
    if role == roles.WRONG:
        return column == SIZE and held.share < 1
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return WORDS[status] if column == STATE else summary_cell(name, held, inside, status, column, 0)
    if role == Qt.ItemDataRole.ToolTipRole:
        return tips.plain(f"{name}\n{text.counted(held.tensors, 'tensor')}, {text.count(held.nbytes)} bytes")
    return None


def tensor_looks(outline: Outline, number: int, inside: bool, mark: str) -> tuple[roles.Look, ...]:
    """What is painted of the cells of one tensor's row."""
    tensor, share = outline.tensors[number], float(outline.share[number])
    tone, place = "text" if share > 0 else "secondary", bool(outline.located[number])
    return (
        roles.Look(outline.labels[number] if inside else outline.names[number], "", tone, middle=True),
        roles.Look(outline.types[number], "", tone),
        roles.Look(text.shape(tensor.shape), "", "secondary", True),
        roles.Look(wording.held(tensor.nbytes, share, place), "", "error" if share < 1 else tone, True),
        roles.Look("", mark),
    )


def summary_looks(held: Totals, shown: tuple[str, ...], status: str) -> tuple[roles.Look, ...]:
    """What is painted of the cells of a row that stands for several tensors."""
    name, kind, inside, size = shown
    return (
        roles.Look(name, "", "text", False, True, True),
        roles.Look(kind, "", "secondary"),
        roles.Look(inside, "", "secondary", True),
        roles.Look(size, "", "error" if held.share < 1 else "text", True),
        roles.Look("", status),
    )


@cache
def _bold() -> QFont:
    font = QFont()
    font.setBold(True)
    return font
