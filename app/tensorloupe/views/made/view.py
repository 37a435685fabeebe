"""One value of a weight that lies in several tensors: the steps that make it, and the tensors that they are taken from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

import weightmap
from tensorloupe.items.made import SourceTable, StepTable, as_number, source_rows
from tensorloupe.style import text
from tensorloupe.style.theme import READOUT, Theme
from tensorloupe.views.controls import ControlRow
from tensorloupe.views.heat.controls import mark
from tensorloupe.views.heat.slices import Slices
from tensorloupe.views.heat.typed import TYPED, typed_index
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import NONE_SELECTED, View, ViewContext
from tensorloupe.widgets.controls import PlainLabel
from tensorloupe.widgets.table import Table

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

PAGE = 32  # values that Page Up and Page Down go by
STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_PageUp: (0, -PAGE),
    Qt.Key.Key_PageDown: (0, PAGE),
}


class MadeView(View):
    """Code, zero, scale and order of one value, as the scheme has them."""

    hint = "Arrow keys move by one value · Page Up and Page Down by 32 · Enter shows it in the heatmap"

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "made")
        theme = context.theme
        self.steps, self.sources = StepTable(self), SourceTable(self)
        self.page = _Page(theme, self.steps, self.sources)
        self.stage = Stage(theme, self.page)
        self.slices = Slices()
        self.position = QLineEdit()
        self.position.setToolTip(TYPED)
        self.position.setFixedWidth(self.fontMetrics().averageCharWidth() * 21)
        self.heatmap = QPushButton("Heatmap")
        self.heatmap.setToolTip("Show this value in the heatmap (Enter)")
        self.at: tuple[int, ...] = ()
        self.weight: weightmap.Composed | None = None
        controls = ControlRow()
        controls.add(self.position, "Position")
        controls.stretch()
        controls.add(self.heatmap)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (controls, self.slices):
            column.addWidget(widget)
        column.addWidget(self.stage, 1)
        self.position.returnPressed.connect(self._typed)
        self.position.textEdited.connect(lambda _: mark(self.position, False))
        self.heatmap.clicked.connect(lambda: self.go_wanted.emit("heatmap", self.at))
        self.slices.chosen.connect(lambda leading: self.go_to_element((*leading, *self.at[-2:])))
        self.stage.again.connect(lambda: self.show_tensor(self.tensor))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_tensor(None)

    def show_tensor(self, tensor: Shown | None) -> None:
        """Show the first value of a weight; the same one again, in whatever reading, stays where it is."""
        self.cancel()
        old, weight = self.weight, tensor if isinstance(tensor, weightmap.Composed) else None
        same = weight is not None and old is not None and (weight.name, weight.shape) == (old.name, old.shape)
        self.tensor, self.weight = tensor, weight
        if weight is None or not weight.count or weight.problem is not None:
            self.at = ()
            self.slices.set_shape((), ())
            self.status_text.emit("")
            if weight is not None and weight.problem is not None:
                self.stage.show_failed(weightmap.errors.error(weight.problem))
            else:
                self.stage.show_sentence(NONE_SELECTED if weight is None else "This weight has no values.")
            return
        self.at = self.at if same else (0,) * len(weight.shape)
        self.slices.set_shape(weight.shape, self.at[:-2])
        model = self.context.document.model
        self.sources.stem = f"{weight.name.rpartition('.')[0]}."
        self.sources.show_rows(() if model is None else source_rows(weight, model))
        self.go_to_element(self.at)

    def go_to_element(self, index: Sequence[int]) -> None:
        """Show how another value is made."""
        weight = self.weight
        if weight is None:
            return
        at = self.at = tuple(index)
        self.position.setText(", ".join(text.count(i) for i in at))
        mark(self.position, False)
        if at[:-2] != tuple(spin.value() for spin in self.slices.spins):
            self.slices.set_shape(weight.shape, at[:-2])
        self.context.tasks.start(
            self.slot, "Reading a value", lambda _: weight.explain(at), self._explained, self._failed, quiet=True
        )

    def _explained(self, steps: list[tuple[str, str]]) -> None:
        assert self.weight is not None
        self.steps.show_rows(steps)
        value = as_number(steps[-1][1]) if steps else ""
        self.page.say(value, _place(self.at), self.weight.assumed or "")
        self.stage.show_picture()
        reading = "assumed" if self.weight.assumed else "exact"
        self.status_text.emit(f"{reading} · {weightmap.printable(self.weight.about)}")

    def _failed(self, reason: BaseException) -> None:
        self.stage.show_failed(reason)
        self.status_text.emit("")

    # going about

    def _typed(self) -> None:
        weight = self.weight
        index = None if weight is None else typed_index(self.position.text(), weight.shape, self.at[:-2])
        mark(self.position, index is None)
        if index is not None:
            self.go_to_element(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows and pages go to another value, Enter to the heatmap."""
        key, weight = Qt.Key(event.key()), self.weight if self.hasFocus() else None
        if weight is not None and self.at and key in STEPS:
            rows, columns = STEPS[key]
            flat = int(np.ravel_multi_index(self.at, weight.shape)) + rows * weight.shape[-1] + columns
            if 0 <= flat < weight.count:
                self.go_to_element(tuple(int(i) for i in np.unravel_index(flat, weight.shape)))
        elif weight is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go_wanted.emit("heatmap", self.at)
        else:
            super().keyPressEvent(event)

    def ask_position(self) -> None:
        """Put the focus into the field that takes a row and a column."""
        self.position.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.position.selectAll()

    def refresh_theme(self) -> None:
        """Paint in the colours in force."""
        self.update()

    def copy_values(self) -> None:
        """Put the steps on the clipboard, a line each."""
        QGuiApplication.clipboard().setText("\n".join(f"{what}\t{number}" for what, number in self.steps.rows))


