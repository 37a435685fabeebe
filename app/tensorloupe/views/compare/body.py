"""How the parts of the Error view lie: what halted it, table over pictures, between them what is said of the pair."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QSplitter, QVBoxLayout, QWidget

from tensorloupe.style.theme import Theme
from tensorloupe.widgets.strip import Strip

LOW = 520  # px of height, at the usual font, below which one picture is shown at a time, and less is said in words
_GROWS, _FITS = QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum
_MOST = 16_777_215  # px, Qt's own limit
TABLE = 48  # percent of the height that the table has, until somebody drags the border


class _Lower(QWidget):
    """What is said over the pictures. It gets by with the words as high as they are now: Qt would keep the height that
    they had in the narrowest window.
    """

    def __init__(self, strip: Strip, below: QWidget) -> None:
        super().__init__()
        self._strip, self._below = strip, below
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(strip)
        stack.addWidget(below, 1)

    def minimumSizeHint(self) -> QSize:
        words = 0 if self._strip.isHidden() else max(self._strip.heightForWidth(self.width()), 0)
        least = QSize(0, 0) if self._below.isHidden() else self._below.minimumSizeHint()
        return QSize(least.width(), words + least.height())


class Body(QWidget):
    """Halves the height between the table and the pictures. `lowered` says that the view got low, or is so no more."""

    lowered = Signal(bool)

    def __init__(self, theme: Theme, above: QWidget, below: QWidget) -> None:
        super().__init__()
        self.halted, self.strip = Strip(theme, closable=False), Strip(theme, closable=False)
        self.low, self._theme = False, theme
        self._moved = False  # by hand
        self._below = below
        self._lower = _Lower(self.strip, below)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(above)
        self.split.addWidget(self._lower)
        for part in (0, 1):
            self.split.setStretchFactor(part, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.halted)
        column.addWidget(self.split, 1)
        self.split.splitterMoved.connect(self._drag)

    def show_below(self, shown: bool) -> None:
        """Show the pictures, or leave their room to the table."""
        if self._below.isHidden() is shown:
            self._below.setVisible(shown)
            self._lower.setSizePolicy(QSizePolicy.Policy.Preferred, _GROWS if shown else _FITS)
            self.split.setStretchFactor(1, int(shown))
            self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the halves."""
        super().resizeEvent(event)
        low = self.height() < self._theme.scaled(LOW)
        if low != self.low:
            self.low = low
            self.lowered.emit(low)
        self._place()

    def fit(self) -> None:
        """Other words are said: without pictures under them they have the height that they need, and no more."""
        if self._below.isHidden():
            self._place()

    def _place(self) -> None:
        if self._below.isHidden():
            words = self._lower.minimumSizeHint().height()
            self._lower.setMaximumHeight(words)
            self.split.setSizes([self.height() - words, words])
            return
        self._lower.setMaximumHeight(_MOST)
        if not self._moved:
            above = self.height() * TABLE // 100
            self.split.setSizes([above, self.height() - above])

    def _drag(self) -> None:
        self._moved = True
