"""Findings: the list on the left, and on the right what the current one says: what, where, expected, found, what to do."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QScrollArea, QStackedWidget, QWidget

import weightmap
from tensorloupe.items.findings import CODE, WHAT, WHERE, FindingsTable, lines, where
from tensorloupe.style import text
from tensorloupe.style.status import TONES, WORDS
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Ground, PlainLabel, Rule, StatusMark
from tensorloupe.widgets.delegate import MARK
from tensorloupe.widgets.table import INSET, Table

_READER, _READER_MOST = 384, 0.42  # px, and the share of a narrow panel
_LOOKED_AT = 100  # findings whose places say how wide their column is to be
_CODE_MOST, _WHERE_MOST = 0.32, 0.26  # of the width; what is said has the rest


class FindingReader(QScrollArea):
    """One finding in full, every line selectable with the mouse; always plain text."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("The selected finding")
        self.setFixedWidth(_READER)
        self.finding: weightmap.Finding | None = None
        self.said: list[tuple[str, str]] = []

    def show_finding(self, finding: weightmap.Finding | None) -> None:
        """Show another finding, or nothing."""
        self.finding = finding
        self.said = lines(finding) if finding is not None else []
        page = Ground(self._theme, "base")
        grid = QGridLayout(page)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, (label, said) in enumerate(self.said):
            name = PlainLabel(self._theme, "secondary")
            name.set_text(label)
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._line(said, label == "What to do"), row, 1)
        grid.setRowStretch(len(self.said), 1)
        self.setWidget(page)

    def _line(self, said: str, bold: bool) -> QLabel:
        line = PlainLabel(self._theme, bold=bold)
        line.setWordWrap(True)
        line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        line.set_text(text.forth(text.breakable(said)))
        return line


class FindingsList(Table):
    """The list. Codes and places are as wide as they need to be, within their share: what is said comes first."""

    def __init__(self, theme: Theme, model: FindingsTable) -> None:
        self._theme, self._findings = theme, model
        self._wanted: tuple[int, int] = (0, 0)  # px of codes and places in full
        super().__init__(theme, model, "Findings", (16, 60, 26), WHAT)
        model.modelReset.connect(self.fit_columns)

    def fit_columns(self) -> None:
        """Set the widths anew, as after other findings came or the font changed."""
        super().fit_columns()
        metrics, rows, heads = self.fontMetrics(), self._findings.rows, self._findings.heads
        codes = {finding.code for finding in rows}
        places = {where(finding) for finding in rows[:_LOOKED_AT]}
        code = max(metrics.horizontalAdvance(word) for word in (*codes, heads[CODE])) + self._theme.scaled(MARK) + 8
        place = max(metrics.horizontalAdvance(word) for word in (*places, heads[WHERE]))
        self._wanted = code + INSET + 16, place + INSET + 16
        self._share()

    def _share(self) -> None:
        room = self._ground.width()
        for column, wanted, most in zip((CODE, WHERE), self._wanted, (_CODE_MOST, _WHERE_MOST), strict=True):
            self.setColumnWidth(column, min(wanted, round(room * most)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()


class FindingsPanel(QWidget):
    """Says which tensor to select when a finding is clicked or stepped to."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model = FindingsTable(self)
        self.table = FindingsList(theme, self.model)
        self.reader = FindingReader(theme)
        self._nothing = Ground(theme, "base")
        empty = QHBoxLayout(self._nothing)
        empty.setContentsMargins(16, 12, 16, 12)
        empty.setSpacing(8)
        self._mark, self.word = StatusMark(theme), PlainLabel(theme)
        empty.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        empty.addWidget(self.word, 0, Qt.AlignmentFlag.AlignTop)
        empty.addStretch(1)
        both = QWidget()
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.table, 1)
        row.addWidget(Rule(theme, vertical=True))
        row.addWidget(self.reader)
        self._stack = QStackedWidget()
        self._stack.addWidget(both)
        self._stack.addWidget(self._nothing)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.table.clicked.connect(self._choose)
        self.table.entered.connect(self._choose)

    def show_findings(self, findings: Sequence[weightmap.Finding] | None) -> None:
        """Show the findings of another file, or more of the same, the worst first: what the cursor was on stays in sight, else
        the first. None while they are being worked out.
        """
        current = self.current()
        status = "running" if findings is None else "ok"
        self._mark.set_status(status)
        self.word.set_color(TONES.get(status, status))
        self.word.set_text(WORDS[status])
        findings = sorted(findings or (), key=lambda finding: -finding.severity.rank)
        self.model.show_rows(findings)
        self._stack.setCurrentIndex(0 if findings else 1)
        if findings:
            at = findings.index(current) if current is not None and current in findings else 0
            self.table.setCurrentIndex(self.model.index(at, 0))
        self._moved()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.reader.setFixedWidth(min(_READER, round(self.width() * _READER_MOST)))

    def current(self) -> weightmap.Finding | None:
        """The finding that has the cursor."""
        row = self.table.current_row()
        return self.model.rows[row] if row is not None and row < len(self.model.rows) else None

    def step(self, by: int) -> bool:
        """Go to the next finding (1) or the one before (-1), around the ends; says whether there is one."""
        count = len(self.model.rows)
        if not count:
            return False
        row = self.table.current_row()
        at = (0 if by > 0 else count - 1) if row is None else (row + by) % count
        self.table.setCurrentIndex(self.model.index(at, 0))
        self._choose()
        return True

    def copy_text(self, whole_row: bool) -> str:
        """What Copy takes: the current finding in full, or the selected rows."""
        rows = self.table.selectionModel().selectedRows()
        if whole_row or len(rows) > 1 or not self.reader.said:
            return self.table.selected_text(True)
        return "\n".join(f"{label}: {said}" for label, said in self.reader.said)

    def _moved(self, *_: object) -> None:
        current = self.current()
        if current is None or current is not self.reader.finding:
            self.reader.show_finding(current)

    def _choose(self, *_: object) -> None:
        finding = self.current()
        if finding is not None:
            self.chosen.emit(finding)
