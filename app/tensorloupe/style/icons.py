"""The small line icons: own drawings in a box of 14 x 14, as SVG path data, stroked in whatever colour text has.

Drawn by QPainter, so that no SVG module is loaded at the start and a change of theme costs nothing. Only M, L, H, V, Z
and the cubic C are known, absolute ones, which is all that they need.
"""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

SIDE = 14

_SHAPES = {
    "search": "M9.4 9.4 L12.5 12.5 M10.3 6.2 C10.3 8.5 8.5 10.3 6.2 10.3 C3.9 10.3 2.1 8.5 2.1 6.2 "
    "C2.1 3.9 3.9 2.1 6.2 2.1 C8.5 2.1 10.3 3.9 10.3 6.2 Z",
    "cross": "M4 4 L10 10 M10 4 L4 10",
    "right": "M5 3.5 L8.5 7 L5 10.5",
    "down": "M3.5 5 L7 8.5 L10.5 5",
    "up": "M3.5 8.8 L7 5.3 L10.5 8.8",
    "left": "M9 3.5 L5.5 7 L9 10.5",
    "copy": "M4.7 4.7 H12 V12 H4.7 Z M2 9.3 V2 H9.3",
    "save": "M7 1.8 V8.8 M3.8 6 L7 9.2 L10.2 6 M1.8 10 V12.2 H12.2 V10",
    "reset": "M2.6 2.6 V5.6 H5.6 M2.9 5.4 C3.6 3.4 5.2 2.3 7.2 2.3 C9.8 2.3 11.8 4.3 11.8 6.9 "
    "C11.8 9.5 9.8 11.6 7.2 11.6 C5.1 11.6 3.4 10.4 2.7 8.6",
    "file": "M2.7 1.3 H8.5 L11.3 4.1 V12.7 H2.7 Z M8.3 1.5 V4.3 H11.1",
    "folder": "M1.3 3 H5.3 L6.8 4.6 H12.7 V11.6 H1.3 Z",
    "plus": "M7 2.8 V11.2 M2.8 7 H11.2",
    "minus": "M2.8 7 H11.2",
    "fit": "M2 5 V2 H5 M9 2 H12 V5 M12 9 V12 H9 M5 12 H2 V9",
    "drop": "M2.7 1.3 H8.5 L11.3 4.1 V12.7 H2.7 Z M8.3 1.5 V4.3 H11.1 M7 5.5 V10.3 M5 8.3 L7 10.3 L9 8.3",
}
_TOKEN = re.compile(r"[A-Z]|-?\d+(?:\.\d+)?")


@cache
def path(name: str) -> QPainterPath:
    """The drawing of that name, in a box of 14 x 14. KeyError for a name that is not drawn."""
    drawn, tokens = QPainterPath(), _TOKEN.findall(_SHAPES[name])
    at, command = 0, ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
            if command == "Z":
                drawn.closeSubpath()
                continue
        needed = {"H": 1, "V": 1, "C": 6}.get(command, 2)
        numbers = [float(token) for token in tokens[at : at + needed]]
        at += needed
        here = drawn.currentPosition()
        if command == "M":
            drawn.moveTo(QPointF(*numbers))
        elif command == "C":
            drawn.cubicTo(*(QPointF(numbers[i], numbers[i + 1]) for i in (0, 2, 4)))
        elif command == "H":
            drawn.lineTo(QPointF(numbers[0], here.y()))
        elif command == "V":
            drawn.lineTo(QPointF(here.x(), numbers[0]))
        else:
            drawn.lineTo(QPointF(*numbers))
    return drawn


def paint(
    painter: QPainter, name: str, x: float, y: float, color: QColor, size: float = SIDE, width: float = 1.4
) -> None:
    """Stroke an icon with its upper left corner at (x, y), `size` pixels wide."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(x, y)
    painter.scale(size / SIDE, size / SIDE)
    pen = QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap, Qt.PenJoinStyle.MiterJoin)
    painter.strokePath(path(name), pen)
    painter.restore()


def pixmap(name: str, color: QColor, size: int = SIDE, ratio: float = 1.0, width: float = 1.4) -> QPixmap:
    """The icon on a transparent ground, `size` logical pixels wide."""
    drawn = QPixmap(QSize(size, size) * ratio)
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    paint(painter, name, 0, 0, color, size, width)
    painter.end()
    return drawn


def icon(name: str, color: QColor, size: int = SIDE) -> QIcon:
    """The icon for buttons and menus, sharp at one and two times the size."""
    made = QIcon()
    for ratio in (1.0, 2.0):
        made.addPixmap(pixmap(name, color, size, ratio))
    return made
