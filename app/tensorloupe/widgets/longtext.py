"""Plain text of any length and with lines of any length, which the window takes in without a pause.

Qt lays a line out as a whole, and a line of 100,000 characters without a space takes it a second each time that the width
changes. Longer lines than it is quick with are therefore broken here, at a space where there is one, behind a mark that
does not show and that no text from a file has: it is escaped there. What is copied has no such breaks.
"""

from __future__ import annotations

import re
from collections import deque

from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

import weightmap

_MARK = "\u200b"
LONGEST, MOST = 1_000_000, 30_000  # characters and lines that are shown
_LINE = 1_000  # characters of a line that are laid out at once
_PIECE = 20_000  # characters that are taken in one turn of the event loop
_PART = re.compile(rf".{{1,{_LINE}}}$|.{{1,{_LINE - 1}}} |.{{1,{_LINE}}}")


class LongText(QPlainTextEdit):
    """Text from a file, letter by letter: what would not show is escaped, lines and tabs are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)
        self._left: deque[str] = deque()
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)

    def show_text(self, value: str) -> int:
        """Show this text, what is long a moment later. Gives the number of characters that are shown."""
        shown = _beginning(value)
        self._left = deque(_pieces(shown.replace("\r\n", "\n")))
        self.setPlainText(_laid_out(self._left.popleft()))
        self._go_on_later()
        return len(shown)

    def toPlainText(self) -> str:
        """The text as it is shown, without the breaks of long lines."""
        return _joined(super().toPlainText())

    def selected_text(self) -> str:
        """What is selected of it, without the breaks of long lines."""
        return _joined(self.textCursor().selectedText().replace("\u2029", "\n"))

    def createMimeDataFromSelection(self) -> QMimeData:
        """What Copy of the context menu takes."""
        data = QMimeData()
        data.setText(self.selected_text())
        return data

    def _go_on(self) -> None:
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        end.insertText(_laid_out(self._left.popleft()))
        self._go_on_later()

    def _go_on_later(self) -> None:
        if self._left:
            self._turn.start()
        else:
            self._turn.stop()


def _beginning(value: str) -> str:
    value, end = value[:LONGEST], -1
    if value.count("\n") <= MOST:
        return value
    for _ in range(MOST):
        end = value.index("\n", end + 1)
    return value[:end]


def _pieces(value: str) -> list[str]:
    """The text in pieces that end between lines where they can; at least one."""
    pieces, start = [], 0
    while len(value) - start > _PIECE:
        end = value.rfind("\n", start, start + _PIECE) + 1 or start + _PIECE
        pieces.append(value[start:end])
        start = end
    return [*pieces, value[start:]]


def _laid_out(piece: str) -> str:
    return "\n".join(_broken("\t".join(map(weightmap.printable, line.split("\t")))) for line in piece.split("\n"))


def _broken(line: str) -> str:
    return line if len(line) <= _LINE else f"{_MARK}\n".join(_PART.findall(line))


def _joined(text: str) -> str:
    return text.replace(f"{_MARK}\n", "").replace(_MARK, "")
