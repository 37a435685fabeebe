"""The line under the subject of a weight that lies in several tensors: what it is made of, what of it is shown, what is assumed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

import weightmap
from tensorloupe.style import text, tips
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.looks import VALUES
from tensorloupe.widgets.choice import Choice
from tensorloupe.widgets.controls import Ground, PlainLabel, StatusMark


class ComposedBar(Ground):
    """`layer_chosen`: values, or a layer by name; `reading_chosen`: another reading, None for the likeliest."""

    layer_chosen = Signal(object)
    reading_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "window")
        self._theme = theme
        self.about = _About(theme, ratio=SECONDARY, elide=True)
        self.layer = Choice("What of the weight is shown", ((VALUES, VALUES),))
        self.reading = Choice("Reading of the weight", (("as the file says", None),))
        self._show = PlainLabel(theme, "secondary", SECONDARY)
        self._show.set_text("Show")
        self._read = PlainLabel(theme, "secondary", SECONDARY)
        self._read.set_text("Read")
        self.mark = StatusMark(theme)
        self.assumed = PlainLabel(theme, ratio=SECONDARY)
        self.assumed.setWordWrap(True)
        self.assumed.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.assumed.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.buttons: list[QPushButton] = []
        first, self._second = QHBoxLayout(), QWidget()
        first.setSpacing(8)
        first.addWidget(self.about)
        first.addStretch(1)
        first.addWidget(self._read)
        first.addWidget(self.reading)
        first.addWidget(self._show)
        first.addWidget(self.layer)
        self._row = QHBoxLayout(self._second)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self.mark)
        self._row.addWidget(self.assumed, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 4, 16, 4)
        column.setSpacing(4)
        column.addLayout(first)
        column.addWidget(self._second)
        self.mark.set_status("info")
        self.layer.chosen.connect(self.layer_chosen)
        self.reading.chosen.connect(self.reading_chosen)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def show_weight(self, weight: weightmap.Composed) -> None:
        """Say what the weight is, with its values shown."""
        about, runtime = weightmap.printable(weight.about), f"at run time {weight.runtime}" if weight.runtime else ""
        many = f"in {text.counted(len(weight.sources), 'tensor')}"
        words = [about, f"{many}: {_short(weight)}", runtime]
        shorter = [about, many, runtime], [about, runtime], [about or many]
        self.about.set_wordings([" · ".join(word for word in said if word) for said in (words, *shorter)])
        sources = (weightmap.printable(name) for name in weight.sources)
        self.about.setToolTip(tips.plain("\n".join(word for word in (*words, *sources) if word)))
        self.show_layers(())
        self._show_readings(weight)

    def show_layers(self, names: Sequence[str]) -> None:
        """Offer these layers beside the values."""
        self.layer.clear()
        for name in (VALUES, *names):
            self.layer.addItem(name, name)
        self.layer.setEnabled(bool(names))

    def _show_readings(self, weight: weightmap.Composed) -> None:
        """The assumption with a button for each other reading; where the file decides, the others in a list of choices."""
        decided = weight.assumed is None and weight.reading is None
        self.reading.clear()
        for name in (None, *weight.readings):
            self.reading.addItem("as the file says" if name is None else weightmap.printable(name), name)
        for part in (self._read, self.reading):
            part.setVisible(bool(weight.readings) and decided)
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        self._second.setVisible(bool(weight.assumed or weight.reading))
        assumed = weightmap.printable(weight.assumed or "")
        usual = "the likeliest" if assumed else "the file says"
        if weight.reading is not None:
            assumed = f"Shown in another reading than {usual}: {weightmap.printable(weight.reading)}. {assumed}".strip()
        self.assumed.set_text(assumed)
        for reading in (None, *weight.readings):
            if reading == weight.reading:
                continue
            name = usual if reading is None else weightmap.printable(reading)
            button = QPushButton(f"Read as {name}".replace("&", "&&"))
            button.clicked.connect(lambda _=False, reading=reading: self.reading_chosen.emit(reading))
            self._row.addWidget(button)
            self.buttons.append(button)


class _About(PlainLabel):
    """The first of several wordings that has room, and of the last one as much as has."""

    wordings: Sequence[str] = ()

    def set_wordings(self, wordings: Sequence[str]) -> None:
        """Say this, the longest wording first."""
        self.wordings = wordings
        self.set_text(wordings[0])

    def _fit(self) -> None:
        metrics, room = self.fontMetrics(), self.width()
        fitting = (words for words in self.wordings if metrics.horizontalAdvance(words) <= room)
        shown = next(fitting, None)
        if shown is None and self.wordings:
            shown = metrics.elidedText(self.wordings[-1], Qt.TextElideMode.ElideRight, max(room, 0))
        if shown is not None and shown != self.text():
            self.setText(shown)


def _short(weight: weightmap.Composed) -> str:
    """The names of its tensors, without what they share with the weight."""
    stem = weight.name.rpartition(".")[0] + "."
    names = [name.removeprefix(stem) if stem != "." else name for name in weight.sources]
    return ", ".join(weightmap.printable(name) for name in names)
