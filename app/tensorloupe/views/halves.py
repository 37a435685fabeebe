"""Two parts of a view: side by side where there is room, else one of them at a time, with a switch to turn to the other."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from tensorloupe.style.theme import Theme

WIDE = 120  # letters of width from which on both have room


class Halves(QWidget):
    """`narrow_changed` tells that only one of both has room by now, or both have.

    share, least, most  the right part's share of the width, and how many letters wide it is at least and at most
    left_most  how many letters wide the left part is at most, where that is less: the right one gets the rest
    """

    narrow_changed = Signal(bool)

    def __init__(
        self,
        theme: Theme,
        left: QWidget,
        right: QWidget,
        share: float,
        least: int,
        most: int,
        left_most: int | None = None,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._share, self._least, self._most, self._left_most = share, least, most, left_most
        self.left, self.right = left, right
        for part in (left, right):
            part.setParent(self)
        self.narrow = False
        self._turned = False

    def turn(self, to_the_right: bool) -> None:
        """Show the right part where only one has room."""
        self._turned = to_the_right
        self.place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place both."""
        super().resizeEvent(event)
        narrow = self.width() < WIDE * self.fontMetrics().averageCharWidth()
        if narrow is not self.narrow:
            self.narrow = narrow
            self.narrow_changed.emit(narrow)
        self.place()

    def place(self) -> None:
        """Give each its room."""
        width, height = self.width(), self.height()
        self.left.setVisible(not self.narrow or not self._turned)
        self.right.setVisible(not self.narrow or self._turned)
        if self.narrow:
            self.left.setGeometry(0, 0, width, height)
            self.right.setGeometry(0, 0, width, height)
        else:
            letter = self.fontMetrics().averageCharWidth()
            room = min(max(round(width * self._share), self._least * letter), self._most * letter)
            if self._left_most is not None:
                room = max(room, width - self._left_most * letter)
            self.left.setGeometry(0, 0, width - room - 1, height)
            self.right.setGeometry(width - room, 0, room, height)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the quiet line between both."""
        if not self.narrow:
            painter = QPainter(self)
            painter.setPen(self._theme.color("thin"))
            x = self.right.geometry().left() - 1
            painter.drawLine(x, 0, x, self.height())

    def minimumSizeHint(self) -> QSize:
        """The picture's own minimum."""
        return QSize(420, 200)


class Switch(QWidget):
    """Words of which one is chosen: `turned` tells which, `toggled` whether it is the second of two."""

    toggled = Signal(bool)
    turned = Signal(int)

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.buttons = [QPushButton(word) for word in words]
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for number, button in enumerate(self.buttons):
            button.setCheckable(True)
            group.addButton(button, number)
            row.addWidget(button)
        self.first, self.second = self.buttons[:2]
        self.first.setChecked(True)
        self.second.toggled.connect(self.toggled)
        group.idToggled.connect(lambda number, on: self.turned.emit(number) if on else None)

    def offer(self, count: int) -> None:
        """Offer only the first so many words; where another was chosen, the first is."""
        for number, button in enumerate(self.buttons):
            button.setVisible(number < count)
        if not any(button.isChecked() for button in self.buttons[:count]):
            self.first.setChecked(True)
