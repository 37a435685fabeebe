"""What is said of a place on the map of bytes: where a file ends early, a header breaks off, a file begins anew."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from tensorloupe.items.bytemap import Mark
from tensorloupe.style import text

_ROOM = 6  # px around words that stand on the bar


def label_below(painter: QPainter, mark: Mark, x: float, top: float, width: int) -> None:
    """Write the words under the bar, around the mark as far as the map's width allows, in the painter's pen and font."""
    words = said(mark)
    wide = painter.fontMetrics().horizontalAdvance(words)
    left = min(max(x - wide / 2, 0), width - wide)
    painter.drawText(QPointF(left, top + painter.fontMetrics().ascent()), words)


def label_beside(painter: QPainter, mark: Mark, x: float, height: float, width: int, ground: QColor) -> None:
    """Write the words on the bar behind the mark, or before it where the map ends too soon, on a ground of their own.

    Where they have room on neither side the line stands alone; its tooltip has the words.
    """
    words, metrics = said(mark), painter.fontMetrics()
    wide = metrics.horizontalAdvance(words) + 2 * _ROOM
    left = x + _ROOM if x + wide + 2 * _ROOM <= width else x - wide - _ROOM
    if left < 0:
        return
    box = QRectF(left, (height - metrics.height() - 4) / 2, wide, metrics.height() + 4)
    painter.fillRect(box, ground)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def said(mark: Mark) -> str:
    """What happens at a mark, and at which byte."""
    return f"{mark.said}: {text.count(mark.byte)}"
