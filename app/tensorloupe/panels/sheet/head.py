"""The upper part of the list: what it is about, what can be done with it, and chips that say and filter by the states."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from tensorloupe.style import icons, text
from tensorloupe.style.theme import SUBJECT, Theme
from tensorloupe.widgets.controls import Chip, Ground, IconButton, PlainLabel, without_spaces
from tensorloupe.widgets.field import SearchField
from tensorloupe.widgets.flow import FlowLayout
from tensorloupe.widgets.switch import Switch

_WIDE = 1060  # from here on buttons have words beside their icons
GROUPS = (  # of states, each with its chip: key, shape, words for one and for many, states
    ("error", "error", "error", "errors", ("error",)),
    ("warning", "warning", "warning", "warnings", ("warning",)),
    ("info", "info", "note", "notes", ("info",)),
    ("ok", "ok", "without problems", "without problems", ("ok",)),
    ("todo", "unchecked", "to do", "to do", ("waiting", "running")),
)


class SheetHead(Ground):
    """Title, place, switch and buttons."""

    values_switched = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        self.title, self.place = PlainLabel(theme, ratio=SUBJECT, bold=True), PlainLabel(theme, "secondary", elide=True)
        self.title.set_text("Validation")
        self.values = Switch(theme, "Check values too")
        self.values.setToolTip("Look at every value for NaN, Inf and tensors of zeros")
        self.values.toggled.connect(self.values_switched)
        self.add = _Button(theme, "plus", "Add files", "Add files to the list")
        self.again = _Button(theme, "reset", "Check again", "Check again (F5)")
        self.export = _Button(theme, "save", "Export", "Export the list as JSON or CSV (Ctrl+E)")
        self.close_ = IconButton(theme, "cross", "Close the list (Ctrl+W)")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(self.title)
        row.addSpacing(6)
        row.addWidget(self.place)
        row.addStretch(1)
        row.addWidget(self.values)
        row.addSpacing(6)
        for button in (self.add, self.again, self.export, self.close_):
            row.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(480, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button in (self.add, self.again, self.export):
            button.set_wide(self.width() >= _WIDE)


class SheetChips(Ground):
    """One chip per state that there is, with its count. `chosen` tells the states to show; none means all of them."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        self.states: tuple[str, ...] = ()
        self.all = Chip(theme, "all 0", "Show all models")
        self.by_key = {key: Chip(theme, "", f"Show only: {many}", status=shape) for key, shape, _, many, _ in GROUPS}
        self.field = SearchField(theme, "Filter files", "Ctrl+F")
        self.field.setAccessibleName("Filter files")
        self.field.setMaximumWidth(300)
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        holder = QWidget()
        flow = FlowLayout(holder, 8)
        flow.setContentsMargins(0, 0, 0, 0)
        for chip in (self.all, *self.by_key.values()):
            chip.setCheckable(True)
            flow.addWidget(chip)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 8)
        row.setSpacing(12)
        row.addWidget(holder, 1)
        row.addWidget(self.field, 1)
        self.all.clicked.connect(lambda: self.choose(""))
        for key, chip in self.by_key.items():
            chip.clicked.connect(lambda _=False, key=key: self.choose(key))
        self.choose("")

    def choose(self, key: str) -> None:
        """Show only the states of this chip; all of them where the key is empty, or is the one that holds already."""
        states = next((states for name, *_, states in GROUPS if name == key), ())
        self.states = () if states == self.states else states
        self._check()
        self.chosen.emit(self.states)

    def show_counts(self, counts: Counter[str]) -> None:
        """Say how many models are in which state. A chip without any is not shown."""
        self.all.setText(f"all {text.count(counts.total())}")
        for key, _, one, many, states in GROUPS:
            count, chip = sum(counts[state] for state in states), self.by_key[key]
            chip.setText(f" {text.count(count)} {one if count == 1 else many}")
            chip.setVisible(count > 0 or states == self.states)

    def _check(self) -> None:
        self.all.setChecked(not self.states)
        for key, *_, states in GROUPS:
            self.by_key[key].setChecked(bool(self.states) and states == self.states)


class _Button(QToolButton):
    """An outlined button with icon and word; the word goes where there is no room."""

    def __init__(self, theme: Theme, icon: str, word: str, accessible: str) -> None:
        super().__init__()
        self._theme, self._icon = theme, icon
        self.setProperty("outlined", True)
        self.setText(f" {word}")  # the space keeps it from the icon
        self.setAccessibleName(accessible)
        self.setToolTip(accessible)
        self._dress()
        theme.changed.connect(self._dress)

    def sizeHint(self) -> QSize:
        beside = self.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        return without_spaces(self, super().sizeHint()) if beside else super().sizeHint()

    def set_wide(self, wide: bool) -> None:
        beside, alone = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        self.setToolButtonStyle(beside if wide else alone)

    def _dress(self) -> None:
        side = self._theme.scaled(icons.SIDE)
        self.setIconSize(QSize(side, side))
        self.setIcon(icons.icon(self._icon, self._theme.color("text"), side))
