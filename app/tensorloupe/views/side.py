"""What stands beside a picture: nothing but numbers, or numbers among other things."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tensorloupe.views.numbers import Numbers

MARGIN = 16


class NumbersSide(QWidget):
    """A column of widgets. As running lines only `lines` is left; where it is none of the widgets, it shows only then."""

    def __init__(self, lines: Numbers, widgets: tuple[QWidget, ...] = ()) -> None:
        super().__init__()
        self._lines = lines
        self._others = tuple(widget for widget in widgets if widget is not lines)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, MARGIN, 8)
        column.setSpacing(14)
        self._lines_only = bool(widgets) and lines not in widgets
        for widget in (*widgets, lines) if self._lines_only or not widgets else widgets:
            column.addWidget(widget)
        lines.setVisible(not self._lines_only)
        column.addStretch(1)
        column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._column = column

    def set_flow(self, flow: bool) -> None:
        """Be running lines, or a column."""
        self._lines.flow = flow
        self._column.setContentsMargins(0, 0, 0 if flow else MARGIN, 0 if flow else 8)
        for widget in self._others:
            widget.setVisible(not flow)
        self._lines.setVisible(flow or not self._lines_only)
        self._lines.updateGeometry()
        self._lines.update()

    def flow_height(self, width: int) -> int:
        """The height of the lines at a width."""
        return self._lines.heightForWidth(width)
