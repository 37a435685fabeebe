"""The row above the table: how many pairs came out how, as chips that filter; which reference, and what to do with it."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from tensorloupe.items.errors import MARKS
from tensorloupe.style import text, tips
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Chip, Ground, PlainLabel
from tensorloupe.widgets.flow import FlowLayout

LEFT = "left"  # the key of the chip for what has no pair

# key, shape, word
CHIPS = (
    ("wrong", MARKS["wrong"], "wrong"),
    ("worse", MARKS["worse"], "worse than expected"),
    ("unread", "unchecked", "not measured"),
    ("unjudged", MARKS["unjudged"], "not judged"),
    ("normal", MARKS["normal"], "normal"),
    ("identical", MARKS["identical"], "identical"),
    ("waiting", "running", "to come"),
    ("guess", "info", "guessed"),
    (LEFT, "unchecked", "without a pair"),
)
_NAMED, _WIDE, _WORDY = 480, 760, 900  # widths, at the usual font, from which the parts of the right side have room


class ErrorHead(Ground):
    """`chosen` gives the verdicts to show, none for all; LEFT asks for the list of what has no pair."""

    chosen = Signal(object)
    change_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        self.key = ""
        self.chips = {key: Chip(theme, word, f"Show only: {word}", status=shape) for key, shape, word in CHIPS}
        self._holder = QWidget()
        flow = FlowLayout(self._holder, 6)
        flow.setContentsMargins(0, 0, 0, 0)
        for key, chip in self.chips.items():
            chip.setCheckable(True)
            chip.clicked.connect(lambda _=False, key=key: self.choose("" if self.key == key else key))
            chip.hide()
            flow.addWidget(chip)
        self.grid = Chip(theme, "Grid", "Show the grid of layers and roles instead of the table")
        self.grid.setCheckable(True)
        self.grid.hide()
        flow.addWidget(self.grid)
        self._label = PlainLabel(theme, "secondary")
        self._label.set_text("Reference")
        self.reference = PlainLabel(theme, elide=True)
        self.change, self.export = QPushButton("Change"), QPushButton("Export")
        self.change.setAccessibleName("Attach another reference")
        self.export.setAccessibleName("Export the errors")
        self.change.clicked.connect(self.change_wanted)
        self.export.clicked.connect(self.export_wanted)
        policy = self._holder.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Expanding)
        self._holder.setSizePolicy(policy)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 8, 16, 8)
        self._row.setSpacing(8)
        self._row.addWidget(self._holder, 3)
        for widget in (self._label, self.reference, self.change, self.export):
            self._row.addWidget(widget)
        self._row.setStretch(2, 1)

    def choose(self, key: str) -> None:
        """Show only what this chip counts, or all."""
        self.key = key
        for name, chip in self.chips.items():
            chip.setChecked(name == key)
        self.chosen.emit(key)

    def show_reference(self, name: str, path: str) -> None:
        """Name the reference."""
        self.reference.set_text(name)
        self.reference.setToolTip(tips.plain(path))
        self.updateGeometry()

    def show_counts(self, counts: Counter[str], left: int) -> None:
        """Say how many rows there are of each kind. A chip without any is not shown."""
        for key, _, word in CHIPS:
            many, chip = left if key == LEFT else counts[key], self.chips[key]
            words = f" {text.count(many)} {word}"
            if chip.text() != words:
                chip.setText(words)
                chip.setAccessibleName(f"{words.strip()}: show only these")
            if chip.isHidden() is (many > 0 or key == self.key):
                chip.setVisible(many > 0 or key == self.key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Words go where they have no room."""
        super().resizeEvent(event)
        self._label.setVisible(self.width() >= self._theme.scaled(_WORDY))
        self.export.setVisible(self.width() >= self._theme.scaled(_WIDE))
        self.reference.setVisible(self.width() >= self._theme.scaled(_NAMED))
