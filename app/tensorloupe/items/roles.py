"""Roles that the project's item models answer beside Qt's own, and what their delegates make of them."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt

STATUS = int(Qt.ItemDataRole.UserRole) + 1  # str: a status shape is drawn
QUIET = STATUS + 1  # bool: secondary text
WRONG = STATUS + 2  # bool: text in the colour of errors
TENSOR = STATUS + 3  # weightmap.Tensor of the row, or None
RAW = STATUS + 4  # str: the whole text, unrounded and unescaped, for copying
SHARES = STATUS + 5  # tuple[float, float, str]: bar length, the part of it that is there, 0 to 1; words before it
GROUP = STATUS + 6  # int: number of a group row, -1 for others


class Look(NamedTuple):
    """All that a delegate paints of a cell, from one call of the model instead of one per role.

    text    what is shown, escaped; empty for nothing
    status  the status whose shape is drawn, or empty
    tone    name of the text's colour: "text", "secondary" (which a selected row turns to text), "error"
    right   whether the text stands at the right end
    bold    whether it is bold
    middle  whether what has no room goes from the middle: for names, which differ at their ends
    """

    text: str
    status: str = ""
    tone: str = "text"
    right: bool = False
    bold: bool = False
    middle: bool = False
