"""The widget that shows a drawn histogram: paints the finished images and, on top of them, limits that can be dragged.

Moving a limit repaints two images with another clip and draws nothing anew. The limits snap to the edges of bins, so that
what lies outside is known at every moment of a drag.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)

from tensorloupe.plots.bins import Bins
from tensorloupe.plots.grips import Grip, Limits, moved, part_at
from tensorloupe.plots.layout import MARGIN, Rect
from tensorloupe.plots.overlay import paint_bin, paint_limits, paint_strip
from tensorloupe.plots.ring import DrawnPicture
from tensorloupe.plots.scene import HistogramImages
from tensorloupe.style.theme import Theme


class HistogramPicture(DrawnPicture):
    """The histogram. `limits` are the values between which bars are in full colour; None draws all of them so.

    limits_moved  (low, high) while a limit is being moved
    limits_set    (low, high, by the strip) when it is let go
    """

    limits_moved = Signal(float, float)
    limits_set = Signal(float, float, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Histogram")
        self._images: HistogramImages | None = None
        self.limits: tuple[float, float] | None = None
        self._held: Grip | None = None
        self._from = 0.0, (0.0, 0.0)
        self._hover: int | None = None

    @property
    def images(self) -> HistogramImages | None:
        """What is painted."""
        return self._images

    @property
    def held(self) -> bool:
        """Whether a limit is being dragged."""
        return self._held is not None

    def show_images(self, images: HistogramImages | None, limits: tuple[float, float] | None) -> None:
        """Paint this picture with these limits."""
        self._images = images
        if self._held is None:
            self.limits = limits
        self._hover = None
        self.update()

    # where things are

    def place(self, strip: bool) -> Rect | None:
        """The axes of the bars or of the strip in px of the widget as it is now."""
        if self._images is None:
            return None
        rect = self._images.layout.strip if strip else self._images.layout.main
        if rect is None:
            return None
        x, y = self.width() / self._images.look.width, self.height() / self._images.look.height
        return Rect(rect.left * x, rect.top * y, rect.width * x, rect.height * y)

    def _bins(self, strip: bool) -> Bins:
        assert self._images is not None
        return (self._images.scene.strip if strip else self._images.scene.bars).bins

    def position(self, value: float, strip: bool = False) -> float:
        """The x of a value in px, kept inside the axes."""
        rect = self.place(strip)
        assert rect is not None
        return rect.left + min(max(self._bins(strip).span.fraction(value), 0.0), 1.0) * rect.width

    def _grip_at(self, at: QPointF) -> Grip | None:
        if self.limits is None:
            return None
        for strip in (False, True):
            rect = self.place(strip)
            above = 0 if strip or self._images is None else self._images.layout.tag + 4
            if rect is None or not rect.top - above <= at.y() <= rect.bottom + 4:
                continue
            low, high = (self.position(limit, strip) for limit in self.limits)
            part = part_at(at.x(), low, high, band=strip)
            if part is not None:
                return Grip(part, strip)
        return None

    # mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a limit or of the band."""
        grip = self._grip_at(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        if grip is not None and self.limits is not None:
            self._held, self._from = grip, (event.position().x(), self.limits)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what is held; else say which bin the pointer is over."""
        if self._held is not None:
            self._drag(event.position().x())
            return
        grip = self._grip_at(event.position())
        cursor = Qt.CursorShape.ArrowCursor
        if grip is not None:
            cursor = Qt.CursorShape.OpenHandCursor if grip.part == "band" else Qt.CursorShape.SizeHorCursor
        self.setCursor(cursor)
        rect = self.place(False)
        hover = None
        if rect is not None and rect.left <= event.position().x() < rect.right and rect.top <= event.position().y():
            hover = int((event.position().x() - rect.left) / rect.width * self._bins(False).count)
            hover = hover if event.position().y() <= rect.bottom else None
        if hover != self._hover:
            self._hover = hover
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        if self._held is not None and self.limits is not None and event.button() == Qt.MouseButton.LeftButton:
            strip, self._held = self._held.strip, None
            self.update()
            if self.limits != self._from[1]:
                self.limits_set.emit(*self.limits, strip)

    def leaveEvent(self, event: object) -> None:
        """No bin is under the pointer any more."""
        self._hover = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move the upper limit by a bin, with Shift the lower one; Esc gives back a limit that is held."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if event.key() == Qt.Key.Key_Escape and self._held is not None:
            self._held, self.limits = None, self._from[1]
            self.limits_moved.emit(*self.limits)
            self.update()
        elif step is not None and self.limits is not None and self._images is not None:
            bins = self._bins(False)
            lower = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._move(moved("low" if lower else "high", self.limits, step / bins.count, bins))
            self.limits_set.emit(*self.limits, False)
        else:
            super().keyPressEvent(event)

    def _drag(self, x: float) -> None:
        assert self._held is not None
        rect = self.place(self._held.strip)
        if rect is not None and self._images is not None:
            start, limits = self._from
            self._move(moved(self._held.part, limits, (x - start) / rect.width, self._bins(self._held.strip)))

    def _move(self, limits: Limits) -> None:
        self.limits = limits
        self.limits_moved.emit(*limits)
        self.update()

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the images, then what moves."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("base"))
        if self._images is None:
            self._paint_frame(painter)
        else:
            self._paint_bars(painter, self._images)
        self.paint_ring(painter)

    def _paint_frame(self, painter: QPainter) -> None:
        """Empty axes, where nothing was drawn yet."""
        painter.setPen(self._theme.color("strong"))
        left, bottom = 60, self.height() - 48
        painter.drawLine(left, 48, left, bottom)
        painter.drawLine(left, bottom, self.width() - MARGIN, bottom)

    def _paint_bars(self, painter: QPainter, images: HistogramImages) -> None:
        fresh = (self.width(), self.height()) == (images.look.width, images.look.height)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not fresh)
        whole = QRectF(self.rect())
        if self.limits is None:
            painter.drawImage(whole, images.inside)
            return
        painter.drawImage(whole, images.outside)
        for strip in (True, False):
            rect = self.place(strip)
            if rect is None:
                continue
            low, high = (self.position(limit, strip) for limit in self.limits)
            left, right = (rect.left + place * rect.width for place in images.scene.within(self.limits, strip))
            band = QRectF(left, rect.top, right - left, rect.height)
            painter.save()
            painter.setClipRect(band)
            painter.drawImage(whole, images.inside)
            painter.restore()
            if strip:
                paint_strip(painter, self._theme, rect, low, high)
            else:
                paint_limits(painter, self._theme, rect, images.layout.tag, (low, high), self.limits, self.width())
        rect = self.place(False)
        if self._hover is not None and rect is not None and self._held is None:
            paint_bin(painter, self._theme, rect, images.layout, images.scene.bars, self._hover)
