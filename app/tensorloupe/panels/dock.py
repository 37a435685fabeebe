"""The lower part: metadata, tokens, findings, files, one at a time; folds to its tabs when the room is needed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedWidget, QTabBar, QVBoxLayout, QWidget

import weightmap
from tensorloupe import text
from tensorloupe.items.files import FilesTable
from tensorloupe.opening import Contents
from tensorloupe.panels.arrays import ArrayPanel, token_columns
from tensorloupe.panels.controls import Ground, IconButton, Rule
from tensorloupe.panels.field import SearchField
from tensorloupe.panels.findings import FindingsPanel
from tensorloupe.panels.metadata import MetadataPanel
from tensorloupe.panels.table import Table
from tensorloupe.tasks import TaskRunner
from tensorloupe.theme import Theme

METADATA, TOKENS, FINDINGS, FILES = range(4)
_REST = 150


class Dock(QWidget):
    """Tabs, a search field for what can be searched, and the fold button. Knows how high its body was before folding."""

    folded_changed = Signal(bool)

    def __init__(self, theme: Theme, tasks: TaskRunner) -> None:
        super().__init__()
        self.folded = False
        self.metadata = MetadataPanel(theme, tasks)
        self.tokens = ArrayPanel(theme, tasks, "tokens", "Tokens")
        self.findings = FindingsPanel(theme)
        self.files_model = FilesTable(self)
        self.files = Table(theme, self.files_model, "Files", (40, 9, 12, 11, 16, 60), 5)
        self.body = QStackedWidget()
        for panel in (self.metadata, self.tokens, self.findings, self.files):
            self.body.addWidget(panel)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Metadata, tokens, findings, files")
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setUsesScrollButtons(False)
        for word in ("Metadata", "Tokens", "Findings", "Files"):
            self.tabs.addTab(word)
        self.search = SearchField(theme, "Search keys and values")
        self.search.setAccessibleName("Search")
        self.search.setMaximumWidth(300)
        self.search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.fold = IconButton(theme, "down", "Fold this part away (Ctrl+J)")
        head = Ground(theme, "window")
        row = QHBoxLayout(head)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.tabs)
        row.addStretch(1)
        row.addWidget(self.search, 1)
        row.addWidget(self.fold)
        self._head = head
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Rule(theme, strong=True))
        column.addWidget(head)
        self._rule = Rule(theme)
        column.addWidget(self._rule)
        column.addWidget(self.body, 1)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._search)
        self.search.textChanged.connect(lambda _: self._rest.start())
        self.tabs.currentChanged.connect(self._turned)
        self.tabs.tabBarClicked.connect(lambda _: self.set_folded(False))
        self.fold.clicked.connect(lambda: self.set_folded(not self.folded))
        self._turned(0)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.head_height() + (0 if self.folded else 140))

    def head_height(self) -> int:
        """Height of what stays when folded."""
        return self._head.sizeHint().height() + 1

    def show_contents(self, contents: Contents | None) -> None:
        """Show another file's metadata, tokens, findings and files; on findings where some matter, else on metadata."""
        self.search.clear()
        columns = token_columns(contents.metadata) if contents is not None else ()
        self.metadata.show_entries(contents.metadata if contents is not None else ())
        self.tokens.show_columns(columns)
        self.findings.show_findings(contents.findings if contents is not None else ())
        self.files_model.show_rows(contents.files if contents is not None else ())
        self.tabs.setTabVisible(TOKENS, bool(columns))
        self._say_counts()
        trouble = contents is not None and contents.summary.status in ("warning", "error")
        self.tabs.setCurrentIndex(FINDINGS if trouble else METADATA)

    def show_findings(self, findings: Sequence[weightmap.Finding]) -> None:
        """Take in findings that came later, such as those of a scan of values."""
        self.findings.show_findings(findings)
        self._say_counts()

    def open_tab(self, tab: int) -> None:
        """Unfold, and show this tab."""
        self.set_folded(False)
        self.tabs.setCurrentIndex(tab)

    def set_folded(self, folded: bool) -> None:
        """Show only the tabs, or all again."""
        if folded == self.folded:
            return
        self.folded = folded
        self.body.setVisible(not folded)
        self._rule.setVisible(not folded)
        self._fit_search()
        self.fold.set_icon("up" if folded else "down")
        self.fold.setAccessibleName("Unfold this part (Ctrl+J)" if folded else "Fold this part away (Ctrl+J)")
        self.setMaximumHeight(self.head_height() if folded else 16_777_215)
        self.updateGeometry()
        self.folded_changed.emit(folded)

    def copy_text(self, whole_row: bool) -> str:
        """What Copy takes from the part that is shown."""
        panel = self.body.currentWidget()
        if panel is self.metadata:
            return self.metadata.copy_text(whole_row)
        if panel is self.findings:
            return self.findings.copy_text(whole_row)
        return (self.tokens.table if panel is self.tokens else self.files).selected_text(whole_row)

    def focus_inside(self) -> None:
        """Put the focus into the table that is shown."""
        tables = (self.metadata.table, self.tokens.table, self.findings.table, self.files)
        if self.folded:
            self.tabs.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            tables[self.body.currentIndex()].setFocus(Qt.FocusReason.TabFocusReason)

    def _say_counts(self) -> None:
        counts = (self.metadata.total, self.tokens.length, len(self.findings.model.rows))
        for tab, count in enumerate((*counts, len(self.files_model.rows))):
            word = ("Metadata", "Tokens", "Findings", "Files")[tab]
            self.tabs.setTabText(tab, f"{word}  {text.count(count)}")

    def _turned(self, tab: int) -> None:
        self.body.setCurrentIndex(tab)
        self.search.clear()
        self._fit_search()
        self.search.setPlaceholderText("Search tokens" if tab == TOKENS else "Search keys and values")

    def _fit_search(self) -> None:
        self.search.setVisible(not self.folded and self.tabs.currentIndex() in (METADATA, TOKENS))

    def _search(self) -> None:
        if self.tabs.currentIndex() == METADATA:
            self.metadata.search(self.search.text())
        elif self.tabs.currentIndex() == TOKENS and self.search.text() != self.tokens.needle:
            self.tokens.search(self.search.text())
