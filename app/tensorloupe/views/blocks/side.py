"""What stands beside the block: the scales of the whole tensor, how its codes are used, whether its scales are numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

import weightmap
from tensorloupe.style import text
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.blocks.bars import BarChart, code_chart, scale_chart
from tensorloupe.views.blocks.experts import ExpertView
from tensorloupe.views.blocks.scales import Scales
from tensorloupe.views.blocks.scaling import ScalePicture
from tensorloupe.views.numbers import Numbers
from tensorloupe.views.rows import Number, Section
from tensorloupe.widgets.choice import Choice
from tensorloupe.widgets.controls import PlainLabel

MARGIN = 14


def quiet_label(theme: Theme) -> PlainLabel:
    """Words that may be passed over, as many as have room."""
    label = PlainLabel(theme, "secondary", SECONDARY, elide=True)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


class Head(QWidget):
    """A title, and quiet words at the right."""

    def __init__(self, theme: Theme, title: str, control: QWidget | None = None) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.title, self.words = PlainLabel(theme, bold=True), quiet_label(theme)
        self.title.set_text(title)
        row.addWidget(self.title)
        if control is not None:
            row.addWidget(control)
        row.addStretch(1)
        row.addWidget(self.words)


class BlocksSide(QScrollArea):
    """All about the whole tensor. `which_chosen`: scales or minima; `again`: what was cancelled or failed is wanted."""

    which_chosen = Signal(object)
    again = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.which = Choice("What of the blocks is shown", (("scale", "scale"), ("minimum", "minimum")))
        self.scales_head = Head(theme, "All scales", self.which)
        self.scales = Scales(theme)
        self.under = quiet_label(theme)
        self.codes_head, self.codes = Head(theme, "Code use"), BarChart(theme, "Code use")
        self.sizes_head, self.sizes = Head(theme, "Scale sizes"), BarChart(theme, "Scale sizes")
        self.numbers = Numbers(theme, "Health of the scales")
        self.experts_head, self.experts = Head(theme, "Experts"), ExpertView(theme)
        self.state = PlainLabel(theme, "secondary")
        self.state.setWordWrap(True)
        self.resume = QPushButton("Resume")
        self.resume.clicked.connect(self.again)
        self.which.chosen.connect(self.which_chosen)
        self.scales.pointed.connect(self.under.set_text)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(MARGIN, 10, MARGIN, 10)
        column.setSpacing(6)
        self._health: tuple[QWidget, ...] = (
            self.codes_head,
            self.codes,
            self.sizes_head,
            self.sizes,
            self.numbers,
        )
        self._experts: tuple[QWidget, ...] = (self.experts_head, self.experts)
        first: tuple[QWidget, ...] = (self.scales_head, self.scales, self.under, self.state, self.resume)
        for widget in (*first, *self._health, *self._experts):
            column.addWidget(widget, 1 if widget is self.scales else 0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)
        self.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        self.show_health(None)
        self.say("", False)

    def say(self, words: str, resumable: bool) -> None:
        """What runs, or how it ended where it did not end well."""
        self.state.set_text(words)
        self.state.setVisible(bool(words))
        self.resume.setVisible(resumable)

    def show_scales(self, picture: ScalePicture | None) -> None:
        """Show the scales of the tensor."""
        self.scales.show_picture(picture)
        if picture is None:
            self.scales_head.words.set_text("")
            return
        self.scales_head.words.set_text(f"0 to {text.number(picture.top, 3)}")
        beyond = picture.largest > picture.top
        self.scales_head.words.setToolTip(f"The largest is {text.number(picture.largest)}" if beyond else "")
        self.which.setVisible(any(field.role == "minimum" for field in picture.tensor.type.anatomy))

    def show_health(self, health: weightmap.BlockHealth | None) -> None:
        """Show how the codes are used and how sound the scales are."""
        for part in self._health:
            part.setVisible(health is not None)
        for part in self._experts:
            part.setVisible(health is not None and bool(health.experts))
        if health is None:
            return
        character = self._theme.font(SECONDARY).pointSizeF() * 0.85
        use = code_words(health)
        self.codes_head.words.set_text(use)
        self.codes.show_chart(code_chart(health, max(self.width() - 90, 150), character), use)
        chart = scale_chart(health.scales) if health.scales is not None else None
        self.sizes_head.setVisible(chart is not None)
        self.sizes.setVisible(chart is not None)
        self.sizes.show_chart(chart, "" if chart is None else f"{chart.ticks[0][1]} to {chart.ticks[-1][1]}")
        self.numbers.show_sections((health_section(health),))
        self.experts_head.words.set_text(text.count(len(health.experts)))
        self.experts.show_experts(health.experts)


def code_words(health: weightmap.BlockHealth) -> str:
    """How well the codes are used, in a few words."""
    if health.entropy is None or health.at_ends is None:
        return "no codes"
    return f"{health.entropy:.2f} of {health.bits:.3g} bits · {text.percent(health.at_ends, 1)} at the ends"


def health_section(health: weightmap.BlockHealth) -> Section:
    """How many blocks have a scale that is no proper number, and how large scales are."""
    odd = [
        Number(
            f"blocks with {word}",
            text.count(count),
            before=text.percent(count / health.blocks, 2) if count and health.blocks else "",
            exact=str(count),
        )
        for word, count in (
            ("a NaN scale", health.nan),
            ("an Inf scale", health.inf),
            ("a scale of zero", health.zero),
            ("a subnormal scale", health.subnormal),
        )
    ]
    sizes = [
        Number(label, text.number(value), exact=repr(value))
        for label, value in (
            ("least scale", health.scale_min),
            ("largest scale", health.scale_max),
            ("mean scale", health.scale_mean),
        )
        if value is not None
    ]
    bad = health.nan + health.inf
    rows = (Number("blocks", text.count(health.blocks), exact=str(health.blocks)), *odd, *sizes)
    return Section("Scales", rows, mark="exact" if not bad else "broken", shape="ok" if not bad else "error")
