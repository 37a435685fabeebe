"""How a weight that lies in several tensors is looked at: its values, or one of its layers; in which of its readings.

A stored tensor has one look only. What a weight is made of may have to be read first, so that is done in the background.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

import weightmap
from tensorloupe.tasks import TaskRunner

if TYPE_CHECKING:
    from tensorloupe.document import Document
    from tensorloupe.readable import Shown
    from tensorloupe.weights import Weight

VALUES = "values"
SLOT = "layers"


class Looks(QObject):
    """The look at the selected weight.

    changed  something else is to be shown
    listed   (names) the layers that the weight has
    failed   (the exception) they cannot be had
    """

    changed = Signal()
    listed = Signal(object)
    failed = Signal(object)

    def __init__(self, tasks: TaskRunner, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._document = tasks, document
        self.weight: Weight | None = None
        self.layer: weightmap.Layer | None = None
        self._layers: dict[str, weightmap.Layer] = {}

    @property
    def shown(self) -> Shown | None:
        """What the views that can are to show."""
        return self.weight if self.layer is None else self.layer

    def select(self, weight: Weight | None) -> None:
        """Turn to another weight, and to its values."""
        self._tasks.drop(SLOT)
        self.layer, self._layers = None, {}
        if weight is None or isinstance(weight, weightmap.Tensor):
            self.weight = weight
            return
        reading = self._chosen(weight)
        self.weight = weight if reading is None else weight.with_reading(reading)
        self._list()

    def read_as(self, reading: str | None) -> None:
        """Read the weight in another way that the file leaves open; None is the likeliest."""
        weight = self.weight
        if isinstance(weight, weightmap.Composed):
            chosen = self._document.readings.setdefault(self._document.path, {})
            if reading is None:
                chosen.pop(weight.name, None)
            else:
                chosen[weight.name] = reading, weight.assumed is not None
            self.weight, self.layer, self._layers = weight.with_reading(reading), None, {}
            self._list()
            self.changed.emit()

    def choose(self, name: str) -> None:
        """Show a layer by its name, or the values."""
        layer = self._layers.get(name)
        if layer is not self.layer:
            self.layer = layer
            self.changed.emit()

    def _chosen(self, weight: weightmap.Composed) -> str | None:
        """The reading that was chosen for it. The file may be another one since: what it decides now goes before a choice."""
        chosen = self._document.readings.get(self._document.path, {})
        reading, assumed = chosen.get(weight.name, (None, False))
        if reading is None or (reading in weight.readings and assumed == (weight.assumed is not None)):
            return reading
        del chosen[weight.name]
        return None

    def _list(self) -> None:
        """Find out which layers there are."""
        weight = self.weight
        if not isinstance(weight, weightmap.Composed) or weight.problem is not None:
            self.listed.emit(())
            return

        def work(_: object) -> list[weightmap.Layer]:
            return [weight.layer(name) for name in weight.layers()]

        self._tasks.start(SLOT, "Reading what it is made of", work, self._take, self.failed.emit, quiet=True)

    def _take(self, layers: Sequence[weightmap.Layer]) -> None:
        self._layers = {layer.name: layer for layer in layers}
        self.listed.emit(tuple(self._layers))
