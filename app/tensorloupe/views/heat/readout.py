"""What is known of the value under the pointer, and of what is in view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QAccessible, QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

import weightmap
from tensorloupe.style import accessible
from tensorloupe.style.colormaps import NAN
from tensorloupe.style.painting import safely
from tensorloupe.style.text import count, counted, number
from tensorloupe.style.theme import READOUT, Theme
from tensorloupe.views.exact import copied, shown
from tensorloupe.views.heat.cells import Picture, color_in, rule_words
from tensorloupe.views.heat.matrix import index_of
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.rows import Number, Section


@dataclass(frozen=True, slots=True)
class Reading:
    """The value under the pointer: as text, exactly, its colour, and rows that say where it is stored."""

    text: str
    exact: str
    color: tuple[int, int, int]
    rows: tuple[Number, ...]


def reading(picture: Picture, row: int, column: int) -> Reading | None:
    """What the picture knows of a place, None where it does not show it."""
    at = picture.cell(row, column)
    if at is None:
        return None
    value = picture.values[at]
    bad = bool(picture.bad[at])
    color = NAN if bad else color_in(picture, float(value))
    if picture.stored is not None:
        stored = picture.stored[at]
        return Reading(shown(stored), copied(stored), color, _where(picture, row, column))
    (r0, r1), (c0, c1) = (
        (int(edges[i]), int(edges[i + 1]) - 1)
        for edges, i in zip((picture.row_edges, picture.column_edges), at, strict=True)
    )
    rows = [
        Number("rows", _range(r0, r1), short="rows"),
        Number("columns", _range(c0, c1), short="columns"),
        Number("one pixel", _rule(picture, (r1 - r0 + 1) * (c1 - c0 + 1)), short=""),
    ]
    if bad:
        rows.append(Number("among them", "NaN or Inf", short=""))
    text = number(float(value), 6) if np.isfinite(value) else "NaN or Inf"
    return Reading(text, copied(value), color, tuple(rows))


def _range(first: int, last: int) -> str:
    return count(first) if first == last else f"{count(first)} – {count(last)}"


def _rule(picture: Picture, values: int) -> str:
    words = {"max_abs": "largest", "mean": "mean", "rms": "rms"}[picture.request.rule]
    return f"{words} of {counted(values, 'value')}"


def _where(picture: Picture, row: int, column: int) -> tuple[Number, ...]:
    """Where a value is stored: its place, block and bytes."""
    tensor = picture.request.tensor
    if isinstance(tensor, weightmap.PairValues):
        return ()  # a pair is stored in two places
    index = index_of(tensor.shape, picture.request.index, row, column)
    rows = []
    if len(index) > 2:
        rows.append(Number("slice", ", ".join(count(i) for i in index[:-2]), short="slice"))
    place = f"{count(row)}, {count(column)}" if len(index) >= 2 else count(column)
    rows.append(Number("row, column" if len(index) >= 2 else "index", place, short="at"))
    if not isinstance(tensor, weightmap.Tensor):
        return tuple(rows)  # what it is made of lies in several places
    kind = tensor.type
    block, offset = tensor.locate(index)
    if kind.elements > 1:
        flat = 0
        for i, n in zip(index, tensor.shape, strict=True):
            flat = flat * n + i
        rows.append(Number("block", count(block), after=f"of {count(tensor.count // kind.elements)}", short="block"))
        inside = flat % kind.elements
        rows.append(Number("value in the block", count(inside), after=f"of {count(kind.elements)}"))
        if kind.groups > 1:
            sub, element = divmod(inside, kind.sub_elements)
            rows.append(Number("sub-block, element", f"{count(sub)}, {count(element)}"))
        rows.append(Number("block at byte", count(offset), short="at byte", exact=str(offset)))
    else:
        rows.append(Number("byte offset", count(offset), short="at byte", exact=str(offset)))
    return tuple(rows)


def view_section(picture: Picture | None, view: Viewport, block: int, blocks: int) -> Section:
    """Which rows and columns are in view, and how much was decoded for them."""
    (r0, r1), (c0, c1) = view.rows.window, view.columns.window
    rows = [
        Number("rows", _range(r0, max(r1 - 1, r0)), short="rows"),
        Number("columns", _range(c0, max(c1 - 1, c0)), short="columns"),
    ]
    if picture is not None and picture.sampled is None:
        touched = (r1 - r0) * (-(-c1 // block) - c0 // block) if block > 1 else (r1 - r0) * (c1 - c0)
        what = counted(touched, "block" if block > 1 else "value")
        rows.append(Number("decoded", what, after=f"of {count(blocks)}"))
    if picture is not None and not picture.elements:
        rows.append(Number("one pixel", rule_words(picture).removeprefix("the "), short="one pixel:"))
    mark, shape = ("exact", "ok") if picture is not None and picture.sampled is None else ("", "")
    if picture is not None and picture.sampled is not None:
        mark = picture.sampled
    return Section("In view", tuple(rows), mark=mark, shape=shape)


class ReadoutHead(QWidget):
    """The value under the pointer in large digits, with a swatch of its colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._reading: Reading | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        accessible.speak_as(self, QAccessible.Role.StaticText, "Value under the pointer")

    def show_reading(self, reading: Reading | None) -> None:
        """Show this value, or that there is none."""
        self._reading = reading
        self.setAccessibleDescription("" if reading is None else reading.text)
        self.update()

    def sizeHint(self) -> QSize:
        """A title and a large line."""
        return QSize(
            250, round(QFontMetricsF(self.font()).height() + QFontMetricsF(self._theme.font(READOUT)).height() + 6)
        )

    def minimumSizeHint(self) -> QSize:
        """The same height."""
        return QSize(80, self.sizeHint().height())

    @safely
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title, value and swatch."""
        painter = QPainter(self)
        bold = QFont(self.font())
        bold.setBold(True)
        title = QFontMetricsF(bold)
        painter.setFont(bold)
        painter.setPen(self._theme.color("text"))
        painter.drawText(QPointF(0, title.ascent()), "Under the pointer")
        if self._reading is None:
            painter.setFont(self.font())
            painter.setPen(self._theme.color("secondary"))
            painter.drawText(QPointF(0, title.height() + 6 + title.ascent() + 6), "Point at a value.")
            return
        large = self._theme.font(READOUT, bold=True)
        while QFontMetricsF(large).horizontalAdvance(self._reading.text) > self.width() - 32 and large.pointSizeF() > 7:
            large.setPointSizeF(large.pointSizeF() - 0.5)
        metrics = QFontMetricsF(large)
        painter.setFont(large)
        base = title.height() + 6 + QFontMetricsF(self._theme.font(READOUT)).ascent()
        painter.drawText(QPointF(0, base), self._reading.text)
        side = 17.0
        box = QRectF(
            metrics.horizontalAdvance(self._reading.text) + 12, base - metrics.ascent() / 2 - side / 2 + 2, side, side
        )
        painter.fillRect(box, QColor(*self._reading.color))
        painter.setPen(self._theme.color("strong"))
        painter.drawRect(box)
