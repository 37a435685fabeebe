"""One painter for the status shapes of tree, tables, strips and status bar: a shape first, a colour second.

Red and green differ little to many eyes, so the silhouettes carry the meaning: open tick, disc, triangle, octagon, dashed
ring, ring with an arc, two bars.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from tensorloupe.style.colors import Colors

SIDE = 14.0  # the box that the shapes are drawn in, scaled to the rectangle given

WORDS = {
    "ok": "no problems",
    "info": "worth knowing",
    "warning": "warning",
    "error": "error",
    "unchecked": "not checked",
    "running": "being checked",
    "identical": "identical",
}

# the colours, by name, in which the words beside a shape are written
TONES = {"warning": "warning_text", "running": "secondary", "unchecked": "secondary", "identical": "secondary"}


def paint_status(painter: QPainter, rect: QRectF, status: str, colors: Colors, ground: str | None = None) -> None:
    """Draw the shape of a status as a square centred in `rect`; `ground` is the colour of marks inside filled shapes."""
    side = min(rect.width(), rect.height())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.center().x() - side / 2, rect.center().y() - side / 2)
    painter.scale(side / SIDE, side / SIDE)
    inside = QColor(ground or colors.base)
    if status == "ok":
        _stroke(painter, colors.ok, 2.0, [(2, 7.4), (5.6, 11), (12.2, 3.4)])
    elif status == "info":
        _fill(painter, colors.info).drawEllipse(QRectF(1, 1, 12, 12))
        painter.setBrush(inside)
        painter.drawEllipse(QRectF(6.1, 3.2, 1.8, 1.8))
        painter.drawRect(QRectF(6.2, 6.1, 1.6, 4.7))
    elif status == "warning":
        _fill(painter, colors.warning).drawPath(_triangle())
        painter.setBrush(inside)
        painter.drawRect(QRectF(6.25, 4.9, 1.5, 4.0))
        painter.drawRect(QRectF(6.25, 9.9, 1.5, 1.5))
    elif status == "error":
        _fill(painter, colors.error).drawPolygon(_octagon())
        pen = QPen(inside, 1.6)
        painter.setPen(pen)
        painter.drawLine(QPointF(4.8, 4.8), QPointF(9.2, 9.2))
        painter.drawLine(QPointF(9.2, 4.8), QPointF(4.8, 9.2))
    elif status == "running":
        _ring(painter, colors.strong, None)
        painter.setPen(QPen(QColor(colors.info), 1.8))
        painter.drawArc(QRectF(2, 2, 10, 10), 90 * 16, -90 * 16)
    elif status == "identical":
        _stroke(painter, colors.secondary, 1.6, [(2.5, 5), (11.5, 5)])
        _stroke(painter, colors.secondary, 1.6, [(2.5, 9), (11.5, 9)])
    else:
        _ring(painter, colors.unchecked, [1.6, 1.55])
    painter.restore()


def status_pixmap(
    status: str, colors: Colors, size: int = 14, ratio: float = 1.0, ground: str | None = None
) -> QPixmap:
    """The shape on a transparent ground, `size` logical pixels wide at the device pixel ratio given."""
    pixmap = QPixmap(QSize(size, size) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_status(painter, QRectF(0, 0, size, size), status, colors, ground)
    painter.end()
    return pixmap


def status_icon(status: str, colors: Colors, size: int = 14) -> QIcon:
    """The shape as an icon for buttons and menus, sharp at one and two times the size."""
    icon = QIcon()
    for ratio in (1.0, 2.0):
        icon.addPixmap(status_pixmap(status, colors, size, ratio))
    return icon


def _stroke(painter: QPainter, color: str, width: float, points: list[tuple[float, float]]) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(
        QPen(QColor(color), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap, Qt.PenJoinStyle.MiterJoin)
    )
    painter.drawPolyline([QPointF(x, y) for x, y in points])


def _fill(painter: QPainter, color: str) -> QPainter:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    return painter


def _ring(painter: QPainter, color: str, dashes: list[float] | None) -> None:
    pen = QPen(QColor(color), 1.5)
    if dashes:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern(dashes)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QRectF(2, 2, 10, 10))


def _triangle() -> QPainterPath:
    path = QPainterPath(QPointF(7, 1.2))
    path.lineTo(13.4, 12.8)
    path.lineTo(0.6, 12.8)
    path.closeSubpath()
    return path


def _octagon() -> QPolygonF:
    angles = (math.pi / 8 + k * math.pi / 4 for k in range(8))
    return QPolygonF([QPointF(7 + 6.6 * math.cos(a), 7 + 6.6 * math.sin(a)) for a in angles])
