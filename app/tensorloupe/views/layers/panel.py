"""The grid of layers and roles of the whole file: a number to colour it by, the grid, what the colours stand for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout

from tensorloupe.items.layers import BY_KEY, COLOURINGS, Colouring, Layers, LayersModel
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.layers.grid import GridView
from tensorloupe.views.layers.legend import Legend
from tensorloupe.widgets.choice import Choice
from tensorloupe.widgets.controls import Ground, PlainLabel

MOST_CELLS = 450  # in sight at a time, so that they are painted in no time; a grid of more scrolls in itself
_AIR = 5  # px of a row beside its line of text
_NAMES = 7  # lines of text that the names of roles are high, which stand upright over narrow columns


class LayersView(GridView):
    """Arrow keys only move in it: who chooses a tensor leaves the page. `picked` comes by a click, or by Enter."""

    picked = Signal(int)

    def __init__(self, theme: Theme, model: LayersModel) -> None:
        super().__init__(theme, model, "Tensors by layer and role")
        self.clicked.connect(self._pick)

    def fit_height(self) -> None:
        """As high as its rows and the names over them: the page scrolls, not the grid."""
        line = self.fontMetrics().height()
        most = max(MOST_CELLS // max(self.model().columnCount(), 1), 8)
        rows = min(self.model().rowCount(), most) * (line + _AIR)
        self.setFixedHeight(self.across.sizeHint().height() + rows + 8)

    def fit(self) -> None:
        super().fit()
        self.fit_height()  # other widths may turn the names

    def _head_room(self, rows: int, narrow: bool) -> int:
        """All that names were given: the page has room for the rows below."""
        return _NAMES * self.fontMetrics().height()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pick(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _pick(self, index: QModelIndex) -> None:
        number = self.grid_model.number_at(index)
        if number is not None:
            self.picked.emit(number)

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        self.cells.current = self.grid_model.number_at(current)
        self._ground.update()


class LayersPanel(Ground):
    """`chosen` gives the outline's number of the tensor to go to; `wanted` the colouring for which values must be read."""

    chosen = Signal(int)
    wanted = Signal(object)

    def __init__(self, theme: Theme, state: Callable[[int], str]) -> None:
        super().__init__(theme, "base")
        self.model = LayersModel(state, self)
        self.view = LayersView(theme, self.model)
        self.legend = Legend(theme)
        self.colourings = Choice(
            "What colours the layers", [(colouring.words, colouring.key) for colouring in COLOURINGS]
        )
        self.said = PlainLabel(theme, "secondary", SECONDARY)
        title = PlainLabel(theme, bold=True)
        title.set_text("Layers × roles")
        head = QHBoxLayout()
        head.setSpacing(8)
        for widget in (title, self.colourings, self.said):
            head.addWidget(widget)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.view)
        column.addWidget(self.legend)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.colourings.chosen.connect(lambda key: self.show_colouring(BY_KEY[key]))
        self.view.picked.connect(self._chosen)
        theme.changed.connect(self.view.fit_height)

    def show_layers(self, layers: Layers | None) -> None:
        """Show another model; nothing for one without layers."""
        self.model.show_layers(layers)
        self.setVisible(layers is not None)
        self.view.fit_height()
        self.view.fit()
        self._coloured()

    def show_colouring(self, colouring: Colouring) -> None:
        """Colour by another number. What of it is not known yet is asked for."""
        self.model.show_colouring(colouring)
        self._coloured()

    def refresh(self, said: str = "") -> None:
        """Take in what is known by now, and say how far it is."""
        self.model.show_colouring(self.model.colouring)
        self._say(said)

    def _coloured(self) -> None:
        self._say()
        layers, colouring = self.model.layers, self.model.colouring
        if layers is not None and colouring.read and len(layers.found) < len(layers.numbers):
            self.wanted.emit(colouring)

    def _say(self, said: str = "") -> None:
        self.legend.show_ends(self.model.ends())
        self.said.set_text(said)

    def _chosen(self, number: int) -> None:
        if self.model.layers is not None:
            self.chosen.emit(self.model.layers.numbers[number])
