"""What the colours and hatches of the byte map mean: a swatch and a word for each that the file at hand has."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tensorloupe.style.painting import safely
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.widgets.flow import FlowLayout

ENTRIES = {
    "header": "header and metadata",
    "data": "tensor data",
    "gap": "belongs to no tensor",
    "gone": "promised, not there",
    "unread": "not read",
    "unreadable": "with an error",
    "warned": "with a warning",
}


class Legend(QWidget):
    """The entries in a row that breaks where it must."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        flow = FlowLayout(self, 16)
        flow.setContentsMargins(0, 0, 0, 0)
        self.entries = {kind: _Entry(theme, kind, word) for kind, word in ENTRIES.items()}
        for entry in self.entries.values():
            flow.addWidget(entry)

    def show_kinds(self, kinds: Collection[str]) -> None:
        """Show the entries of these kinds only."""
        for kind, entry in self.entries.items():
            entry.setVisible(kind in kinds)


class _Entry(QWidget):
    """A swatch and a word."""

    def __init__(self, theme: Theme, kind: str, word: str) -> None:
        super().__init__()
        self._theme, self._kind, self._word = theme, kind, word
        self.setAccessibleName(word)
        self.setFont(theme.font(SECONDARY))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self._word) + 22, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @safely
    def paintEvent(self, event: QPaintEvent) -> None:
        painter, colors = QPainter(self), self._theme.colors
        swatch = QRectF(0, (self.height() - 13) / 2, 14, 13)
        ground, line, pattern = {
            "header": (colors.header_bytes, "", Qt.BrushStyle.NoBrush),
            "gap": (colors.base, colors.strong, Qt.BrushStyle.BDiagPattern),
            "unread": (colors.base, colors.strong, Qt.BrushStyle.Dense6Pattern),
            "gone": (colors.error_strip, colors.error, Qt.BrushStyle.BDiagPattern),
            "unreadable": (colors.error_strip, colors.error, Qt.BrushStyle.DiagCrossPattern),
        }.get(self._kind, (colors.series, "", Qt.BrushStyle.NoBrush))
        painter.fillRect(swatch, QColor(ground))
        if line:
            painter.fillRect(swatch, QBrush(QColor(line), pattern))
            painter.setPen(QColor(line))
            painter.drawRect(swatch.adjusted(0.5, 0.5, -0.5, -0.5))
        if self._kind == "warned":
            painter.fillRect(QRectF(0, swatch.bottom() - 4, 14, 4), QColor(colors.warning))
        painter.setPen(QColor(colors.text))
        painter.drawText(self.rect().adjusted(20, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._word)
