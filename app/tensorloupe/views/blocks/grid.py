"""The elements of a block as a grid: codes or values in cells coloured by value, one of them under the cursor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy

import weightmap
from tensorloupe.plots.ring import RingedPicture
from tensorloupe.style import text
from tensorloupe.style.colormaps import black_reads
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.blocks.tints import shown_values, tints
from tensorloupe.views.blocks.words import code_texts, significant

PER_ROW = 32, 16, 8, 4
SHOWN = "codes", "values", "reference", "errors"
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class ElementGrid(RingedPicture):
    """The cells of one block.

    chosen   (element) the cursor went to another element of this block
    left     (blocks, element) it went out of the block: so many blocks on, to that element
    """

    chosen = Signal(int)
    left = Signal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Elements of the block")
        self._block: weightmap.Block | None = None
        self._texts: list[str] = []
        self._colors = np.zeros((0, 3), np.uint8)
        self._dark = False
        self._widest = 20.0
        self.shown = "codes"
        self._reference: NDArray[np.float64] | None = None
        self.element = 0
        self._measure()
        self.setMouseTracking(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_block(
        self, block: weightmap.Block | None, element: int = 0, reference: NDArray[np.float64] | None = None
    ) -> None:
        """Show another block, with the cursor on one of its elements, and what the reference has in their places."""
        self._block, self.element, self._reference = block, element, reference
        self._prepare()

    def show_what(self, shown: str) -> None:
        """Write into the cells one of SHOWN; without a reference there are codes and values only."""
        self.shown = shown
        self._prepare()

    def show_element(self, element: int) -> None:
        """Put the cursor on another element."""
        self.element = element
        self.update()

    def _prepare(self) -> None:
        block = self._block
        if block is None:
            self._texts, self._colors = [], np.zeros((0, 3), np.uint8)
        else:
            values = shown_values(block, self._reference, self.shown)
            self._dark = self._theme.dark
            self._colors = tints(values, self._dark)
            self._texts = [significant(float(v), 3) for v in values] if self.shown != "codes" else code_texts(block)[0]
        metrics = QFontMetricsF(self._fixed())
        self._widest = max((metrics.horizontalAdvance(t) for t in set(self._texts)), default=20.0) + 6
        self._place()
        self.updateGeometry()
        self.update()

    # where things are

    @property
    def span(self) -> int:
        """Elements that share a text."""
        return self._block.type.code_elements if self._block is not None and self.shown == "codes" else 1

    def _measure(self) -> None:
        """What the fonts take: the numbers of rows and of columns, and a row of cells."""
        quiet = QFontMetricsF(self._theme.font(SECONDARY))
        self._label, self._head = quiet.horizontalAdvance("0000") + 8, quiet.height() + 2
        self._row = max(20.0, QFontMetricsF(self.font()).height() + 4)
        self._place()

    def _place(self) -> None:
        self.per_row = self._per_row(self.width())
        self._cell = min((self.width() - self._label) / self.per_row, 30.0 if self.shown == "codes" else 74.0)

    def _per_row(self, width: int) -> int:
        """Elements in a row: as many as have room."""
        room = width - self._label
        fitting = [n for n in PER_ROW if n * max(self._widest / self.span, 12.0) <= room]
        count = 1 if self._block is None else self._block.type.elements
        return min(fitting[0] if fitting else PER_ROW[-1], count)

    def rect_of(self, element: int) -> QRectF:
        """The cell of an element."""
        row, column = divmod(element, self.per_row)
        return QRectF(self._label + column * self._cell, self._head + row * self._row, self._cell, self._row)

    def element_at(self, at: QPointF) -> int | None:
        """The element under a point."""
        if self._block is None or at.y() < self._head or at.x() < self._label:
            return None
        column, row = int((at.x() - self._label) / self._cell), int((at.y() - self._head) / self._row)
        element = row * self.per_row + column
        return element if column < self.per_row and element < self._block.type.elements else None

    def hasHeightForWidth(self) -> bool:
        """A narrower grid is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all rows."""
        count = 32 if self._block is None else self._block.type.elements
        return round(self._head + -(-count // self._per_row(width)) * self._row) + 2

    def sizeHint(self) -> QSize:
        """All rows."""
        return QSize(640, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        """All rows, in any width."""
        return QSize(200, self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need another height."""
        super().resizeEvent(event)
        self._place()
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Another font: other sizes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()

    # mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the cursor there."""
        element = self.element_at(event.position())
        if element is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(element)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go from element to element, over the ends into the next block; Page Up and Down from block to block."""
        key, block = Qt.Key(event.key()), self._block
        if block is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
            return
        last = block.type.elements - 1
        if key in STEPS:
            self._go(self.element + STEPS[key])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._go(self.element + (self.per_row if key == Qt.Key.Key_Down else -self.per_row))
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.left.emit(1 if key == Qt.Key.Key_PageDown else -1, self.element)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go(last if key == Qt.Key.Key_End else 0)
        else:
            super().keyPressEvent(event)

    def _go(self, element: int) -> None:
        assert self._block is not None
        count = self._block.type.elements
        if 0 <= element < count:
            if element != self.element:
                self.chosen.emit(element)
        else:
            self.left.emit(1 if element >= count else -1, element % count)

    # painting

    def _fixed(self) -> QFont:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self._theme.font(SECONDARY).pointSizeF())
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        """Column numbers, row numbers, cells, the cursor."""
        if self._block is not None and self._dark is not self._theme.dark:
            self._prepare()
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("base"))
        if self._block is not None:
            self._paint_numbers(painter)
            self._paint_cells(painter)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            box = self.rect_of(self.element)
            painter.setPen(QPen(self._theme.color("base"), 4))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
            painter.setPen(QPen(self._theme.color("text"), 2))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        self.paint_ring(painter)

    def _paint_numbers(self, painter: QPainter) -> None:
        assert self._block is not None
        painter.setFont(self._theme.font(SECONDARY))
        painter.setPen(self._theme.color("secondary"))
        per_row, cell, middle = self.per_row, self._cell, Qt.AlignmentFlag.AlignCenter
        every = max(4, self.span) if cell < 40 else 1
        for column in range(0, per_row, every):
            painter.drawText(QRectF(self._label + column * cell - 10, 0, cell + 20, self._head), middle, str(column))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row in range(-(-self._block.type.elements // per_row)):
            box = QRectF(0, self._head + row * self._row, self._label - 8, self._row)
            painter.drawText(box, right, text.count(row * per_row))

    def _paint_cells(self, painter: QPainter) -> None:
        assert self._block is not None
        for element, color in enumerate(self._colors.tolist()):
            painter.fillRect(self.rect_of(element).adjusted(0, 0, 0.5, 0.5), QColor(*color))
        painter.setFont(self._fixed())
        bright = black_reads(self._colors)
        for ink, wanted in ((Qt.GlobalColor.black, True), (Qt.GlobalColor.white, False)):
            painter.setPen(ink)
            for number, shown in enumerate(self._texts):
                element = number * self.span
                if bool(bright[element]) is wanted:
                    box = self.rect_of(element)
                    box.setWidth(box.width() * self.span)
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)
        if self.span > 1:  # what shares a code is held together
            painter.setPen(QPen(self._theme.color("strong"), 1))
            for number in range(len(self._texts)):
                box = self.rect_of(number * self.span)
                painter.drawLine(box.topLeft(), box.bottomLeft())
