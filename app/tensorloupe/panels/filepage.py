"""The page of the whole file: what is wrong in one strip, the state of its four parts, the map of its bytes, its types."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from tensorloupe.items.bytemap import MISSING
from tensorloupe.items.fileparts import PartState
from tensorloupe.items.summary import Summary
from tensorloupe.items.types import TypesTable
from tensorloupe.opening.contents import Contents
from tensorloupe.panels.bytemap import ByteMap
from tensorloupe.panels.typestable import types_view
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.widgets.controls import Ground, PlainLabel, Rule, StatusMark
from tensorloupe.widgets.legend import Legend
from tensorloupe.widgets.strip import Strip


class FilePage(QScrollArea):
    """Tells which tensor was clicked on the map. `report_wanted` asks for the findings as text."""

    tensor_clicked = Signal(int)
    report_wanted = Signal()
    map_refreshed = Signal()  # the tensors may have other states

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.strip = Strip(theme, closable=False)
        self.states = [_State(theme) for _ in range(4)]
        self.map = ByteMap(theme)
        self.enlarged = ByteMap(theme, axis=False)
        self.map.tensor_clicked.connect(self.tensor_clicked)
        self.enlarged.tensor_clicked.connect(self.tensor_clicked)
        self.legend = Legend(theme)
        self._enlarged_title = PlainLabel(theme, "secondary", SECONDARY)
        self.types = TypesTable(self)
        self.types_view = types_view(theme, self.types)
        self.empty = PlainLabel(theme, "secondary")
        page = _Page(theme, "base")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self._states_row(theme))
        column.addWidget(Rule(theme))
        column.addLayout(self._body(theme))
        column.addStretch(1)
        self.setWidget(page)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("The whole file")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 160)

    def show_contents(self, contents: Contents) -> None:
        """Show another file."""
        summary = contents.summary
        self.map.show_map(contents.stretches, contents.outline)
        self.refresh_map()
        self.types.show_rows(summary.types)
        self.types_view.fit(self.types.damaged)
        self.types_view.setVisible(bool(summary.types))
        self.empty.set_text(summary.nothing)
        self.empty.setVisible(not summary.types)
        self._enlarge(contents)
        self.show_summary(summary)

    def refresh_map(self) -> None:
        """Show the states that the tensors have by now."""
        self.legend.show_kinds(self.map.kinds())
        self.map.update()
        self.enlarged.update()
        self.map_refreshed.emit()

    def add_below(self, part: QWidget) -> None:
        """Put another part of the page under the table of types."""
        self._body_column.addWidget(part)

    def show_summary(self, summary: Summary) -> None:
        """Show what is known about the file by now."""
        self.strip.hide()
        if summary.trouble is not None:
            trouble = summary.trouble
            copy = (("Copy report", self.report_wanted.emit),)
            self.strip.say(trouble.status, trouble.sentence, trouble.consequence, copy)
        self.map.show_begins(summary.begins)
        if not self.enlarged.isHidden():
            self.enlarged.show_begins(summary.begins)
        for widget, state in zip(self.states, summary.parts, strict=True):
            widget.show_state(state)

    def _enlarge(self, contents: Contents) -> None:
        """Where a file breaks off inside a group, show that group larger: what of it is left."""
        map_, outline = contents.stretches, contents.outline
        cut = [int(n) for n in map_.number[map_.kind == MISSING]]
        group = int(outline.group[cut[0]]) if cut else -1
        self.enlarged.setVisible(group >= 0)
        self._enlarged_title.setVisible(group >= 0)
        if group < 0:
            return
        own = [row for row, n in enumerate(map_.number.tolist()) if n >= 0 and outline.group[n] == group]
        self._enlarged_title.set_text(f"{outline.groups[group]}, enlarged")
        self.enlarged.show_map(map_, outline, float(map_.start[own].min()), float(map_.end[own].max()))

    def _states_row(self, theme: Theme) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for position, state in enumerate(self.states):
            if position:
                row.addWidget(Rule(theme, vertical=True))
            row.addWidget(state, 1)
        return holder

    def _body(self, theme: Theme) -> QVBoxLayout:
        title = PlainLabel(theme, bold=True)
        title.set_text("Bytes of the file")
        body = QVBoxLayout()
        body.setContentsMargins(16, 14, 16, 16)
        body.setSpacing(8)
        body.addWidget(title)
        body.addWidget(self.legend)
        body.addWidget(self.map)
        body.addWidget(self._enlarged_title)
        body.addWidget(self.enlarged)
        body.addSpacing(6)
        body.addWidget(self.types_view)
        body.addWidget(self.empty)
        self._body_column = body
        return body


class _Page(Ground):
    """As high as its parts are at its width: what they would need as narrow as they can be is no reason to scroll."""

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)


class _State(QWidget):
    """Shape, title, sentence: one of the four parts of a file."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.mark = StatusMark(theme)
        self.title = PlainLabel(theme, bold=True)
        self.said = PlainLabel(theme, "secondary", SECONDARY)
        self.said.setWordWrap(True)
        self.said.setMinimumWidth(60)
        self.said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.said)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 10, 8)
        row.setSpacing(8)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    def show_state(self, state: PartState) -> None:
        self.mark.set_status(state.status)
        self.title.set_text(state.title)
        self.said.set_text(state.said)
        self.setAccessibleName(f"{state.title}: {state.said}")
