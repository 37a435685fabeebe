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


def tensor_look(outline: Outline, number: int, column: int, inside: bool, mark: str) -> roles.Look:
    """What a delegate paints of a cell of one tensor's row."""
    if column == STATE:
        return roles.Look("", mark)
    share = outline.share[number]
    wrong, quiet = column == SIZE and share < 1, column == SHAPE or share <= 0
    shown = tensor_cell(outline, number, column, int(Qt.ItemDataRole.DisplayRole), inside, mark)
    tone = "error" if wrong else "secondary" if quiet else "text"
    return roles.Look(shown, "", tone, column in (SHAPE, SIZE), middle=column == NAME)


def summary_look(held: Totals, column: int, shown: str, status: str) -> roles.Look:
    """What a delegate paints of a cell of a row that stands for several tensors."""
    if column == STATE:
        return roles.Look("", status)
    tone = "error" if column == SIZE and held.share < 1 else "secondary" if column in (TYPE, SHAPE) else "text"
    return roles.Look(shown, "", tone, column in (SHAPE, SIZE), column == NAME, column == NAME)


@cache
def _bold() -> QFont:
    font = QFont()
    font.setBold(True)
    return font
