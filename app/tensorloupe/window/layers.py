"""Puts the grid of layers on the page of the whole file once a model is open, and reads values for it where asked to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

import weightmap
from tensorloupe.items.layers import Layers
from tensorloupe.style import text
from tensorloupe.task import Progress
from tensorloupe.views.layers.panel import LayersPanel

if TYPE_CHECKING:
    from tensorloupe.opening.contents import Contents
    from tensorloupe.weights import Weight
    from tensorloupe.window.window import Window

SLOT = "statistics of layers"
_TELL = 300  # milliseconds between two looks at what was read


class LayersKeeper(QObject):
    """One per window. What was read of a model is kept until another is open; a cancelled reading keeps what it has."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.panel = LayersPanel(window.theme, self._state)
        self.panel.hide()
        page = window.explorer.area.file_page
        page.add_below(self.panel)
        page.map_refreshed.connect(self.panel.model.tell)
        self.panel.chosen.connect(window.explorer.select_number)
        self.panel.wanted.connect(self._read)
        self._tell = QTimer(self, interval=_TELL)
        self._tell.timeout.connect(self._say)
        window.document.model_changed.connect(self._forget)

    def show(self, contents: Contents, layers: Layers | None) -> None:
        """Show the layers of the model that is open, of which more may have been found since they were laid out."""
        if self._window.document.model is contents.model:
            self.panel.show_layers(layers)

    def _state(self, number: int) -> str:
        contents = self._window.contents
        return "unchecked" if contents is None else contents.outline.status(number)

    def _forget(self) -> None:
        self._window.tasks.drop(SLOT)
        self._tell.stop()
        self.panel.show_layers(None)

    def _read(self, _: object) -> None:
        layers, tasks = self.panel.model.layers, self._window.tasks
        if layers is None or tasks.running(SLOT):
            return
        weights = [layers.outline.tensors[number] for number in layers.numbers]
        tasks.start(
            SLOT,
            "Reading values of all layers",
            lambda progress: read(weights, layers.found, progress),
            lambda _: self._end(),
            lambda reason: self._end(weightmap.printable(str(reason))),
            lambda: self._end("Cancelled. Choose it again to go on."),
        )
        self._tell.start()

    def _say(self) -> None:
        layers = self.panel.model.layers
        if layers is not None:
            self.panel.refresh(f"{text.count(len(layers.found))} of {text.counted(len(layers.numbers), 'tensor')}")

    def _end(self, said: str = "") -> None:
        self._tell.stop()
        self.panel.refresh(said)


def read(weights: Sequence[Weight], found: dict[int, weightmap.Statistics], progress: Progress) -> None:
    """Add the statistics of every weight that can be read, by its place; what is there already is not read again."""
    total, before = sum(max(weight.nbytes, 1) for weight in weights), 0
    for place, weight in enumerate(weights):
        size = max(weight.nbytes, 1)

        def part(done: int, of: int, before: int = before, size: int = size) -> bool:
            return progress(before + (done * size // of if of else 0), total) is not False

        if place not in found and weight.problem is None:
            found[place] = weight.statistics(1, progress=part)
        before += size
        if progress(before, total) is False:
            raise weightmap.Cancelled
