"""What stands beside the heatmap: the value under the pointer, the whole tensor in small, what is in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from tensorloupe.readable import block_of, count_of
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.heat.cells import Picture, rule_words
from tensorloupe.views.heat.minimap import Minimap
from tensorloupe.views.heat.readout import Reading, ReadoutHead, view_section
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.numbers import Numbers
from tensorloupe.views.rows import Number, Section
from tensorloupe.views.side import NumbersSide

if TYPE_CHECKING:
    from tensorloupe.readable import Shown


class HeatSide(NumbersSide):
    """Column: read-out, map, what is in view. As lines: value and place, rows and columns in view."""

    def __init__(self, theme: Theme) -> None:
        self.head = ReadoutHead(theme)
        self.where = Numbers(theme, "Where the value under the pointer is stored")
        self.map = Minimap(theme)
        self.view = Numbers(theme, "What is in view")
        self.lines = Numbers(theme, "Value under the pointer, and what is in view")
        title = QLabel("Whole tensor")
        title.setTextFormat(Qt.TextFormat.PlainText)
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        self._caption = QLabel()
        self._caption.setWordWrap(True)
        self._caption.setTextFormat(Qt.TextFormat.PlainText)
        self._caption.setFont(theme.font(SECONDARY))
        self._caption.setForegroundRole(self._caption.palette().ColorRole.PlaceholderText)
        pointer, small = QWidget(), QWidget()
        for box, parts in ((pointer, (self.head, self.where)), (small, (title, self.map, self._caption))):
            inner = QVBoxLayout(box)
            inner.setContentsMargins(0, 0, 0, 0)
            inner.setSpacing(6)
            for part in parts:
                inner.addWidget(part)
        super().__init__(self.lines, (pointer, small, self.view))
        self._whole: Picture | None = None
        self._reading: Reading | None = None
        self._made: tuple[Number, ...] = ()
        self._in_view: Section | None = None

    def show_pictures(self, whole: Picture | None, view: Viewport | None) -> None:
        """The whole matrix in small, with what is in view."""
        self.map.show_view(view)
        if whole is not self._whole:
            self._whole = whole
            self.map.show_image(None if whole is None else whole.small)
        self._caption.setText("" if whole is None or view is None else _caption(whole, view.is_fitted))

    def show_reading(self, reading: Reading | None) -> None:
        """The value under the pointer."""
        self._reading = reading
        self.head.show_reading(reading)
        self._show_where()
        self._show_lines()

    def show_made(self, rows: tuple[Number, ...]) -> None:
        """How that value is made."""
        self._made = rows
        self._show_where()

    def _show_where(self) -> None:
        rows = () if self._reading is None else (*self._reading.rows, *self._made)
        self.where.show_sections((Section("", rows),) if rows else ())

    def show_view(self, picture: Picture | None, view: Viewport, tensor: Shown) -> None:
        """What is in view, and what was decoded for it."""
        shown = picture if picture is not None and picture.request.viewport == view else None
        block = block_of(tensor)
        self._in_view = view_section(shown, view, block, max(count_of(tensor) // max(block, 1), 1))
        self.view.show_sections((self._in_view,))
        self._show_lines()

    def show_nothing(self) -> None:
        """No matrix: no value, and nothing in view."""
        self._in_view = None
        self.view.show_sections(())
        self.show_pictures(None, None)
        self.show_reading(None)

    def _show_lines(self) -> None:
        if not self.lines.flow:
            return
        sections = [] if self._in_view is None else [self._in_view]
        if self._reading is not None:
            value = Number("value", self._reading.text, short="value", exact=self._reading.exact)
            rows = (value, *self._reading.rows[:2])
            sections = [Section("", rows), *sections]
        self.lines.show_sections(sections)

    def set_flow(self, flow: bool) -> None:
        """Be running lines, or a column."""
        super().set_flow(flow)
        self._show_lines()

    def flow_height(self, width: int) -> int:
        """Two lines, whatever the pointer is over: the picture must not jump."""
        line = self.lines.fontMetrics().height() + 4
        return max(2 * line, self.lines.heightForWidth(width))


def _caption(whole: Picture, all_in_view: bool) -> str:
    words = rule_words(whole)
    sample = f" ({whole.sampled})" if whole.sampled else ""
    parts = [f"One pixel: {words}{sample}." if words else "", "" if all_in_view else "Drag the frame to move the view."]
    return " ".join(part for part in parts if part)
