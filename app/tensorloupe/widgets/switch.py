"""A check box that is seen on both grounds: Fusion's own nearly vanishes in the dark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QCheckBox

from tensorloupe.style.theme import Theme

_BOX, _GAP = 15, 8


class Switch(QCheckBox):
    """Box and word; the box is filled with the accent while it is on, and framed by it while it has the focus.

    While it cannot be used the box is empty, whatever it is to be once it can.
    """

    def __init__(self, theme: Theme, word: str) -> None:
        super().__init__(word)
        self._theme = theme
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(_BOX + _GAP + metrics.horizontalAdvance(self.text()) + 4, max(_BOX, metrics.height()) + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, on = QPainter(self), self.isChecked()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1.5, (self.height() - _BOX) / 2 + 0.5, _BOX - 1, _BOX - 1)
        on = on and self.isEnabled()
        frame = "info" if on or self.hasFocus() else "secondary" if self.isEnabled() else "strong"
        painter.setPen(QPen(self._theme.color(frame), 2 if self.hasFocus() else 1))
        painter.setBrush(self._theme.color("info" if on else "base"))
        painter.drawRoundedRect(box, 2, 2)
        if on:
            painter.setPen(QPen(self._theme.color("on_accent"), 2))
            painter.drawPolyline([box.topLeft() + QPointF(x, y) for x, y in ((3, 7.2), (6, 10.2), (11.2, 4))])
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setPen(self.palette().color(group, QPalette.ColorRole.WindowText))
        room = self.rect().adjusted(_BOX + _GAP, 0, 0, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
