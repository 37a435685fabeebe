"""What stands around the image of a matrix: numbers of rows and columns, names of blocks, and where the pointer is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from tensorloupe.plots.ticks import index_step
from tensorloupe.style.text import count
from tensorloupe.views.heat.frame import Frame, Places, area, borders, value_rect
from tensorloupe.views.heat.viewport import Axis

TAG_PAD = 5


def paint_axes(painter: QPainter, frame: Frame, at: Places) -> None:
    """Both axes, the names of blocks above them, and the pointer's own row and column."""
    painter.setFont(frame.font)
    _paint_ticks(painter, frame, at, frame.viewport.rows, down=True)
    _paint_ticks(painter, frame, at, frame.viewport.columns, down=False)
    _name_blocks(painter, frame, at)
    if frame.pointer is not None:
        _paint_pointer(painter, frame, at, *frame.pointer)


def _name_blocks(painter: QPainter, frame: Frame, at: Places) -> None:
    """Above the borders: which block of the row ends and which begins there, where the words have room."""
    metrics = QFontMetricsF(frame.font)
    covered = area(frame, at)
    base = covered.top() - metrics.height() - 12
    starts = borders(frame, frame.block)
    painter.setPen(QColor(frame.colors.text))
    for number, column in enumerate(starts):
        x = at.room.left() + frame.viewport.columns.at(column) / frame.viewport.ratio
        following = starts[number + 1] if number + 1 < len(starts) else None
        until = covered.right()
        if following is not None:
            until = at.room.left() + frame.viewport.columns.at(following) / frame.viewport.ratio
        words = f"{frame.what} {count(column // frame.block)} from column {count(column)}"
        if x + metrics.horizontalAdvance(words) + 16 < until:
            painter.drawText(QPointF(x + 8, base), words)
        if number == 0:
            before = f"{frame.what} {count(column // frame.block - 1)}"
            width = metrics.horizontalAdvance(before)
            if x - width - 8 > covered.left():
                painter.drawText(QPointF(x - width - 8, base), before)
        painter.fillRect(QRectF(x - 1.5, base - metrics.ascent(), 3, metrics.height()), painter.pen().color())


def _paint_ticks(painter: QPainter, frame: Frame, at: Places, axis: Axis, *, down: bool) -> None:
    """Numbers of rows or columns at round steps."""
    metrics = QFontMetricsF(frame.font)
    scale = axis.scale / frame.viewport.ratio
    widest = metrics.horizontalAdvance(count(max(axis.values - 1, 0)))
    step = index_step(scale, metrics.height() * 1.7 if down else widest + 22)
    covered = area(frame, at)
    start, stop = axis.window
    tag = -1e9  # where the pointer's own number stands: no other is drawn under it
    if frame.pointer is not None:
        box = value_rect(frame, at, *frame.pointer)
        if box.intersects(covered):
            tag = box.center().y() if down else box.center().x()
    if axis.values == 1:
        return
    for index in range(-(-start // step) * step, stop, step):
        place = (axis.at(index) + (axis.scale / 2 if axis.scale >= 2 else 0.5)) / frame.viewport.ratio
        text = count(index)
        width = metrics.horizontalAdvance(text)
        painter.setPen(QColor(frame.colors.strong))
        if down:
            y = covered.top() + place
            if not covered.top() <= y <= covered.bottom():
                continue
            painter.drawLine(QPointF(covered.left() - 5, y), QPointF(covered.left() - 1, y))
            painter.setPen(QColor(frame.colors.secondary))
            if abs(y - tag) > metrics.height() + 2:
                painter.drawText(QPointF(covered.left() - 9 - width, y + metrics.ascent() / 2 - 1), text)
        else:
            x = covered.left() + place
            if not covered.left() <= x <= covered.right():
                continue
            painter.drawLine(QPointF(x, covered.top() - 5), QPointF(x, covered.top() - 1))
            painter.setPen(QColor(frame.colors.secondary))
            if abs(x - tag) > (width + widest) / 2 + 2 * TAG_PAD:
                painter.drawText(QPointF(x - width / 2, covered.top() - 9), text)


def _paint_pointer(painter: QPainter, frame: Frame, at: Places, row: int, column: int) -> None:
    """A frame around the value under the pointer, and its row and column as tags on the axes."""
    covered = area(frame, at)
    box = value_rect(frame, at, row, column)
    grow = max(0.0, 7 - box.width()) / 2, max(0.0, 7 - box.height()) / 2
    box = box.adjusted(-grow[0], -grow[1], grow[0], grow[1])
    if not box.intersects(covered):
        return
    painter.save()
    painter.setClipRect(covered.adjusted(-3, -3, 3, 3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, width in ((frame.colors.base, 5.0), (frame.colors.text, 2.0)):
        pen = QPen(QColor(color), width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.drawRect(box)
    painter.restore()
    centre = box.center()
    x = min(max(centre.x(), covered.left()), covered.right())
    y = min(max(centre.y(), covered.top()), covered.bottom())
    metrics = QFontMetricsF(frame.font)
    height = metrics.height() + 4
    across, along = (metrics.horizontalAdvance(count(n)) + 2 * TAG_PAD for n in (row, column))
    if frame.viewport.rows.values > 1:
        _tag(painter, frame, QRectF(covered.left() - across - 4, y - height / 2, across, height), count(row))
    if frame.viewport.columns.values > 1:
        _tag(painter, frame, QRectF(x - along / 2, covered.top() - height - 3, along, height), count(column))


def _tag(painter: QPainter, frame: Frame, box: QRectF, text: str) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(frame.colors.accent))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(frame.colors.on_accent))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
