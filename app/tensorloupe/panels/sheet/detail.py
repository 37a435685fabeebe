"""What is said about the model that has the cursor: its findings on the left, the current one in full on the right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from tensorloupe import clipboard
from tensorloupe.items.findings import report
from tensorloupe.items.sheet import TO_DO, SheetRow, mark, word
from tensorloupe.panels.findings import FindingsPanel
from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Ground, PlainLabel, Rule, StatusMark


class SheetDetail(QWidget):
    """Head line with buttons over the findings that the dock shows of an open model, too."""

    open_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._row: SheetRow | None = None
        self._shown: tuple[object, ...] = ()
        self._mark = StatusMark(theme)
        self.name, self.said = PlainLabel(theme, bold=True, elide=True), PlainLabel(theme, "secondary")
        self.open = QPushButton("Open")
        self.open.setToolTip("Enter")
        self.open.setAccessibleName("Open this model (Enter)")
        self.open.clicked.connect(self.open_wanted)
        self.copy = QPushButton("Copy findings")
        self.copy.clicked.connect(self.copy_report)
        self.findings = FindingsPanel(theme)
        head = Ground(theme, "window")
        row = QHBoxLayout(head)
        row.setContentsMargins(16, 5, 12, 5)
        row.setSpacing(8)
        for widget in (self._mark, self.name, self.said):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.open)
        row.addWidget(self.copy)
        head.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (Rule(theme, strong=True), head, Rule(theme)):
            column.addWidget(part)
        column.addWidget(self.findings, 1)
        self.show_row(None)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 130)

    def show_row(self, row: SheetRow | None) -> None:
        """Show another model, or the same one with what is known of it by now."""
        shown = (row, None if row is None else row.state, () if row is None else row.findings)
        if shown == self._shown:
            return
        self._row, self._shown = row, shown
        self._mark.setVisible(row is not None)
        self.open.setEnabled(row is not None and row.openable)
        self.copy.setEnabled(row is not None and bool(row.findings))
        if row is None:
            self.name.set_text("No model selected")
            self.said.set_text("")
        else:
            self._mark.set_status(mark(row))
            self.name.set_text(row.name)
            self.said.set_text(text.counted(len(row.findings), "finding") if row.findings else word(row.state))
        self.findings.show_findings(row.findings if row is not None else ())
        self.findings.setVisible(row is not None and (row.state not in TO_DO or bool(row.findings)))

    def copy_report(self) -> None:
        """Copy all findings of the model as text."""
        if self._row is not None and self._row.findings:
            clipboard.copy(report(self._row.path, self._row.findings))
