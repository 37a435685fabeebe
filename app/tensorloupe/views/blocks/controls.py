"""The row of controls above a block: back and on, its number, where it lies, what to jump to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QPushButton

from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.views.controls import ControlRow
from tensorloupe.views.halves import Switch
from tensorloupe.views.heat.controls import mark
from tensorloupe.widgets.controls import Chip

LISTED = 40  # broken blocks that the menu names


class BlockControls(ControlRow):
    """Signals say what the user wants.

    stepped  (blocks) back or on;  block_typed (number);  jumped ("largest", "smallest", "next", "previous")
    block_chosen  (number) one of those that are broken
    """

    stepped = Signal(int)
    block_typed = Signal(object)
    jumped = Signal(str)
    block_chosen = Signal(object)
    heatmap_asked = Signal()
    side_turned = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.switch = Switch("Block", "Tensor")
        self.back, self.on = QPushButton("‹"), QPushButton("›")
        for button, name in ((self.back, "Previous block (Page Up)"), (self.on, "Next block (Page Down)")):
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.setFixedWidth(theme.scaled(28))
            button.setStyleSheet("padding: 3px 0;")
        self.number = QLineEdit()
        self.number.setAccessibleName("Go to block")
        self.of, self.place = QLabel(), QLabel()
        for label in (self.of, self.place):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.of.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.jump = Chip(theme, "Jump to", "Jump to a block that stands out", icon="down")
        self.jump.setProperty("chip", False)
        self.jump.setProperty("outlined", True)
        self.jump.setFont(theme.font())
        self.jump.setPopupMode(Chip.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.jump)
        self.jump.setMenu(self.menu)
        self.heatmap = QPushButton("Heatmap")
        self.heatmap.setToolTip("Show this element in the heatmap (Enter)")
        self._build()
        self.show_broken((), None)

    def _build(self) -> None:
        self.add(self.switch)
        self.add(self.back)
        self.add(self.number, "Block", label_rank=4)
        self.add(self.of, rank=3)
        self.add(self.on)
        self.add(self.place, rank=2)
        self.stretch()
        self.add(self.heatmap, rank=1)
        self.add(self.jump)
        self.leave_out(self.switch, True)
        self.back.clicked.connect(lambda: self.stepped.emit(-1))
        self.on.clicked.connect(lambda: self.stepped.emit(1))
        self.number.returnPressed.connect(self._typed)
        self.number.textEdited.connect(lambda _: mark(self.number, False))
        self.heatmap.clicked.connect(self.heatmap_asked)
        self.switch.toggled.connect(self.side_turned)

    def show_place(self, block: int, blocks: int, place: str) -> None:
        """Which block it is, of how many, and where it lies."""
        self.number.setText(text.count(block))
        mark(self.number, False)
        wide = self.fontMetrics().horizontalAdvance("0" * max(len(text.count(blocks)) + 1, 5)) + 16
        if wide != self.number.minimumWidth():
            self.number.setFixedWidth(wide)
            self.fit(self.number)
        for label, words in ((self.of, f"of {text.count(blocks)}"), (self.place, place)):
            if label.text() != words:
                label.setText(words)
                self.fit(label)
        self.back.setEnabled(block > 0)
        self.on.setEnabled(block < blocks - 1)

    def show_broken(self, broken: Sequence[tuple[int, str]], many: int | None) -> None:
        """What can be jumped to; `broken`: (number, where it lies); `many` is None where it is not known yet."""
        menu = self.menu
        menu.clear()
        for word, name in (("Largest scale", "largest"), ("Smallest scale", "smallest")):
            menu.addAction(word).triggered.connect(lambda _=False, name=name: self.jumped.emit(name))
        menu.addSeparator()
        words = "" if many is None else f" ({text.count(many)})"
        step_on = menu.addAction(f"Next NaN or Inf scale{words}\tN", lambda: self.jumped.emit("next"))
        step_back = menu.addAction("Previous NaN or Inf scale\tShift+N", lambda: self.jumped.emit("previous"))
        for action in (step_on, step_back):
            action.setEnabled(many != 0)
        if broken:
            menu.addSeparator()
        for number, place in broken[:LISTED]:
            action = menu.addAction(f"Block {text.count(number)}: {place}")
            action.triggered.connect(lambda _=False, number=number: self.block_chosen.emit(number))

    def _typed(self) -> None:
        typed = self.number.text().strip().replace(",", "")
        if typed.isdecimal() and len(typed) < 19:
            self.block_typed.emit(int(typed))
        else:
            mark(self.number, True)
