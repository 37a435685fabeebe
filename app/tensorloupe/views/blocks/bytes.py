"""The stored bytes of a block in hexadecimal, coloured by what they are; those of the element at hand are framed."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontDatabase, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

import weightmap
from tensorloupe.style import text
from tensorloupe.style.colormaps import size_map, value_map
from tensorloupe.style.theme import SECONDARY, Theme

PER_ROW, SWATCH = 16, 13


class StoredBytes(QWidget):
    """Rows of 16 bytes with their absolute positions; the legend beside them, or below where it is narrow."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._block: weightmap.Block | None = None
        self._framed: frozenset[int] = frozenset()
        self._measure()
        self.setAccessibleName("Stored bytes")
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_block(self, block: weightmap.Block | None, framed: Collection[int] = ()) -> None:
        """Show the bytes of a block, some of them framed."""
        resized = (self._block is None) is not (block is None) or (
            block is not None and self._block is not None and block.type is not self._block.type
        )
        self._block, self._framed = block, frozenset(framed)
        self._places = self._columns()
        words = "" if block is None else " ".join(f"{byte:02x}" for byte in block.bytes.tolist())
        self.setAccessibleDescription(words)
        if resized:
            self.updateGeometry()
        self.update()

    # sizes

    def _measure(self) -> None:
        """Find the font and what follows from it: once, as hundreds of bytes are painted with it."""
        self._fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._fixed.setPointSizeF(self._theme.font(SECONDARY).pointSizeF())
        self._line = max(20.0, QFontMetricsF(self._fixed).height() + 4)
        self._places = self._columns()

    def changeEvent(self, event: QEvent) -> None:
        """Another font: other sizes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()

    def _columns(self) -> tuple[float, float, float]:
        """Left edge of the bytes, width of one, left edge of the legend."""
        metrics = QFontMetricsF(self._fixed)
        end = 0 if self._block is None else self._block.offset + len(self._block.bytes)
        left = metrics.horizontalAdvance(text.count(end)) + 14
        cell = metrics.horizontalAdvance("00") + 8
        return left, cell, left + PER_ROW * cell + 20

    def _rows(self) -> int:
        return 0 if self._block is None else -(-len(self._block.bytes) // PER_ROW)

    def _beside(self, width: int) -> bool:
        """Whether the legend has room beside the bytes."""
        if self._block is None:
            return True
        metrics = QFontMetricsF(self._theme.font(SECONDARY))
        widest = max(metrics.horizontalAdvance(field.words) for field in self._block.fields)
        return self._columns()[2] + SWATCH + 8 + widest <= width

    def hasHeightForWidth(self) -> bool:
        """The legend may stand below."""
        return True

    def heightForWidth(self, width: int) -> int:
        """All rows, and the legend."""
        fields = 0 if self._block is None else len(self._block.fields)
        lines = max(self._rows(), fields) if self._beside(width) else self._rows() + fields + 0.5
        return round(lines * self._line) + 4

    def sizeHint(self) -> QSize:
        """All rows."""
        return QSize(640, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        """All rows, in any width."""
        return QSize(200, self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need another height."""
        super().resizeEvent(event)
        self.updateGeometry()

    # painting

    def byte_rect(self, at: int) -> QRectF:
        """The cell of a byte."""
        left, cell, _ = self._places
        row, column = divmod(at, PER_ROW)
        return QRectF(left + column * cell, row * self._line, cell, self._line)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Grounds, then bytes, then frames, then the legend."""
        block = self._block
        if block is None:
            return
        painter = QPainter(self)
        for number in range(len(block.fields)):
            color = field_color(block, number, self._theme)
            if color is not None:
                field = block.fields[number]
                for at in range(field.offset, field.offset + field.size):
                    painter.fillRect(self.byte_rect(at), color)
        painter.setFont(self._fixed)
        painter.setPen(self._theme.color("secondary"))
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for row in range(self._rows()):
            box = QRectF(0, row * self._line, self._places[0], self._line)
            painter.drawText(box, middle, text.count(block.offset + row * PER_ROW))
        painter.setPen(self._theme.color("text"))
        for at, byte in enumerate(block.bytes.tolist()):
            painter.drawText(self.byte_rect(at), Qt.AlignmentFlag.AlignCenter, f"{byte:02x}")
        painter.setPen(QPen(self._theme.color("text"), 2))
        for at in self._framed:
            painter.drawRect(self.byte_rect(at).adjusted(1, 1, -1, -1))
        self._paint_legend(painter, block)

    def _paint_legend(self, painter: QPainter, block: weightmap.Block) -> None:
        beside = self._beside(self.width())
        x = self._columns()[2] if beside else 0.0
        y = 0.0 if beside else (self._rows() + 0.5) * self._line
        painter.setFont(self._theme.font(SECONDARY))
        for number, field in enumerate(block.fields):
            box = QRectF(x + 0.5, y + (self._line - SWATCH) / 2, SWATCH, SWATCH)
            painter.fillRect(box, field_color(block, number, self._theme) or self._theme.color("base"))
            painter.setPen(self._theme.color("strong"))
            painter.drawRect(box)
            painter.setPen(self._theme.color("text"))
            line = QRectF(x + SWATCH + 8, y, self.width(), self._line)
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, field.words)
            y += self._line


def field_color(block: weightmap.Block, number: int, theme: Theme) -> QColor | None:
    """The ground of a field's bytes: blue scales, orange minima, violet sub-scales, green signs; of codes, grey all
    but the largest field of them.
    """
    role, dark = block.fields[number].role, theme.dark
    if role in ("scale", "minimum"):
        return QColor(*value_map(dark)[(84 if dark else 108) if role == "scale" else (168 if dark else 146)].tolist())
    if role == "sub-scales":
        return QColor(*size_map(dark)[58 if dark else 44].tolist())
    if role == "signs":
        green = theme.color("ok")
        ground = theme.color("base")
        return QColor(*(round(0.22 * a + 0.78 * b) for a, b in zip(_rgb(green), _rgb(ground), strict=True)))
    most = max(block.fields, key=lambda field: field.size if field.role == role else 0)
    return None if role == "codes" and block.fields[number] is most else theme.color("thin")


def _rgb(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()
