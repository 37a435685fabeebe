"""The row of controls above the heatmap: limits, rule, borders, zoom, a place to go to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from tensorloupe.style.text import number, parsed
from tensorloupe.style.theme import Theme
from tensorloupe.views.controls import ControlRow
from tensorloupe.views.heat.typed import TYPED
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.heat.words import border_word, without_borders
from tensorloupe.widgets.choice import Choice
from tensorloupe.widgets.switch import Switch

if TYPE_CHECKING:
    from tensorloupe.readable import Readable
    from tensorloupe.views.heat.loading import Loading

PIXEL = "What a pixel shows that stands for many values: the one of largest size, their mean, their root mean square"
BORDERS = {
    "block": "Lines between blocks, and dashed ones between what shares a scale in them, once values are large enough",
    "group": "Lines between groups of values that share a scale, once values are large enough",
}
SHARES = (("± 99 %", 0.99), ("± 99.9 %", 0.999), ("± all", 1.0))
RULES = (("largest", "max_abs"), ("mean", "mean"), ("rms", "rms"))


class HeatControls(ControlRow):
    """Signals say what the user wants; the view decides what that means."""

    share_chosen = Signal(float)
    limit_typed = Signal(float)
    rule_chosen = Signal(str)
    borders_toggled = Signal(bool)
    zoomed = Signal(int)
    fitted = Signal()
    position_typed = Signal(str)
    reset_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.shares = Choice(
            "Limits", SHARES, "The share of the values that the colours span. What lies beyond has the colour of an end"
        )
        self.limit = QLineEdit()
        self.limit.setFixedWidth(self.fontMetrics().averageCharWidth() * 13)
        self.rules = Choice("What a pixel shows that stands for many values", RULES, PIXEL)
        self.borders = Switch(theme, "Block borders")
        self.borders.setChecked(True)
        self.minus, self.plus = QPushButton("\u2212"), QPushButton("+")
        for button, name in ((self.minus, "Zoom out"), (self.plus, "Zoom in")):
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.setFixedWidth(28)
            button.setStyleSheet("padding: 3px 0;")
        self.scale = QLabel()
        self.scale.setTextFormat(Qt.TextFormat.PlainText)
        self.scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.fit_button = QPushButton("Fit")
        self.fit_button.setToolTip("Show the whole matrix (Home)")
        self.position = QLineEdit()
        self.position.setPlaceholderText("Go to row, column")
        self.position.setAccessibleName("Go to row, column")
        self.position.setToolTip(TYPED)
        self.position.setFixedWidth(self.fontMetrics().averageCharWidth() * 21)
        self.reset_button = QPushButton("Reset")
        self.reset_button.setToolTip("Limits, rule and borders as at opening")
        self._build()
        self._connect()

    def _build(self) -> None:
        self.add(self.shares, "Limits")
        self.add(self.limit, rank=3)  # a field cannot go into the menu
        self.add(self.rules, "Pixel", rank=5)
        self.add(self.borders, rank=4)
        self.stretch()
        self.add(self.minus)
        self.add(self.scale, rank=1)
        self.add(self.plus)
        self.add(self.fit_button)
        self.add(self.position, rank=2)
        self.add(self.reset_button, rank=6)

    def _connect(self) -> None:
        self.shares.chosen.connect(self._share_chosen)
        self.rules.chosen.connect(lambda rule: self.rule_chosen.emit(rule))
        self.borders.toggled.connect(self.borders_toggled)
        self.minus.clicked.connect(lambda: self.zoomed.emit(-1))
        self.plus.clicked.connect(lambda: self.zoomed.emit(1))
        self.fit_button.clicked.connect(self.fitted)
        self.reset_button.clicked.connect(self.reset_asked)
        self.limit.returnPressed.connect(self._limit_entered)
        self.limit.textEdited.connect(lambda _: mark(self.limit, False))
        self.position.returnPressed.connect(lambda: self.position_typed.emit(self.position.text()))
        self.position.textEdited.connect(lambda _: mark(self.position, False))

    def ask_position(self) -> None:
        """Put the focus into the field that takes a row and a column."""
        self.position.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.position.selectAll()

    def mark_position(self, there: bool) -> None:
        """Show whether there is a value at the place that was typed."""
        mark(self.position, not there)

    def show_defaults(self) -> None:
        """Limits, rule and borders as at opening."""
        self.shares.show_value(SHARES[0][1])
        self.rules.show_value(RULES[0][1])
        self.borders.setChecked(True)

    def show_state(self, loading: Loading) -> None:
        """What is shown, in what colours, how large."""
        self.show_limit(loading.limit, loading.by_hand is not None, bool(loading.sizes))
        self.show_scale(loading.viewport)
        self.show_blocks(loading.tensor, loading.group)

    def show_limit(self, limit: float | None, by_hand: bool, sizes: bool) -> None:
        """The limit in force, unless one is being typed; `sizes` run from zero to it, other values from minus it."""
        for index, (words, _) in enumerate(SHARES):
            self.shares.setItemText(index, words.removeprefix("± ") if sizes else words)
        self.limit.setToolTip(
            f"Colours run from {'0' if sizes else 'minus this'} to {'this' if sizes else 'plus this'}"
        )
        self.limit.setAccessibleName(f"Limit: colours run from {'0' if sizes else 'minus this'} to this")
        if not (self.limit.hasFocus() and self.limit.isModified()):
            self.limit.setText("" if limit is None else number(limit))
        if by_hand:
            if self.shares.findText("by hand") < 0:
                self.shares.addItem("by hand", None)
            self.shares.setCurrentIndex(self.shares.findText("by hand"))
        elif self.shares.findText("by hand") >= 0:
            self.shares.removeItem(self.shares.findText("by hand"))

    def show_blocks(self, tensor: Readable | None, group: tuple[int, int] | None) -> None:
        """Offer the borders of blocks, or groups, where there are some to draw; where there are none, say why."""
        why, what = "" if tensor is None else without_borders(tensor, group), border_word(tensor)
        self.borders.setEnabled(not why)
        self.borders.setToolTip(why or BORDERS[what])
        if self.borders.text() != (words := f"{what.capitalize()} borders"):
            self.borders.setText(words)
            self.fit(self.borders)

    def show_scale(self, view: Viewport | None) -> None:
        """How large a value is, in words."""
        words = "" if view is None else scale_words(view)
        if words != self.scale.text():
            self.scale.setText(words)
            self.fit(self.scale)

    def _share_chosen(self, share: float | None) -> None:
        if share is not None:
            self.limit.setModified(False)
            self.share_chosen.emit(share)

    def _limit_entered(self) -> None:
        value = parsed(self.limit.text().lstrip("± "))
        if value is None or value <= 0:
            mark(self.limit, True)
            return
        self.limit.setModified(False)
        self.limit_typed.emit(value)


def mark(field: QLineEdit, wrong: bool) -> None:
    """Show whether what stands in a field can be read."""
    if bool(field.property("wrong")) is not wrong:  # None at first: a style is not asked for where nothing changes
        field.setProperty("wrong", wrong)
        field.style().unpolish(field)
        field.style().polish(field)


def scale_words(view: Viewport) -> str:
    """How large a value is on screen, or how many values share a pixel, down and across."""
    if view.elements:
        rows, columns = (round(axis.scale / view.ratio, 1) for axis in (view.rows, view.columns))
        return f"{columns:g} px per value" if rows == columns else f"{rows:g} × {columns:g} px per value"
    down, across = (max(1.0, view.ratio / axis.scale) for axis in (view.rows, view.columns))
    return f"{_about(down)} × {_about(across)} values per px"


def _about(values: float) -> str:
    return f"{values:,.0f}" if values >= 10 or values == int(values) else f"{values:.1f}"
