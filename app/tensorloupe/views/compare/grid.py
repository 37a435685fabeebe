"""The errors of a whole model as a grid of layers and roles, under a choice of the measure that colours it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from tensorloupe.items.errorgrid import ErrorGridModel, ends
from tensorloupe.items.errors import Errors
from tensorloupe.items.measures import MEASURES
from tensorloupe.style.theme import Theme
from tensorloupe.views.layers.grid import GridView
from tensorloupe.views.layers.legend import Legend
from tensorloupe.widgets.choice import Choice
from tensorloupe.widgets.controls import Chip, Ground, PlainLabel

MARGIN = 14


class GridPanel(Ground):
    """Title with the measure to colour by, grid, legend."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        self.model = ErrorGridModel(self)
        self.view = GridView(theme, self.model, "Errors by layer and role")
        self.legend = Legend(theme)
        title = PlainLabel(theme, bold=True)
        title.set_text("Layers × roles")
        self.measures = Choice("What colours the grid", [(measure.words, measure.key) for measure in MEASURES])
        self.measures.show_value("ratio")
        self.measures.chosen.connect(self._choose)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(title)
        head.addWidget(self.measures)
        head.addStretch(1)
        self.whole = Chip(theme, "", "Show all roles, identical norms and biases too")
        self.whole.setCheckable(True)
        self.whole.toggled.connect(self.view.show_whole)
        self.view.folded.connect(self._show_folded)
        head.addWidget(self.whole)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 6, MARGIN, 4)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        column.addWidget(self.legend)
        self.view.chosen.connect(self.chosen)

    def sizeHint(self) -> QSize:
        return QSize(380, 300)

    @property
    def worth_showing(self) -> bool:
        """Whether there are layers at all, or a few tensors beside each other."""
        return self.model.rowCount() > 0

    def show_errors(self, errors: Errors | None) -> None:
        """Show another comparison."""
        self.model.show_errors(errors)
        self.view.fit()
        self.refresh()

    def refresh(self) -> None:
        """Take in what was measured since."""
        self.model.refresh()
        self.view.fit()
        errors = self.model.errors
        self.legend.show_ends(("", "") if errors is None else ends(errors, self.model.measure))

    def _show_folded(self, roles: int) -> None:
        self.whole.setText(f"+ {roles} identical" if roles else "all roles")
        self.whole.setVisible(roles > 0 or self.whole.isChecked())

    def go_to(self, row: int | None) -> None:
        """Frame a pair."""
        self.view.go_to(row)

    def _choose(self, key: str) -> None:
        self.model.show_measure(key)
        self.refresh()
