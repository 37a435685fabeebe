"""The row of controls above a picture: choices with their labels, and a menu for those that find no room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

MARGIN, GAP = 16, 8


class Choice(QComboBox):
    """A combo box of (text, value) pairs that says which value was chosen by the user."""

    chosen = Signal(object)

    def __init__(self, name: str, options: Sequence[tuple[str, Any]]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        for text, value in options:
            self.addItem(text, value)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
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


class ControlRow(QWidget):
    """Controls from left to right. What has no room moves into a menu at the end, or hides where a menu makes no sense.

    Each control is added with a rank: the higher, the sooner it goes; rank 0 stays.
    """

    def __init__(self) -> None:
        super().__init__()
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(MARGIN, GAP, MARGIN, GAP)
        self._layout.setSpacing(GAP)
        self._groups: list[tuple[int, str, list[QWidget]]] = []
        self._more = QToolButton()
        self._more.setText("More")
        self._more.setAccessibleName("More controls")
        self._more.setProperty("chip", True)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self._more)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._more.setMenu(self._menu)
        self._more.hide()
        self._stretched = False

    def add(self, control: QWidget, label: str = "", *, rank: int = 0) -> None:
        """Add a control, with its label before it."""
        widgets: list[QWidget] = []
        if label:
            name = QLabel(label)
            name.setTextFormat(Qt.TextFormat.PlainText)
            name.setProperty("secondary", True)
            name.setForegroundRole(self.palette().ColorRole.PlaceholderText)
            name.setBuddy(control)
            widgets.append(name)
        widgets.append(control)
        for widget in widgets:
            self._layout.addWidget(widget)
        self._groups.append((rank, label, widgets))

    def stretch(self) -> None:
        """Push what follows to the right; the menu of what had no room stands here."""
        self._layout.addWidget(self._more)
        self._layout.addStretch(1)
        self._stretched = True

    def gap(self) -> None:
        """Set the next control apart as another group."""
        self._layout.addSpacing(GAP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep what fits."""
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Show as many controls as have room."""
        room = self.width() - 2 * MARGIN
        ranks = sorted({rank for rank, _, _ in self._groups})
        for worst in reversed(ranks):
            if worst == 0 or self._needed(worst) <= room:
                break
        hidden = False
        for rank, _, widgets in self._groups:
            for widget in widgets:
                wanted = rank <= worst and widget.property("unwanted") is not True
                hidden |= rank > worst and isinstance(widget, (QComboBox, QCheckBox))
                if widget.isHidden() is wanted:
                    widget.setVisible(wanted)
        if self._more.isHidden() is hidden:
            self._more.setVisible(hidden and self._stretched)

    def _needed(self, worst: int) -> int:
        total = 0
        for rank, _, widgets in self._groups:
            if rank <= worst:
                total += sum(w.sizeHint().width() + GAP for w in widgets if w.property("unwanted") is not True)
        if worst < max(rank for rank, _, _ in self._groups):
            total += self._more.sizeHint().width() + GAP
        return total + 2 * GAP

    def _fill_menu(self) -> None:
        self._menu.clear()
        for _, label, widgets in self._groups:
            control = widgets[-1]
            if not control.isHidden() or control.property("unwanted") is True:
                continue
            if isinstance(control, Choice):
                self._add_choices(self._menu.addMenu(label), control)
            elif isinstance(control, QCheckBox):
                action = self._menu.addAction(control.text())
                action.setCheckable(True)
                action.setChecked(control.isChecked())
                action.toggled.connect(control.setChecked)

    def _add_choices(self, menu: QMenu, choice: Choice) -> None:
        for index in range(choice.count()):
            action = QAction(choice.itemText(index).replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(index == choice.currentIndex())
            action.triggered.connect(lambda _=False, index=index: choice.choose(index))
            menu.addAction(action)

    def minimumSizeHint(self) -> QSize:
        """Narrow: what does not fit moves away."""
        return QSize(200, super().sizeHint().height())

    def sizeHint(self) -> QSize:
        """As narrow as it may get, so that no window is made wider by its controls."""
        return self.minimumSizeHint()
