"""The line that says what is looked at: name, type, shape, bits per weight, size, state. What has no room goes, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

import weightmap
from tensorloupe.items.findings import told
from tensorloupe.items.outline import status_of
from tensorloupe.items.summary import Summary
from tensorloupe.style import text, tips
from tensorloupe.style.status import TONES, WORDS
from tensorloupe.style.theme import SECONDARY, SUBJECT, Theme
from tensorloupe.weights import kind_name
from tensorloupe.widgets.controls import Ground, IconButton, PlainLabel, Rule, StatusMark

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

HEIGHT = 46
_REASONS = 8  # lines of a tooltip
_UNIT, _SHORT = "bits per weight", "bpw"


class Subject(Ground):
    """One line about a tensor, or about the whole file."""

    copied = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "base")
        self.raw_name = ""
        self.name = PlainLabel(theme, ratio=SUBJECT, bold=True, elide=True)
        self._copy = IconButton(theme, "copy", "Copy the name")
        self._copy.clicked.connect(lambda: self.copied.emit(self.raw_name))
        self.kind = _Tag(theme)
        self.shape = PlainLabel(theme)
        self._ggml = PlainLabel(theme, "secondary", SECONDARY)
        self._bits = PlainLabel(theme)
        self._unit = PlainLabel(theme, "secondary", SECONDARY)
        self._size = PlainLabel(theme)
        self._of = PlainLabel(theme, "secondary", SECONDARY)
        self._rules = [Rule(theme, vertical=True) for _ in range(2)]
        self.mark = StatusMark(theme)
        self.word = PlainLabel(theme)
        self._note = PlainLabel(theme, "secondary", SECONDARY)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(6)
        row.addWidget(self.name)
        row.addWidget(self._copy)
        row.addSpacing(6)
        row.addWidget(self.kind)
        row.addSpacing(6)
        row.addWidget(self.shape)
        row.addWidget(self._ggml)
        self._add_group(row, self._rules[0], self._bits, self._unit)
        self._add_group(row, self._rules[1], self._size, self._of)
        row.addStretch(1)
        row.addWidget(self.mark)
        row.addWidget(self.word)
        row.addWidget(self._note)
        self.setMinimumHeight(max(HEIGHT, self.name.fontMetrics().height() + 18))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("What is selected")

    def minimumSizeHint(self) -> QSize:
        return QSize(260, self.minimumHeight())

    def sizeHint(self) -> QSize:
        return QSize(600, self.minimumHeight())

    def show_tensor(self, tensor: Weight, judged: bool = True) -> None:
        """Say what this tensor is; unless `judged`, what its file's checks have to say about it is not known yet."""
        self.raw_name = tensor.name
        self.name.set_text(weightmap.printable(tensor.name))
        self.kind.set_text(kind_name(tensor))
        self.shape.set_text(text.shape(tensor.shape))
        self._ggml.set_text(f"ggml {text.shape(reversed(tensor.shape))}" if len(tensor.shape) > 1 else "")
        self._bits.set_text(text.bits(tensor.bits_per_weight))
        self._unit.set_text(_UNIT)
        self._size.set_text(text.size(tensor.nbytes))
        self._of.set_text("")
        status = status_of(tensor) if judged else "running"
        checked = status == "ok" and tensor.values_checked
        self._say(status, "values checked" if checked else WORDS[status], why=_why(tensor) if judged else "")

    def show_file(self, summary: Summary, raw_name: str) -> None:
        """Say what the whole file is."""
        self.raw_name = raw_name
        self.name.set_text(summary.name)
        self.kind.set_text(summary.form)
        self.shape.set_text(summary.architecture)
        self._ggml.set_text("")
        self._bits.set_text(_tensors(summary))
        self._unit.set_text("")
        self._size.set_text(text.size(summary.size))
        self._of.set_text(f"of {text.size(summary.promised)}" if summary.promised > summary.size else "")
        self._say(summary.status, "damaged" if summary.promised > summary.size else summary.verdict, summary.note)

    def add_verdict(self, verdict: str) -> None:
        """Say how the tensor compares with its reference, where that is louder than what was found in the file itself."""
        mark = {"worse": "warning", "wrong": "error"}.get(verdict)
        if mark is not None and self.mark.status != "error":
            self._say(mark, {"worse": "worse than expected", "wrong": "wrong, against the reference"}[verdict])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _say(self, status: str, word: str, note: str = "", why: str = "") -> None:
        for widget in (self.mark, self.word):
            widget.setToolTip(tips.plain(why))
        self.mark.set_status(status)
        self.word.set_color(TONES.get(status, status))
        self.word.set_text(word)
        self._note.set_text(note)
        self._note.setVisible(bool(note))
        self._fit()

    def _fit(self) -> None:
        """Show as much as there is room for: ggml's shape goes first, then words of the unit, size, bits, shape."""
        groups: list[tuple[QWidget, ...]] = [
            (self._ggml,),
            (self._rules[1], self._size, self._of),
            (self._rules[0], self._bits, self._unit),
            (self.shape,),
        ]
        for group in groups:
            for widget in group:
                widget.setVisible(not isinstance(widget, QLabel) or bool(widget.text()))
        self._rules[0].setVisible(bool(self.shape.text()))
        self._unit.set_text(_UNIT if self._unit.text() else "")
        wanted = self._width()
        for group in groups:
            if wanted > self.width() and self._ggml.isHidden() and self._unit.text():
                self._unit.set_text(_SHORT)
                wanted = self._width()
            if wanted <= self.width():
                break
            for widget in group:
                widget.setVisible(False)
            wanted = self._width()

    def _width(self) -> int:
        shown = [self.kind, self.shape, self._ggml, self._bits, self._unit, self._size, self._of, self.word, self._note]
        text_width = sum(w.sizeHint().width() + 8 for w in shown if not w.isHidden())
        rules = sum(25 for rule in self._rules if not rule.isHidden())
        return min(self.name.sizeHint().width(), 420) + text_width + rules + 82 + self._copy.sizeHint().width()

    @staticmethod
    def _add_group(row: QHBoxLayout, rule: Rule, *labels: QWidget) -> None:
        row.addSpacing(6)
        rule.setFixedHeight(18)
        row.addWidget(rule)
        row.addSpacing(6)
        for label in labels:
            row.addWidget(label)


def _tensors(summary: Summary) -> str:
    """How many tensors there are; where a header breaks off, of how many."""
    read, counted = summary.totals.tensors, summary.counted
    return text.counted(read, "tensor") if read == counted else f"{text.count(read)} of {text.count(counted)} tensors"


def _why(tensor: Weight) -> str:
    """What was found in the tensor, a line each: the word beside says no more than how loud it is."""
    loud = [told(found) for found in tensor.findings if found.severity in ("warning", "error")]
    return "\n".join(loud[:_REASONS])


class _Tag(PlainLabel):
    """A word in a thin frame: the stored type, the format."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, bold=True, ratio=SECONDARY)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._follow()
        theme.changed.connect(self._follow)

    def _follow(self) -> None:
        self.setStyleSheet(
            f"border: 1px solid {self._theme.colors.strong}; border-radius: 3px; padding: 1px 7px;"
            f"background: {self._theme.colors.button}; color: {self._theme.colors.text};"
        )
