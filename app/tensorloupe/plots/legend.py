"""What the bars and the line of a histogram stand for, in a line over the top of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tensorloupe.style.painting import safely
from tensorloupe.style.theme import SECONDARY, Theme

_BEHIND = "values per bin (log)"
_SIGN, _GAP = 20, 14  # px of a colour with the space after it, and between two entries


class Legend(QWidget):
    """Stands over a picture, at its right or behind the words at its left; lets the mouse through."""

    def __init__(self, theme: Theme, parent: QWidget, right: bool = True) -> None:
        super().__init__(parent)
        self._right = right
        self._theme = theme
        self._names, self._whole = ("", ""), 0
        self.setFont(theme.font(SECONDARY))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_names(self, bars: str, line: str) -> None:
        """Show these names; an empty one is left out."""
        self._names = bars, line
        self.setAccessibleName(", ".join(name for name in (bars, line) if name))
        self.setVisible(bool(bars or line))
        metrics = self.fontMetrics()
        self._whole = sum(metrics.horizontalAdvance(name) + _SIGN + _GAP for name in self._names if name)
        self.place()
        self.update()

    def place(self) -> None:
        """At the top of what it stands over, no wider than the words at its left leave room."""
        over, metrics = self.parentWidget(), self.fontMetrics()
        if over is not None:
            least = metrics.horizontalAdvance(_BEHIND) + (_GAP + 8 if self._right else 52)
            self.resize(max(min(self._whole, over.width() - least), 0), metrics.height() + 4)
            self.move(over.width() - self.width() if self._right else least, 4)

    @safely
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics, x, middle = self.fontMetrics(), 0, self.height() // 2
        for name, color, high in ((self._names[0], "series", 10), (self._names[1], "second", 2)):
            if name:
                painter.fillRect(x, middle - high // 2, 12 if high > 2 else 16, high, self._theme.color(color))
                painter.setPen(self._theme.color("text"))
                shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, self.width() - x - _SIGN)
                painter.drawText(x + _SIGN, middle + metrics.ascent() // 2 - 1, shown)
                x += metrics.horizontalAdvance(name) + _SIGN + _GAP
