"""A field to search with: a lens in front, its key behind, a cross once there is text; dropped files are the window's."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit

from tensorloupe.style import icons
from tensorloupe.style.theme import SECONDARY, Theme


class SearchField(QLineEdit):
    """A QLineEdit that looks like what it is for. `key` is only shown: the window's action has the shortcut."""

    def __init__(self, theme: Theme, placeholder: str, key: str = "") -> None:
        super().__init__()
        self._theme, self._key = theme, key
        self.setPlaceholderText(placeholder)
        self.setAcceptDrops(False)  # a file dropped here is opened, not inserted as text
        self.setTextMargins(theme.scaled(icons.SIDE) + 6, 0, 0, 0)
        self.setMinimumHeight(max(28, self.fontMetrics().height() + 10))
        self._clear = self.addAction(
            icons.icon("cross", theme.color("text"), 12), QLineEdit.ActionPosition.TrailingPosition
        )
        self._clear.setToolTip("Clear")
        self._clear.setVisible(False)
        self._clear.triggered.connect(self.clear)
        self.textChanged.connect(lambda typed: self._clear.setVisible(bool(typed)))
        theme.changed.connect(self._dress)

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+E to the window's action: on Linux, Qt's fields take it to go to the end of the line."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_E
        ):
            event.ignore()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        color = self._theme.color("secondary")
        side = self._theme.scaled(icons.SIDE)
        icons.paint(painter, "search", 8, (self.height() - side) / 2, color, side)
        hint = self.fontMetrics().horizontalAdvance(self.placeholderText() + self._key) + 56
        if self._key and not self.text() and hint < self.width():
            painter.setFont(self._theme.font(SECONDARY))
            painter.setPen(color)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(self.rect().adjusted(0, 0, -8, 0), right, self._key)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setMinimumHeight(max(28, self.fontMetrics().height() + 10))

    def _dress(self) -> None:
        self.setTextMargins(self._theme.scaled(icons.SIDE) + 6, 0, 0, 0)
        self._clear.setIcon(icons.icon("cross", self._theme.color("text"), 12))
