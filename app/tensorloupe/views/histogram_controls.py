"""The row of controls above the histogram: limits, counts, bins, what lies outside, Reset."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton

from tensorloupe.style.text import counted, percent
from tensorloupe.views.controls import ControlRow
from tensorloupe.widgets.choice import Choice

BY_HAND = "by hand"
SHARES = (("0.1 – 99.9 %", 0.998), ("0.5 – 99.5 %", 0.99), ("all", 1.0))
BIN_COUNTS, BINS = (65, 129, 257, 513), 257


class HistogramControls(ControlRow):
    """`share_chosen` comes when limits by percentile are chosen; limits set by hand are an entry of their own."""

    share_chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.share = Choice(
            "Limits", SHARES, "Percentiles of the values. What lies outside is grey, and counted beside"
        )
        self.counts = Choice(
            "Counts", (("log", True), ("linear", False)), "How high bars are: log shows few values beside many"
        )
        self.bins = Choice("Bins", tuple((str(n), n) for n in BIN_COUNTS))
        self.bins.show_value(BINS)
        self.outside = QLabel()
        self.outside.setTextFormat(Qt.TextFormat.PlainText)
        self.reset = QPushButton("Reset")
        self.add(self.share, "Limits")
        self.add(self.counts, "Counts", rank=1)
        self.add(self.bins, "Bins", rank=3)
        self.stretch()
        self.add(self.outside, rank=2)
        self.add(self.reset)
        self.share.chosen.connect(self._chosen)

    def _chosen(self, share: float | None) -> None:
        if share is not None:
            self.share_chosen.emit()

    def show_by_hand(self, by_hand: bool) -> None:
        """Show whether the limits were set by hand; where they no longer are, the first percentiles hold."""
        index = self.share.findText(BY_HAND)
        if by_hand:
            if index < 0:
                self.share.addItem(BY_HAND, None)
            self.share.setCurrentIndex(self.share.findText(BY_HAND))
        elif index >= 0:
            if self.share.currentIndex() == index:
                self.share.setCurrentIndex(0)
            self.share.removeItem(index)

    def show_defaults(self) -> None:
        """Everything as at opening."""
        self.share.setCurrentIndex(0)
        self.counts.show_value(True)
        self.bins.show_value(BINS)

    def show_outside(self, outside: int | None, finite: int) -> None:
        """How many of the finite values lie outside the limits, exactly; None where there are no limits."""
        text = "" if outside is None else f"{percent(outside / max(finite, 1))} outside · {counted(outside, 'value')}"
        if text != self.outside.text():
            self.outside.setText(text)
            self.fit(self.outside)