class _Page(QWidget):
    """The value in large digits, the steps, the tensors."""

    def __init__(self, theme: Theme, steps: StepTable, sources: SourceTable) -> None:
        super().__init__()
        self.value, self.place = PlainLabel(theme, ratio=READOUT, bold=True), PlainLabel(theme, "secondary")
        self.assumed = QLabel()
        self.assumed.setTextFormat(Qt.TextFormat.PlainText)
        self.assumed.setWordWrap(True)
        self.assumed.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        made, taken = PlainLabel(theme, bold=True), PlainLabel(theme, bold=True)
        made.set_text("How the value is made")
        taken.set_text("The tensors that it is made from")
        self.steps = Table(theme, steps, "How the value is made", (34, 30), 1)
        self.sources = Table(theme, sources, "Tensors of the weight", (46, 9, 18, 12, 16), 0)
        self.sources.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for table in (self.steps, self.sources):
            table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        said = QHBoxLayout()
        said.setSpacing(12)
        said.addWidget(self.value)
        said.addWidget(self.place, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 4, 16, 8)
        column.setSpacing(6)
        column.addLayout(said)
        for widget, stretch in ((self.assumed, 0), (made, 0), (self.steps, 90), (taken, 0), (self.sources, 90)):
            column.addWidget(widget, stretch)
        column.addStretch(1)

    def say(self, value: str, place: str, assumed: str) -> None:
        """The value, where it is, and what was assumed."""
        self.value.set_text(value)
        self.place.set_text(place)
        self.assumed.setText(weightmap.printable(assumed))
        self.assumed.setVisible(bool(assumed))
        for table in (self.steps, self.sources):
            table.setMaximumHeight(table.whole_height())


def _place(at: Sequence[int]) -> str:
    """Where a value lies: "slice 1, row 5, column 200"."""
    words = {1: ("index",), 2: ("row", "column")}.get(len(at), ("slice", "row", "column"))
    numbers = [text.count(i) for i in at]
    parts = [", ".join(numbers[:-2]), *numbers[-2:]] if len(at) > 2 else numbers
    return ", ".join(f"{word} {number}" for word, number in zip(words, parts, strict=True)) if at else "the only value"
