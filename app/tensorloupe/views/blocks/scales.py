"""The widget of the scales of a whole tensor: a block is framed, and a click goes to the one under the pointer."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen

import weightmap
from tensorloupe.plots.ring import RingedPicture
from tensorloupe.plots.ticks import index_step
from tensorloupe.style import text
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.blocks.scaling import ScalePicture


class Scales(RingedPicture):
    """The picture of all scales.

    chosen   ((row, column)) a click on a place: the row, and the column of the first element of a sub-block
    pointed  (words) what is under the pointer, empty for nothing
    """

    chosen = Signal(object)
    pointed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Scales of the whole tensor")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the grid of elements goes everywhere by keys
        self._picture: ScalePicture | None = None
        self._image: tuple[bool, QImage] | None = None
        self._block: weightmap.Block | None = None

    @property
    def picture(self) -> ScalePicture | None:
        """What is shown."""
        return self._picture

    def show_picture(self, picture: ScalePicture | None) -> None:
        """Show these scales."""
        self._picture, self._image = picture, None
        self.update()

    def show_block(self, block: weightmap.Block | None) -> None:
        """Put the frame around a block."""
        self._block = block
        self.update()

    def sizeHint(self) -> QSize:
        """As high as it may be."""
        return QSize(300, 320)

    def minimumSizeHint(self) -> QSize:
        """Still to be read."""
        return QSize(160, 140)

    # where things are

    def room(self) -> QRectF:
        """What the image covers."""
        metrics = QFontMetricsF(self._theme.font(SECONDARY))
        rows = 0 if self._picture is None else self._picture.rows
        left = metrics.horizontalAdvance(text.count(max(rows, 100))) + 10
        top = metrics.height() + 6
        return QRectF(left, top, max(self.width() - left - 4, 20), max(self.height() - top - 4, 20))

    def _cell_at(self, at: QPointF) -> tuple[int, int] | None:
        room, picture = self.room(), self._picture
        if picture is None or not room.contains(at):
            return None
        row = int((at.y() - room.top()) / room.height() * picture.rows)
        sub = int((at.x() - room.left()) / room.width() * picture.subs)
        return min(row, picture.rows - 1), min(sub, picture.subs - 1)

    # mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is under the pointer."""
        place, picture = self._cell_at(event.position()), self._picture
        self.setCursor(Qt.CursorShape.ArrowCursor if place is None else Qt.CursorShape.PointingHandCursor)
        self.pointed.emit("" if place is None or picture is None else _words(picture, *place))

    def leaveEvent(self, event: object) -> None:
        """Nothing is under the pointer any more."""
        self.pointed.emit("")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        place, picture = self._cell_at(event.position()), self._picture
        if place is not None and picture is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit((place[0], place[1] * picture.tensor.type.sub_elements))

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Image, axes, the frame of the block at hand."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("base"))
        picture, room = self._picture, self.room()
        painter.setFont(self._theme.font(SECONDARY))
        if picture is not None:
            if self._image is None or self._image[0] is not self._theme.dark:
                self._image = self._theme.dark, picture.image(self._theme.dark)
            image = self._image[1]
            smaller = image.width() > room.width() or image.height() > room.height()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smaller)
            painter.drawImage(room, image)
            self._paint_numbers(painter, picture, room)
        painter.setPen(self._theme.color("strong"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(room)
        if picture is not None and self._block is not None:
            self._paint_block(painter, picture, room)

    def _paint_numbers(self, painter: QPainter, picture: ScalePicture, room: QRectF) -> None:
        metrics = QFontMetricsF(painter.font())
        columns = picture.subs * picture.tensor.type.sub_elements
        painter.setPen(self._theme.color("secondary"))
        step = index_step(room.width() / columns, metrics.horizontalAdvance(text.count(columns)) + 20)
        for column in range(0, columns + 1, step):
            x = room.left() + column / columns * room.width()
            width = metrics.horizontalAdvance(text.count(column)) + 2
            box = QRectF(min(x - width / 2, self.width() - width), 0, width, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text.count(column))
            if column:
                painter.fillRect(QRectF(x, room.top() - 4, 1, 4), self._theme.color("strong"))
        step = index_step(room.height() / picture.rows, metrics.height() * 1.8)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row in range(0, picture.rows, step):
            y = room.top() + row / picture.rows * room.height()
            painter.drawText(QRectF(0, y - 10, room.left() - 6, 20), right, text.count(row))

    def _paint_block(self, painter: QPainter, picture: ScalePicture, room: QRectF) -> None:
        assert self._block is not None
        position, columns = self._block.position, picture.subs * picture.tensor.type.sub_elements
        if position[:-2] != picture.index:
            return
        row = position[-2] if len(position) > 1 else 0
        across, down = room.width() / columns, room.height() / picture.rows
        box = QRectF(
            room.left() + position[-1] * across,
            room.top() + row * down,
            self._block.type.elements * across,
            down,
        )
        grow = max(0.0, 6 - box.width()) / 2, max(0.0, 6 - box.height()) / 2
        box = box.adjusted(-grow[0], -grow[1], grow[0], grow[1])
        for color, width in (("base", 4), ("text", 2)):
            painter.setPen(QPen(self._theme.color(color), width))
            painter.drawRect(box)


def _words(picture: ScalePicture, row: int, sub: int) -> str:
    """What a place shows: the scale of one sub-block, or the largest of the cell's."""
    at = tuple(
        int(np.searchsorted(edges, place, side="right")) - 1
        for edges, place in ((picture.row_edges, row), (picture.column_edges, sub))
    )
    value = float(picture.cells[at])
    shown = "NaN or Inf" if picture.bad[at] else text.number(value)
    size = picture.tensor.type.sub_elements
    place = f"row {text.count(row)}, columns {text.count(sub * size)} – {text.count((sub + 1) * size - 1)}"
    many = int(np.diff(picture.row_edges)[at[0]] * np.diff(picture.column_edges)[at[1]])
    return f"{place}: {shown}" + (f", the largest of {text.count(many)}" if many > 1 else "")
