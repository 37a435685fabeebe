"""A choice among a few words: a combo box that looks like the buttons beside it, flat, and grows with the font."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QComboBox

from tensorloupe.style import icons

INSET, GAP, RADIUS = 9, 6, 3  # px: before the word, between word and chevron, of the corners


class Choice(QComboBox):
    """A combo box of (text, value) pairs that says which value was chosen by the user; `tip` is plain text."""

    chosen = Signal(object)

    def __init__(self, name: str, options: Sequence[tuple[str, Any]], tip: str = "") -> None:
        super().__init__()
        self.setToolTip(tip)
        self.setAccessibleName(name)
        self.setAccessibleDescription(name)  # on Linux a combo box is called by what is chosen
        for text, value in options:
            self.addItem(text, value)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    @property
    def value(self) -> Any:
        """The value that is shown as chosen."""
        return self.currentData()

    def show_value(self, value: Any) -> None:
        """Show a value as chosen, without the signal."""
        index = self.findData(value)
        if index >= 0:
            self.setCurrentIndex(index)

    def choose(self, index: int) -> None:
        """Choose as the user does."""
        self.setCurrentIndex(index)
        self.chosen.emit(self.itemData(index))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn the wheel only where the focus is: a page that scrolls must not change what it passes over."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:
        """Room for the longest word and the chevron, as high as a button."""
        metrics = self.fontMetrics()
        longest = max((metrics.horizontalAdvance(self.itemText(at)) for at in range(self.count())), default=0)
        return QSize(longest + 2 + 2 * INSET + GAP + self._chevron, metrics.height() + 10)

    def minimumSizeHint(self) -> QSize:
        """What it wants is what it needs."""
        return self.sizeHint()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Draw the border of what is under the pointer."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Draw the quiet border."""
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A flat box, the word, a chevron; two px of the accent where the focus is."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        ink = self.palette().color(group, QPalette.ColorRole.ButtonText)
        focus = self.hasFocus()
        line = QPalette.ColorRole.Link if focus else QPalette.ColorRole.Mid
        if self.underMouse() and not focus:
            line = QPalette.ColorRole.PlaceholderText
        wide = 2 if focus else 1
        painter.setPen(QPen(self.palette().color(line), wide))
        painter.setBrush(self.palette().color(QPalette.ColorRole.Button))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2), RADIUS, RADIUS)
        painter.setPen(ink)
        room = self.rect().adjusted(INSET, 0, -INSET - GAP - self._chevron, 0)
        shown = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        top = (self.height() - self._chevron) / 2
        icons.paint(painter, "down", self.width() - INSET - self._chevron, top, ink, self._chevron)

    @property
    def _chevron(self) -> int:
        return round(self.fontMetrics().height() * 0.7)
