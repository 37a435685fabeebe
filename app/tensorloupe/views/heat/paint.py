"""Paints the image of a matrix with its axes: rows and columns, borders of blocks, crosses on what is not finite."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPaintEngine, QPainter, QPen

from tensorloupe.plots.ticks import index_step
from tensorloupe.style.text import count
from tensorloupe.views.heat.cells import Picture
from tensorloupe.views.heat.frame import Frame, Places
from tensorloupe.views.heat.viewport import Axis

BORDERS_FROM, CROSSES_FROM = 6, 6  # px per value
TAG_PAD = 5
SHARPER = 2  # pixels per px of an image inside an SVG


def area(frame: Frame, at: Places) -> QRectF:
    """What of the room the image covers, in logical px."""
    view = frame.viewport
    return QRectF(at.room.left(), at.room.top(), view.columns.shown / view.ratio, view.rows.shown / view.ratio)


def paint_matrix(painter: QPainter, frame: Frame, at: Places) -> None:
    """Image, borders, axes, pointer."""
    covered = area(frame, at)
    if painter.device() is not None and painter.paintEngine().type() is QPaintEngine.Type.SVG:
        painter.drawImage(covered, _flat(frame, at))
    else:
        _paint_inside(painter, frame, at)
    painter.setPen(QPen(QColor(frame.colors.strong), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(covered.adjusted(-0.5, -0.5, 0.5, 0.5))
    painter.setFont(frame.font)
    _paint_ticks(painter, frame, at, frame.viewport.rows, down=True)
    _paint_ticks(painter, frame, at, frame.viewport.columns, down=False)
    _name_blocks(painter, frame, at)
    if frame.pointer is not None:
        _paint_pointer(painter, frame, at, *frame.pointer)


def _paint_inside(painter: QPainter, frame: Frame, at: Places) -> None:
    painter.save()
    painter.setClipRect(area(frame, at), Qt.ClipOperation.IntersectClip)
    for picture in frame.pictures:
        _paint_picture(painter, frame, at, picture)
    _paint_crosses(painter, frame, at)
    _paint_borders(painter, frame, at)
    painter.restore()


def _flat(frame: Frame, at: Places) -> QImage:
    """All that lies inside the axes as one image: an SVG knows no clipping, and need not hold what is out of view."""
    covered = area(frame, at)
    image = QImage(round(covered.width() * SHARPER), round(covered.height() * SHARPER), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SHARPER)
    image.fill(QColor(frame.colors.base))
    painter = QPainter(image)
    painter.translate(-covered.topLeft())
    _paint_inside(painter, frame, at)
    painter.end()
    image.setDevicePixelRatio(1)
    return image


def _paint_picture(painter: QPainter, frame: Frame, at: Places, picture: Picture) -> None:
    """Draw an image where its rows and columns stand now: device px on device px where it is the one asked for."""
    view = frame.viewport
    (r0, r1), (c0, c1) = picture.rows, picture.columns
    if picture.request.viewport == view and not picture.elements:
        down, across = (_covered(axis) for axis in (view.rows, view.columns))
    else:
        down, across = (view.rows.at(r0), view.rows.at(r1)), (view.columns.at(c0), view.columns.at(c1))
    target = QRectF(
        at.room.left() + across[0] / view.ratio,
        at.room.top() + down[0] / view.ratio,
        (across[1] - across[0]) / view.ratio,
        (down[1] - down[0]) / view.ratio,
    )
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(target, picture.image)


def _covered(axis: Axis) -> tuple[float, float]:
    if axis.scale < 1:
        return 0.0, float(axis.shown)
    start, stop = axis.window
    return axis.at(start), axis.at(stop)


def _paint_crosses(painter: QPainter, frame: Frame, at: Places) -> None:
    """A dark cross on each value that is not finite, where values are large enough to carry one."""
    view = frame.viewport
    picture = frame.pictures[-1] if frame.pictures else None
    if picture is None or not picture.elements or min(view.rows.scale, view.columns.scale) < CROSSES_FROM * view.ratio:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor("#101418"), 1.4))
    for i, j in np.argwhere(picture.bad)[:20_000]:
        box = value_rect(frame, at, picture.rows[0] + int(i), picture.columns[0] + int(j)).adjusted(
            1.5, 1.5, -1.5, -1.5
        )
        painter.drawLine(box.topLeft(), box.bottomRight())
        painter.drawLine(box.bottomLeft(), box.topRight())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def value_rect(frame: Frame, at: Places, row: int, column: int) -> QRectF:
    """Where a value stands, in logical px."""
    view = frame.viewport
    x, y = view.columns.at(column) / view.ratio, view.rows.at(row) / view.ratio
    size = max(view.columns.scale, 1) / view.ratio, max(view.rows.scale, 1) / view.ratio
    return QRectF(at.room.left() + x, at.room.top() + y, *size)


def _borders(frame: Frame, every: int) -> list[int]:
    """The columns in view at which another block, or sub-block, of so many values begins."""
    view = frame.viewport
    if not every or not frame.block or view.columns.scale < BORDERS_FROM * view.ratio:
        return []
    start, stop = view.columns.window
    return list(range(-(-max(start, 1) // every) * every, stop, every))


def _paint_borders(painter: QPainter, frame: Frame, at: Places) -> None:
    """Blocks by lines of 3 px, what shares a scale inside of them by dashed ones."""
    covered, view = area(frame, at), frame.viewport
    dashed = QPen(QColor(frame.colors.text), 1.6)
    dashed.setDashPattern([3, 2.5])
    dashed.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(dashed)
    for column in _borders(frame, frame.sub):
        if column % frame.block:
            x = at.room.left() + view.columns.at(column) / view.ratio
            painter.drawLine(QPointF(x, covered.top()), QPointF(x, covered.bottom()))
    for column in _borders(frame, frame.block):
        x = at.room.left() + view.columns.at(column) / view.ratio
        painter.fillRect(QRectF(x - 1.5, covered.top(), 3, covered.height()), QColor(frame.colors.text))


def _name_blocks(painter: QPainter, frame: Frame, at: Places) -> None:
    """Above the borders: which block of the row ends and which begins there, where the words have room."""
    metrics = QFontMetricsF(frame.font)
    covered = area(frame, at)
    base = covered.top() - metrics.height() - 12
    borders = _borders(frame, frame.block)
    painter.setPen(QColor(frame.colors.text))
    for number, column in enumerate(borders):
        x = at.room.left() + frame.viewport.columns.at(column) / frame.viewport.ratio
        following = borders[number + 1] if number + 1 < len(borders) else None
        until = covered.right()
        if following is not None:
            until = at.room.left() + frame.viewport.columns.at(following) / frame.viewport.ratio
        words = f"block {count(column // frame.block)} from column {count(column)}"
        if x + metrics.horizontalAdvance(words) + 16 < until:
            painter.drawText(QPointF(x + 8, base), words)
        if number == 0:
            before = f"block {count(column // frame.block - 1)}"
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
