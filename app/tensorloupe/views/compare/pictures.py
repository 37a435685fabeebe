"""The lower part of the Error view: how the errors of the selected tensor are spread, and where in it they are."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

import weightmap
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.compare.linked import LinkedHeats
from tensorloupe.views.compare.spread import SpreadPanel
from tensorloupe.views.compare.worst import WorstPanel
from tensorloupe.views.view import ViewContext
from tensorloupe.widgets.choice import Choice
from tensorloupe.widgets.controls import Chip, Ground, PlainLabel

LEFT = (("errors", "Errors"), ("values", "Values"), ("rows", "Worst rows"), ("blocks", "Worst blocks"))
SCALES = (("one scale", False), ("errors by their own", True))
BOTH_WIDE = 700  # from this width on, at the usual font, both pictures are shown, below it they take turns
BESIDE_WIDE = 1500  # from this width on three heatmaps leave room for the histogram


class Pictures(QWidget):
    """Of one pair. `drawn` says that there may be other pictures to save."""

    drawn = Signal()

    def __init__(self, context: ViewContext, slot: str) -> None:
        super().__init__()
        self._theme = theme = context.theme
        self.pair: weightmap.TensorPair | None = None
        self.key = "errors"
        self.map_in_front = False  # where there is room for one
        self.compact = False  # there is: so says who knows the room
        self.spread = SpreadPanel(context, f"{slot}.spread")
        self._context, self._slot = context, slot
        self.heats = LinkedHeats(context, f"{slot}.heat")
        self.chips = {key: Chip(theme, word, word) for key, word in LEFT}
        self.where = Chip(theme, "Where", "Show where the errors are")
        self.beside = Chip(theme, "Side by side", "Show this file, the reference and the errors side by side")
        self.scale = Choice(
            "Scale of the errors", SCALES, "Whether errors have the colours of the values, or limits of their own"
        )
        self._pixel = PlainLabel(theme, "secondary", SECONDARY, elide=True)
        self._build(theme)
        self._connect()
        self._choose("errors")

    def _build(self, theme: Theme) -> None:
        self._left, self._right = Ground(theme, "base"), Ground(theme, "base")
        self.lists = QStackedWidget()
        self.lists.addWidget(self.spread)
        head = QHBoxLayout()
        head.setContentsMargins(16, 4, 12, 0)
        head.setSpacing(6)
        for chip in (*self.chips.values(), self.where):
            chip.setCheckable(True)
            head.addWidget(chip)
        head.addStretch(1)
        title = PlainLabel(theme, bold=True)
        title.set_text("Where the error is")
        self.beside.setCheckable(True)
        self._heat_head = QHBoxLayout()
        self._heat_head.setContentsMargins(16, 4, 12, 0)
        self._heat_head.setSpacing(8)
        self._heat_head.addWidget(title)
        self._heat_head.addWidget(self._pixel)
        self._heat_head.addStretch(1)
        for widget in (self.scale, self.beside):
            self._heat_head.addWidget(widget)
        for ground, top, body in ((self._left, head, self.lists), (self._right, self._heat_head, self.heats)):
            column = QVBoxLayout(ground)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(2)
            column.addLayout(top)
            column.addWidget(body, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self._left)
        self.split.addWidget(self._right)
        self.split.setStretchFactor(0, 2)
        self.split.setStretchFactor(1, 3)
        self.split.setSizes([420, 580])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.split)

    def _connect(self) -> None:
        for key, chip in self.chips.items():
            chip.clicked.connect(lambda _=False, key=key: self._choose(key))
        self.where.clicked.connect(lambda: self._choose("where"))
        self.beside.toggled.connect(self._set_beside)
        self.scale.chosen.connect(self.heats.show_own_scale)
        self.heats.said.connect(self._pixel.set_text)
        self.spread.drawn.connect(self.drawn)
        self.heats.drawn.connect(self.drawn)

    @cached_property
    def worst(self) -> WorstPanel:
        """The list of the worst rows or blocks, made when it is first asked for."""
        panel = WorstPanel(self._context, f"{self._slot}.worst")
        panel.chosen.connect(self._go_to)
        self.lists.addWidget(panel)
        return panel

    # what to show

    def show_pair(self, pair: weightmap.TensorPair | None) -> None:
        """Show another pair; nothing for None."""
        self.pair = pair
        self._load()

    @property
    def map_is_meant(self) -> bool:
        """Whether the heatmap is the picture to save: it has the focus, or stands alone."""
        alone = not self.lists.isVisibleTo(self) or self.key in ("rows", "blocks")
        return self._right.isVisibleTo(self) and (alone or self.heats.isAncestorOf(self.focusWidget() or self))

    @property
    def pixel_words(self) -> str:
        """What a pixel of the heatmap stands for."""
        return self._pixel.whole

    @property
    def has_picture(self) -> bool:
        """Whether there is something to save."""
        return self.heats.error.has_picture if self.map_is_meant else self.spread.spread is not None

    def set_compact(self, compact: bool) -> None:
        """Show one picture at a time, for a low view."""
        if compact != self.compact:
            self.compact = compact
            self._arrange()
            self._load()

    def rest(self) -> None:
        """Stop what runs: nobody looks."""
        self._rest_worst()
        for part in (self.spread, self.heats):
            part.rest()

    def _rest_worst(self) -> None:
        if "worst" in self.__dict__:
            self.worst.rest()

    def refresh_theme(self) -> None:
        """Draw anew in the colours in force."""
        self.spread.draw()
        self.heats.refresh_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for both, they take turns."""
        super().resizeEvent(event)
        self._arrange()

    def _choose(self, key: str) -> None:
        self.map_in_front = key == "where"
        self.key = self.key if key == "where" else key
        self.lists.setCurrentWidget(self.spread if self.key in ("errors", "values") else self.worst)
        self._arrange()
        self._load()

    @property
    def _both(self) -> bool:
        if self.heats.beside and self.width() < self._theme.scaled(BESIDE_WIDE):
            return False
        return self.width() >= self._theme.scaled(BOTH_WIDE) and not self.compact

    def _arrange(self) -> None:
        both = self._both
        self.where.setVisible(not both)
        self.where.setChecked(self.map_in_front)
        for name, chip in self.chips.items():
            chip.setChecked(name == self.key and (both or not self.map_in_front))
        self._left.setVisible(True)
        self._right.setVisible(both or self.map_in_front)
        self.lists.setVisible(both or not self.map_in_front)
        turned = not both and self.map_in_front
        self.split.setOrientation(Qt.Orientation.Vertical if turned else Qt.Orientation.Horizontal)
        self._left.setMaximumHeight(self._left.minimumSizeHint().height() if turned else 16_777_215)
        self.scale.setVisible(self.heats.beside)

    def _load(self) -> None:
        if self.lists.isVisibleTo(self):
            if self.key in ("errors", "values"):
                self.spread.show_pair(self.pair, "errors" if self.key == "errors" else "values")
                self._rest_worst()
            else:
                self.worst.show_pair(self.pair, "rows" if self.key == "rows" else "blocks")
        if self._right.isVisibleTo(self):
            self.heats.show_pair(self.pair)

    def _set_beside(self, beside: bool) -> None:
        if beside and self.width() < self._theme.scaled(BESIDE_WIDE):
            self.map_in_front = True
        self.heats.show_beside(beside)
        self._arrange()
        self._load()

    def _go_to(self, row: int, column: int) -> None:
        if not self._right.isVisibleTo(self):
            self._choose("where")
        self.heats.go_to(row, column)
