"""The place under the tabs' subject for what a weight in several tensors needs; nothing of it is made before there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

import weightmap
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner

if TYPE_CHECKING:
    from tensorloupe.document import Document
    from tensorloupe.panels.composed import ComposedBar
    from tensorloupe.readable import Shown
    from tensorloupe.views.looks import Looks
    from tensorloupe.weights import Weight


class Looking(QWidget):
    """Which look at the selected weight the views are to show. `changed`: another one, by the user's choice."""

    changed = Signal()

    def __init__(self, theme: Theme, tasks: TaskRunner, document: Document) -> None:
        super().__init__()
        self._theme, self._tasks, self._document = theme, tasks, document
        self._selected: Weight | None = None
        self.bar: ComposedBar | None = None
        self.looks: Looks | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.hide()

    @property
    def weight(self) -> Weight | None:
        """The selected weight, in the reading that was chosen."""
        return self._selected if self.looks is None or self.looks.weight is None else self.looks.weight

    @property
    def shown(self) -> Shown | None:
        """The same, or the layer of it that was chosen."""
        return self._selected if self.looks is None or self.looks.shown is None else self.looks.shown

    def select(self, weight: Weight | None) -> None:
        """Turn to another weight."""
        if weight is self._selected:
            return
        self._selected = weight
        composed = None if weight is None or isinstance(weight, weightmap.Tensor) else weight
        if self.looks is None and composed is not None:
            self._make()
        if self.looks is not None and self.bar is not None:
            self.looks.select(composed)
            if composed is not None:
                self.bar.show_weight(self._read)
        self.setVisible(composed is not None)

    @property
    def _read(self) -> weightmap.Composed:
        assert self.looks is not None and isinstance(self.looks.weight, weightmap.Composed)
        return self.looks.weight

    def _make(self) -> None:
        from tensorloupe.panels.composed import ComposedBar
        from tensorloupe.views.looks import Looks

        self.bar, self.looks = ComposedBar(self._theme), Looks(self._tasks, self._document, self)
        column = self.layout()
        assert column is not None
        column.addWidget(self.bar)
        self.bar.layer_chosen.connect(self.looks.choose)
        self.bar.reading_chosen.connect(self._reread)
        self.looks.listed.connect(self.bar.show_layers)
        self.looks.changed.connect(self.changed)

    def _reread(self, reading: str | None) -> None:
        assert self.looks is not None and self.bar is not None
        self.looks.read_as(reading)
        self.bar.show_weight(self._read)
