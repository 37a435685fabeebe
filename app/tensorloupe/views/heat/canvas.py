"""The picture of a matrix as a widget: paints the frame it is given, and shows another place at once when told to.

It decodes nothing. A zoom or a drag shows the images at hand where they belong now; the view then asks for the fresh one.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent

from tensorloupe.plots.ring import DrawnPicture
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.heat.bar import paint_bar
from tensorloupe.views.heat.frame import Frame, Places, area, places, with_bar_beside
from tensorloupe.views.heat.paint import paint_matrix
from tensorloupe.views.heat.viewport import Viewport, closer, farther

CLOSE = 15  # px per value at which a value that was asked for is shown


class MatrixCanvas(DrawnPicture):
    """A matrix, or a part of it, with a pointer on one of its values.

    moved    (Viewport) the user went somewhere else
    pointed  ((row, column) or None) the pointer is over another value
    """

    moved = Signal(object)
    pointed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Heatmap")
        self._frame: Frame | None = None
        self.matrix_rows = 1

    @property
    def frame(self) -> Frame | None:
        """What is painted."""
        return self._frame

    def show_frame(self, frame: Frame | None) -> None:
        """Paint this from now on."""
        self._frame = frame
        if frame is None:
            self.setAccessibleDescription("")
        self.update()

    def places(self) -> Places:
        """Where the parts stand now."""
        at = places(self.width(), self.height(), self.matrix_rows, self._theme.font(SECONDARY))
        return at if self._frame is None else with_bar_beside(self._frame, at)

    def room(self) -> tuple[int, int, float]:
        """Height and width for the image in device px, and the device pixel ratio."""
        room, ratio = self.places().room, self.devicePixelRatioF()
        return int(room.height() * ratio), int(room.width() * ratio), ratio

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame, or empty axes."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("base"))
        at = self.places()
        if self._frame is None:
            painter.setPen(self._theme.color("strong"))
            painter.drawRect(at.room)
        else:
            paint_matrix(painter, self._frame, at)
            paint_bar(painter, self._frame, at)
        self.paint_ring(painter)

    # where the pointer is

    def inside(self, at: QPointF) -> QPointF:
        """A point of the widget as device px of the image."""
        room, ratio = self.places().room, self.devicePixelRatioF()
        return QPointF((at.x() - room.left()) * ratio, (at.y() - room.top()) * ratio)

    def value_at(self, at: QPointF) -> tuple[int, int] | None:
        """Row and column under a point of the widget."""
        if self._frame is None:
            return None
        place, view = self.inside(at), self._frame.viewport
        row, column = view.rows.value_at(place.y()), view.columns.value_at(place.x())
        return None if row is None or column is None else (row, column)

    def go(self, viewport: Viewport) -> None:
        """Show another part of the matrix at once, with the images at hand, and tell."""
        if self._frame is not None and viewport != self._frame.viewport:
            self.show_frame(replace(self._frame, viewport=viewport))
            self.moved.emit(viewport)

    def zoom(self, steps: int, around: QPointF | None = None) -> None:
        """Zoom by steps around a point of the widget, else around the pointer's value or the middle of the image."""
        if self._frame is None:
            return
        view = self._frame.viewport
        zoom = view.zoom
        for _ in range(abs(steps)):
            zoom = closer(zoom) if steps > 0 else farther(zoom)
        if around is not None:
            place = self.inside(around)
            x, y = min(max(place.x(), 0.0), view.columns.shown), min(max(place.y(), 0.0), view.rows.shown)
        elif self._frame.pointer is not None and self._in_view(self._frame.pointer):
            row, column = self._frame.pointer
            x, y = view.columns.at(column + 0.5), view.rows.at(row + 0.5)
        else:
            x, y = view.columns.shown / 2, view.rows.shown / 2
        self.go(view.zoomed(zoom, x, y))

    def _in_view(self, pointer: tuple[int, int]) -> bool:
        assert self._frame is not None
        view = self._frame.viewport
        (r0, r1), (c0, c1) = view.rows.window, view.columns.window
        return r0 <= pointer[0] < r1 and c0 <= pointer[1] < c1

    def fit(self) -> None:
        """The whole matrix."""
        if self._frame is not None:
            view = self._frame.viewport
            height, width, ratio = self.room()
            self.go(Viewport.fitted(view.rows.values, view.columns.values, height, width, ratio))

    def _point(self, place: tuple[int, int] | None) -> None:
        if self._frame is not None and place is not None and place != self._frame.pointer:
            self.show_frame(replace(self._frame, pointer=place))
            self.pointed.emit(place)

    def point_at(self, row: int, column: int, centre: bool = False) -> None:
        """Put the pointer on a value and bring it into view."""
        if self._frame is None:
            return
        self.go(self._frame.viewport.showing(row, column, centre))
        self._point((row, column))

    def visit(self, row: int, column: int) -> bool:
        """Show one value closely, in the middle, and point at it; says whether there is one."""
        if self._frame is None:
            return False
        view = self._frame.viewport
        if not (row < view.rows.values and column < view.columns.values):
            return False
        close = round(CLOSE * view.ratio)
        if min(view.rows.scale, view.columns.scale) < close:
            view = view.zoomed(close, 0, 0)
        self.go(view.showing(row, column, centre=True))
        self.point_at(row, column)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _step(self, rows: int, columns: int) -> None:
        """Move the pointer by so many values; by cells where a pixel stands for many."""
        assert self._frame is not None
        view = self._frame.viewport
        start = self._frame.pointer
        if start is None or not self._in_view(start):
            (r0, r1), (c0, c1) = view.rows.window, view.columns.window
            self.point_at((r0 + r1) // 2, (c0 + c1) // 2)
            return
        rows = rows if view.rows.scale >= 1 else round(rows / view.rows.scale)
        columns = columns if view.columns.scale >= 1 else round(columns / view.columns.scale)
        self.point_at(
            min(max(start[0] + rows, 0), view.rows.values - 1), min(max(start[1] + columns, 0), view.columns.values - 1)
        )

    def image_rect(self) -> QRectF:
        """What the image covers, in px of the widget."""
        return QRectF() if self._frame is None else area(self._frame, self.places())
