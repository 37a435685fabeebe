"""The quiet column of numbers beside a picture, and the same numbers as running lines where the window is narrow.

Painted rather than built of labels: a selection changes twenty numbers at once, and they must stand in one frame with
equal-width digits. What it shows is there as text for screen readers, for the tooltip and for the clipboard.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from tensorloupe.style import accessible
from tensorloupe.style.painting import safely
from tensorloupe.style.theme import Theme
from tensorloupe.views.rows import Number, Section, Type

SECTION_GAP, ROW_GAP, FLOW_GAP = 14, 4, 16


class Numbers(QWidget):
    """Sections of numbers, as a column or (`flow`) as running lines."""

    def __init__(self, theme: Theme, name: str = "Numbers") -> None:
        super().__init__()
        self._theme = theme
        self._sections: tuple[Section, ...] = ()
        self._places: list[tuple[QRectF, Number]] = []
        self._type = Type.of(self.font())
        self.flow = False
        accessible.speak_as(self, QAccessible.Role.StaticText, name)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_sections(self, sections: Sequence[Section]) -> None:
        """Show these numbers instead of the ones before."""
        sections = tuple(sections)
        if sections == self._sections:
            return
        resized = [len(s.rows) for s in sections] != [len(s.rows) for s in self._sections]
        self._sections = sections
        self.setAccessibleDescription(self.text())
        if resized or self.flow:
            self.updateGeometry()
        self.update()

    @property
    def sections(self) -> tuple[Section, ...]:
        """What is shown."""
        return self._sections

    def text(self) -> str:
        """All rows as tab-separated text, values in full."""
        return "\n".join(f"{row.label}\t{row.exact or row.value}" for s in self._sections for row in s.rows)

    def hasHeightForWidth(self) -> bool:
        """In running lines a narrower widget is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height that the numbers take."""
        return round(self._arrange(None, width))

    def sizeHint(self) -> QSize:
        """Wide enough for a column."""
        width = self.width() if self.flow else 250
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """No wider than it must be; the rows set the height."""
        return QSize(120, self.sizeHint().height())

    @safely
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw all rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        self._arrange(painter, self.width())

    def changeEvent(self, event: QEvent) -> None:
        """Another font: other sizes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._type = Type.of(self.font())
            self.updateGeometry()

    def _arrange(self, painter: QPainter | None, width: int) -> float:
        """Lay the rows out, draw them where there is a painter, and say how high they are."""
        if painter is not None:
            self._places = []
        return self._lines(painter, width) if self.flow else self._column(painter, width)

    def _column(self, painter: QPainter | None, width: int) -> float:
        kind, y = self._type, 0.0
        for number, section in enumerate(self._sections):
            y += SECTION_GAP if number else 0
            if section.title:
                if painter is not None:
                    painter.setFont(kind.bold)
                    painter.setPen(self._theme.color("text"))
                    painter.drawText(QPointF(0, y + kind.ascent), section.title)
                    self._draw_mark(painter, section, width - self._mark_width(section), y)
                y += kind.height + ROW_GAP + 2
            if painter is not None:
                self._draw_rows(painter, section.rows, y, width)
            y += len(section.rows) * (kind.height + ROW_GAP)
        return y

    def _draw_rows(self, painter: QPainter, rows: tuple[Number, ...], top: float, width: int) -> None:
        """Values and labels first, each in one pen and font, then the quieter words: every change costs."""
        kind, step = self._type, self._type.height + ROW_GAP
        lines = [QRectF(0, top + k * step, width, kind.height) for k in range(len(rows))]
        self._places += zip(lines, rows, strict=True)
        painter.setFont(kind.plain)
        painter.setPen(self._theme.color("text"))
        lefts = []
        for line, row in zip(lines, rows, strict=True):
            right = width - (kind.quiet_metrics.horizontalAdvance(" " + row.after) if row.after else 0)
            left = right - kind.metrics.horizontalAdvance(row.value)
            painter.drawText(QPointF(left, line.top() + kind.ascent), row.value)
            lefts.append(left - (kind.quiet_metrics.horizontalAdvance(row.before) + 5 if row.before else 0))
        painter.setPen(self._theme.color("secondary"))
        for line, row, left in zip(lines, rows, lefts, strict=True):
            label = kind.metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, max(left - 8, 0))
            painter.drawText(QPointF(0, line.top() + kind.ascent), label)
        painter.setFont(kind.quiet)
        for line, row, left in zip(lines, rows, lefts, strict=True):
            if row.before:
                painter.drawText(QPointF(left, line.top() + kind.ascent), row.before)
            if row.after:
                painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, row.after)

    def _mark_width(self, section: Section) -> float:
        return self._theme.scaled(20) + self._type.metrics.horizontalAdvance(section.mark) if section.mark else 0.0

    def _draw_mark(self, painter: QPainter, section: Section, left: float, y: float) -> None:
        if not section.mark:
            return
        if section.shape:
            side = self._theme.scaled(14)
            box = QRectF(left, y + (self._type.height - side) / 2, side, side)
            self._theme.paint_status(painter, box, section.shape)
        painter.setFont(self._type.plain)
        painter.setPen(self._theme.color("ok" if section.shape == "ok" else "secondary"))
        painter.drawText(QPointF(left + self._theme.scaled(20), y + self._type.ascent), section.mark)

    def _lines(self, painter: QPainter | None, width: int) -> float:
        kind = self._type
        x, y, step = 0.0, 0.0, kind.height + ROW_GAP
        secondary, text = self._theme.color("secondary"), self._theme.color("text")
        for section in self._sections:
            if section.mark and section is self._sections[0]:
                if painter is not None:
                    self._draw_mark(painter, section, x, y)
                x += self._mark_width(section) + FLOW_GAP
            if painter is not None:
                painter.setFont(kind.plain)
            for row in section.rows:
                if row.short is None:
                    continue
                value = " ".join(part for part in (row.value, row.after) if part)
                label = kind.metrics.horizontalAdvance(row.short + " ") if row.short else 0.0
                full = label + kind.metrics.horizontalAdvance(value)
                if x and x + full > width:
                    x, y = 0.0, y + step
                if painter is not None:
                    painter.setPen(secondary)
                    painter.drawText(QPointF(x, y + kind.ascent), row.short)
                    painter.setPen(text)
                    painter.drawText(QPointF(x + label, y + kind.ascent), value)
                    self._places.append((QRectF(x, y, full, kind.height), row))
                x += full + FLOW_GAP
        return y + step

    def _row_at(self, point: QPointF) -> Number | None:
        return next((row for rect, row in self._places if rect.contains(point)), None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the value under the pointer, and all of them, for the clipboard."""
        row = self._row_at(QPointF(event.pos()))
        menu = QMenu(self)
        clipboard = QGuiApplication.clipboard()
        if row is not None:
            value = row.exact or row.value
            menu.addAction("Copy value", lambda: clipboard.setText(value))
        menu.addAction("Copy all numbers", lambda: clipboard.setText(self.text()))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def event(self, event: QEvent) -> bool:
        """Show the exact value where the one on screen is rounded."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self._row_at(QPointF(event.pos()))
            if row is not None and row.exact and row.exact != row.value:
                QToolTip.showText(event.globalPos(), row.exact, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)
