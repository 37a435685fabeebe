"""What the colours of a grid of layers and roles stand for."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.layers.cells import color_at

_STEPS, _WIDE, _HIGH = 7, 14, 11  # colours shown, and the px of each


class Legend(QWidget):
    """The colours from the lightest to the deepest, and what both ends stand for; one colour where all say the same."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._ends = theme, ("", "")
        self.setFont(theme.font(SECONDARY))
        self.setFixedHeight(self.fontMetrics().height() + 8)

    def show_ends(self, ends: tuple[str, str]) -> None:
        """Show these words."""
        self._ends = ends
        same = ends[0] == ends[1]
        self.setAccessibleName(f"One colour: {ends[0]}" if same else f"Colours from {ends[0]} to {ends[1]}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = QFontMetricsF(self.font())
        base = (self.height() + metrics.ascent() - metrics.descent()) / 2
        painter.setPen(self._theme.color("secondary"))
        if self._ends[0] == self._ends[1]:
            if self._ends[0]:
                painter.fillRect(QRectF(0, base - _HIGH + 1, _WIDE, _HIGH), color_at(0.0, self._theme.dark))
            painter.drawText(_WIDE + 8, round(base), self._ends[0])
            return
        painter.drawText(0, round(base), self._ends[0])
        x = metrics.horizontalAdvance(self._ends[0]) + 8
        for step in range(_STEPS):
            painter.fillRect(
                QRectF(x + _WIDE * step, base - _HIGH + 1, _WIDE, _HIGH),
                color_at(step / (_STEPS - 1), self._theme.dark),
            )
        painter.drawText(round(x + _WIDE * _STEPS + 8), round(base), self._ends[1])
