"""Paints the image of a matrix: its pictures, borders of blocks, crosses on what is not finite; the axes around it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen

from tensorloupe.views.heat.axes import paint_axes
from tensorloupe.views.heat.cells import Picture
from tensorloupe.views.heat.frame import Frame, Places, area, borders, value_rect
from tensorloupe.views.heat.viewport import Axis

CROSSES_FROM = 6  # px per value
SHARPER = 2  # pixels per px of an image inside an SVG


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
    paint_axes(painter, frame, at)


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


def _paint_borders(painter: QPainter, frame: Frame, at: Places) -> None:
    """Blocks by lines of 3 px, what shares a scale inside of them by dashed ones."""
    covered, view = area(frame, at), frame.viewport
    dashed = QPen(QColor(frame.colors.text), 1.6)
    dashed.setDashPattern([3, 2.5])
    dashed.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(dashed)
    for column in borders(frame, frame.sub):
        if column % frame.block:
            x = at.room.left() + view.columns.at(column) / view.ratio
            painter.drawLine(QPointF(x, covered.top()), QPointF(x, covered.bottom()))
    for column in borders(frame, frame.block):
        x = at.room.left() + view.columns.at(column) / view.ratio
        painter.fillRect(QRectF(x - 1.5, covered.top(), 3, covered.height()), QColor(frame.colors.text))
    for row in borders(frame, frame.tall, down=True):
        y = at.room.top() + view.rows.at(row) / view.ratio
        painter.fillRect(QRectF(covered.left(), y - 1.5, covered.width(), 3), QColor(frame.colors.text))
