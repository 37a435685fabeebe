"""The whole matrix in small, with a frame around what is in view that can be dragged."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tensorloupe.style import accessible
from tensorloupe.style.painting import safely
from tensorloupe.style.theme import Theme
from tensorloupe.views.heat.viewport import STRIP, Viewport

HEIGHTS = 56, 170


class Minimap(QWidget):
    """`went` gives the (row, column) that the middle of the view should show."""

    went = Signal(object, object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._image: QImage | None = None
        self._view: Viewport | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        accessible.speak_as(self, QAccessible.Role.Graphic, "Whole tensor in small: drag the frame to move the view")
        self.setCursor(Qt.CursorShape.CrossCursor)

    def show_image(self, image: QImage | None) -> None:
        """The whole matrix."""
        self._image = image
        self.update()

    def show_view(self, view: Viewport | None) -> None:
        """Frame what is in view."""
        reshaped = view is None or self._view is None or self._ratio(view) != self._ratio(self._view)
        self._view = view
        if reshaped:
            self.updateGeometry()
        self.update()

    @staticmethod
    def _ratio(view: Viewport) -> float:
        return view.rows.values / max(view.columns.values, 1)

    def sizeHint(self) -> QSize:
        """As high as the matrix is for its width, within reason."""
        ratio = 0.6 if self._view is None else self._ratio(self._view)
        return QSize(250, round(min(max(250 * ratio, HEIGHTS[0]), HEIGHTS[1])))

    def minimumSizeHint(self) -> QSize:
        """The same height at any width."""
        return QSize(80, self.sizeHint().height())

    def image_width(self) -> float:
        """Px across that the matrix takes: as its shape is, unless that is a strip too narrow to see anything in."""
        ratio = 0.0 if self._view is None else self._ratio(self._view)
        wide = self.height() / ratio if ratio else float(self.width())
        return wide if STRIP <= wide < self.width() else float(self.width())

    def view_rect(self) -> QRectF:
        """The frame around what is in view, in px."""
        assert self._view is not None
        (r0, r1), (c0, c1) = self._view.rows.window, self._view.columns.window
        across = (self.image_width() - 2) / max(self._view.columns.values, 1)
        down = (self.height() - 2) / max(self._view.rows.values, 1)
        return QRectF(1 + c0 * across, 1 + r0 * down, (c1 - c0) * across, (r1 - r0) * down)

    @safely
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint image and frame."""
        painter = QPainter(self)
        whole = QRectF(0, 0, self.image_width(), self.height()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self._image is not None:
            smaller = self._image.width() > whole.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smaller)
            painter.drawImage(whole, self._image)
        painter.setPen(self._theme.color("strong"))
        painter.drawRect(whole)
        if self._view is None or self._view.is_fitted:
            return
        box = self.view_rect()
        grow = max(0.0, 8 - box.width()) / 2, max(0.0, 8 - box.height()) / 2
        box = box.adjusted(-grow[0], -grow[1], grow[0], grow[1]).intersected(whole.adjusted(1, 1, -1, -1))
        for color, width in (("base", 5.0), ("text", 2.0)):
            pen = QPen(QColor(self._theme.color(color)), width)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(box)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer while a button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, at: QPointF) -> None:
        if self._view is None or self._view.is_fitted:
            return
        row = int(at.y() / max(self.height(), 1) * self._view.rows.values)
        column = int(at.x() / max(self.image_width(), 1) * self._view.columns.values)
        row = min(max(row, 0), self._view.rows.values - 1)
        self.went.emit(row, min(max(column, 0), self._view.columns.values - 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys belong to the picture."""
        event.ignore()
