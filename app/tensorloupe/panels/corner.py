"""The right end of the menu bar: which file is open, how large it is, and its state in a word."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tensorloupe.items.summary import Summary
from tensorloupe.style import text
from tensorloupe.style.status import TONES
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.widgets.controls import PlainLabel, StatusMark


class Corner(QWidget):
    """Name in bold, size and count, status. The count goes first, then the size; the name is cut in the middle."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.name = PlainLabel(theme, bold=True)
        self.amount = PlainLabel(theme, "secondary", SECONDARY)
        self.mark = StatusMark(theme)
        self.word = PlainLabel(theme)
        self.note = PlainLabel(theme, "secondary", SECONDARY)
        self._against = PlainLabel(theme, "secondary", SECONDARY)
        self._against.set_text("compared")
        self.compared_mark = StatusMark(theme)
        self.compared = PlainLabel(theme)
        self._amounts: tuple[str, ...] = ("",)
        self._name = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 14, 0)
        row.setSpacing(8)
        row.addStretch(1)
        for widget in (self.name, self.amount, self.mark, self.word, self.note):
            row.addWidget(widget)
        row.addSpacing(4)
        for widget in (self._against, self.compared_mark, self.compared):
            row.addWidget(widget)
            widget.hide()
        self.hide()

    def show_summary(self, summary: Summary | None) -> None:
        """Show another file, or nothing."""
        self.setVisible(summary is not None)
        if summary is None:
            return
        self._name = summary.name
        size, count = text.size(summary.size), text.counted(summary.totals.tensors, "tensor")
        self._amounts = (f"{size} · {count}", size, "")
        self.mark.set_status(summary.status)
        self.word.set_color(TONES.get(summary.status, summary.status))
        self.word.set_text(summary.verdict)
        self.note.set_text(summary.note)
        self.note.setVisible(bool(summary.note))
        self._fit()

    def show_comparison(self, status: str, word: str) -> None:
        """Say in a word how a comparison stands, with its status; without a word there is none."""
        for widget in (self._against, self.compared_mark, self.compared):
            widget.setVisible(bool(word))
        self.compared_mark.set_status(status)
        self.compared.set_color(TONES.get(status, status))
        self.compared.set_text(word)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room, others, left = self.width(), self.word.sizeHint().width() + 70, 0
        others += self.note.sizeHint().width() + 8 if self.note.whole else 0
        if self.compared.whole:
            others += self._against.sizeHint().width() + self.compared.sizeHint().width() + 42
        metrics = self.name.fontMetrics()
        for amount in self._amounts:
            self.amount.set_text(amount)
            self.amount.setVisible(bool(amount))
            left = room - others - (self.amount.sizeHint().width() if amount else 0)
            if metrics.horizontalAdvance(self._name) <= left:
                break
        self.name.set_text(metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, max(left, 60)))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, super().minimumSizeHint().height())
