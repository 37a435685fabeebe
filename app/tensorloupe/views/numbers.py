"""The quiet column of numbers beside a picture, and the same numbers as running lines where the window is narrow.

Painted rather than built of labels: a selection changes twenty numbers at once, and they must stand in one frame with
equal-width digits. What it shows is there as text for screen readers, for the tooltip and for the clipboard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from tensorloupe.theme import SECONDARY, Theme

SECTION_GAP, ROW_GAP, FLOW_GAP = 14, 4, 16


@dataclass(frozen=True, slots=True)
class Number:
    """One row: label, value, and quieter words before or after the value.

    short  the label in running lines; None leaves the row out there
    exact  what is copied, where the value shown is rounded
    """

    label: str
    value: str
    before: str = ""
    after: str = ""
    short: str | None = None
    exact: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a title. `mark` stands at the right of the title with the status shape `shape` before it."""

    title: str
    rows: tuple[Number, ...]
    mark: str = ""
    shape: str = ""


class Numbers(QWidget):
    """Sections of numbers, as a column or (`flow`) as running lines."""

    def __init__(self, theme: Theme, name: str = "Numbers") -> None:
        super().__init__()
        self._theme = theme
        self._sections: tuple[Section, ...] = ()
        self._places: list[tuple[QRectF, Number]] = []
        self.flow = False
        self.setAccessibleName(name)
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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw all rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        self._arrange(painter, self.width())

    def _fonts(self) -> tuple[QFont, QFont, QFont]:
        plain, quiet, bold = QFont(self.font()), QFont(self.font()), QFont(self.font())
        for font in (plain, quiet):
            font.setFeature(QFont.Tag("tnum"), 1)
        quiet.setPointSizeF(max(quiet.pointSizeF(), 1) * SECONDARY)
        bold.setBold(True)
        return plain, quiet, bold

    def _arrange(self, painter: QPainter | None, width: int) -> float:
        """Lay the rows out, draw them where there is a painter, and say how high they are."""
        if painter is not None:
            self._places = []
        return self._lines(painter, width) if self.flow else self._column(painter, width)

    def _column(self, painter: QPainter | None, width: int) -> float:
        plain, quiet, bold = self._fonts()
        plain_m, quiet_m, bold_m = QFontMetricsF(plain), QFontMetricsF(quiet), QFontMetricsF(bold)
        text, secondary = (self._theme.color(name) for name in ("text", "secondary"))
        y = 0.0
        for number, section in enumerate(self._sections):
            y += SECTION_GAP if number else 0
            if section.title:
                if painter is not None:
                    self._draw(painter, bold, text, 0, y + bold_m.ascent(), section.title)
                    self._draw_mark(painter, section, plain, plain_m, width, y)
                y += bold_m.height() + ROW_GAP + 2
            for row in section.rows:
                if painter is not None:
                    base = y + plain_m.ascent()
                    right = width - (quiet_m.horizontalAdvance(" " + row.after) if row.after else 0)
                    if row.after:
                        self._draw(painter, quiet, secondary, right + quiet_m.horizontalAdvance(" "), base, row.after)
                    left = right - plain_m.horizontalAdvance(row.value)
                    self._draw(painter, plain, text, left, base, row.value)
                    if row.before:
                        left -= quiet_m.horizontalAdvance(row.before) + 5
                        self._draw(painter, quiet, secondary, left, base, row.before)
                    label = plain_m.elidedText(row.label, Qt.TextElideMode.ElideRight, max(left - 8, 0))
                    self._draw(painter, plain, secondary, 0, base, label)
                    self._places.append((QRectF(0, y, width, plain_m.height()), row))
                y += plain_m.height() + ROW_GAP
        return y

    def _draw_mark(
        self, painter: QPainter, section: Section, font: QFont, metrics: QFontMetricsF, width: int, y: float
    ) -> None:
        if not section.mark:
            return
        left = width - metrics.horizontalAdvance(section.mark)
        color = "ok" if section.shape == "ok" else "secondary"
        self._draw(painter, font, self._theme.color(color), left, y + metrics.ascent(), section.mark)
        if section.shape:
            self._theme.paint_status(painter, QRectF(left - 20, y + (metrics.height() - 14) / 2, 14, 14), section.shape)

    def _lines(self, painter: QPainter | None, width: int) -> float:
        plain, _, _ = self._fonts()
        metrics = QFontMetricsF(plain)
        x, y, line = 0.0, 0.0, metrics.height() + ROW_GAP
        for section in self._sections:
            if section.mark and section is self._sections[0]:
                if painter is not None:
                    color = "ok" if section.shape == "ok" else "secondary"
                    self._theme.paint_status(painter, QRectF(x, y + (metrics.height() - 14) / 2, 14, 14), section.shape)
                    self._draw(painter, plain, self._theme.color(color), x + 20, y + metrics.ascent(), section.mark)
                x += 20 + metrics.horizontalAdvance(section.mark) + FLOW_GAP
            for row in section.rows:
                if row.short is None:
                    continue
                value = " ".join(part for part in (row.value, row.after) if part)
                label = metrics.horizontalAdvance(row.short + " ") if row.short else 0.0
                full = label + metrics.horizontalAdvance(value)
                if x and x + full > width:
                    x, y = 0.0, y + line
                if painter is not None:
                    self._draw(painter, plain, self._theme.color("secondary"), x, y + metrics.ascent(), row.short)
                    self._draw(painter, plain, self._theme.color("text"), x + label, y + metrics.ascent(), value)
                    self._places.append((QRectF(x, y, full, metrics.height()), row))
                x += full + FLOW_GAP
        return y + line

    @staticmethod
    def _draw(painter: QPainter, font: QFont, color: QColor, x: float, y: float, text: str) -> None:
        painter.setFont(font)
        painter.setPen(color)
        painter.drawText(QPointF(x, y), text)

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
