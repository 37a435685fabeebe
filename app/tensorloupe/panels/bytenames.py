"""Names on the map of bytes: of tensors that are wide enough, else of the layer that they make up together."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from tensorloupe.items.bytemap import Stretches
from tensorloupe.items.outline import Outline
from tensorloupe.panels.axis import shade
from tensorloupe.style.colormaps import ink_on
from tensorloupe.style.colors import Colors
from tensorloupe.style.text import forth

LABEL = 20  # width from which on there may be room for a name
_ROOM = 6  # px on either side of a name


def write(painter: QPainter, rect: QRectF, name: str, ink: QColor, ground: QColor | None = None) -> bool:
    """Write a name where there is room for it, on a ground of its own if that is given; says whether there was."""
    width = painter.fontMetrics().horizontalAdvance(name)
    if rect.width() <= LABEL or width + 2 * _ROOM > rect.width():
        return False
    if ground is not None:
        centre = rect.center()
        painter.fillRect(QRectF(centre.x() - width / 2 - _ROOM, centre.y() - 10, width + 2 * _ROOM, 20), ground)
    painter.setPen(ink)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, forth(name))
    return True


def ink_of(colors: Colors, number: int) -> QColor:
    """What reads on a tensor's bar: neighbours have the series' colour and a paler one in turn."""
    return ink_on(QColor(colors.series if number % 2 else shade(colors.series, colors.base)))


def layers(
    map_: Stretches, outline: Outline, named: Collection[int], least: float
) -> Iterator[tuple[float, float, str, int]]:
    """(start, end, name, number for its colour) of each layer of which no tensor is `named` by itself, and which is longer
    than `least`: a name would have no room in it.
    """
    taken = {int(outline.group[number]) for number in named}
    for start, end, group in map_.runs(outline.group):
        if end - start <= least:
            continue
        at = map_.at(start)
        if group not in taken and at is not None:
            yield start, end, outline.groups[group], int(outline.place[int(map_.number[at])])
