"""The lower part: metadata, tokens, findings, files, one at a time; folds to its tabs when the room is needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

import weightmap
from tensorloupe.items.array import Column
from tensorloupe.items.files import FileRow, FilesTable
from tensorloupe.opening import drops
from tensorloupe.opening.contents import Contents
from tensorloupe.panels.arrays import ArrayPanel, length, token_columns
from tensorloupe.panels.copying import Copying
from tensorloupe.panels.metadata import MetadataPanel
from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.widgets import tabbing
from tensorloupe.widgets.controls import Ground, IconButton, Rule
from tensorloupe.widgets.field import SearchField
from tensorloupe.widgets.table import Table
from tensorloupe.widgets.tabs import Tabs

if TYPE_CHECKING:
    from tensorloupe.panels.findings import FindingsPanel

Page = TypeVar("Page", bound=QWidget)

METADATA, TOKENS, FINDINGS, FILES = range(4)
_WORDS = ("Metadata", "Tokens", "Findings", "Files")
_REST = 150


class Dock(QWidget):
    """Tabs, a search field for what can be searched, and the fold button. Knows how high its body was before folding."""

    folded_changed = Signal(bool)
    finding_chosen = Signal(object)

    def __init__(self, theme: Theme, tasks: TaskRunner) -> None:
        super().__init__()
        self.folded = False
        self._theme, self._tasks = theme, tasks
        self._found: Sequence[weightmap.Finding] | None = ()
        self._columns: tuple[Column, ...] = ()
        self.body = QStackedWidget()
        self.copying = Copying(tasks, self)
        self.metadata = MetadataPanel(theme, tasks, self.copying)
        self.body.addWidget(self.metadata)
        self.files_model = FilesTable(self)
        self.tabs = Tabs("Metadata, tokens, findings, files", _WORDS)
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

    @cached_property
    def tokens(self) -> ArrayPanel:
        """The vocabulary; made, as the two below, when it is first turned to."""
        panel = ArrayPanel(self._theme, self._tasks, self.copying, "tokens", "Tokens")
        panel.show_columns(self._columns)
        return self._added(panel)

    @cached_property
    def findings(self) -> FindingsPanel:
        """What is to be said about the file."""
        from tensorloupe.panels.findings import FindingsPanel

        panel = FindingsPanel(self._theme)
        panel.chosen.connect(self.finding_chosen)
        panel.show_findings(self._found)
        return self._added(panel)

    @cached_property
    def files(self) -> Table:
        """The files that the model consists of."""
        return self._added(Table(self._theme, self.files_model, "Files", (40, 9, 12, 11, 16, 60), 5))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.head_height() + (0 if self.folded else 140))

    def head_height(self) -> int:
        """Height of what stays when folded."""
        return self._head.sizeHint().height() + 1

    def show_contents(self, contents: Contents | None) -> None:
        """Show another file's metadata, tokens, findings and files; on metadata, until some findings matter."""
        self.search.clear()
        self._columns = token_columns(contents.metadata) if contents is not None else ()
        self.metadata.show_entries(contents.metadata if contents is not None else ())
        if self._made("tokens"):
            self.tokens.show_columns(self._columns)
        self.files_model.show_rows(contents.files if contents is not None else ())
        self.tabs.setTabVisible(TOKENS, bool(self._columns))
        self.show_findings(contents.findings if contents is not None else ())
        self.tabs.setCurrentIndex(METADATA)

    def take_judgement(self, files: Sequence[FileRow], findings: Sequence[weightmap.Finding], turn: bool) -> None:
        """Take in what the checks of the file found; with `turn`, turn to findings that matter, if on the metadata still."""
        self.files_model.show_rows(files)
        self.show_findings(findings)
        if turn and self.tabs.currentIndex() == METADATA and any(f.severity in ("warning", "error") for f in findings):
            self.tabs.setCurrentIndex(FINDINGS)

    def show_findings(self, findings: Sequence[weightmap.Finding] | None) -> None:
        """Take in findings that came later, such as those of a scan of values; None while there is no telling yet."""
        self._found = findings
        if self._made("findings"):
            self.findings.show_findings(findings)
        self._say_counts()

    def open_tab(self, tab: int) -> None:
        """Unfold, and show this tab."""
        self.set_folded(False)
        self.tabs.setCurrentIndex(tab)

    def clear_search(self) -> bool:
        """Take away what is searched for, where the field has the focus; says whether there was anything."""
        had = self.search.hasFocus() and bool(self.search.text())
        if had:
            self.search.clear()
        return had

    def set_folded(self, folded: bool) -> None:
        """Show only the tabs, or all again."""
        if folded == self.folded:
            return
        self.folded = folded
        self.body.setVisible(not folded)
        self._rule.setVisible(not folded)
        self._fit_search()
        word = "Unfold this part (Ctrl+J)" if folded else "Fold this part away (Ctrl+J)"
        self.fold.set_icon("up" if folded else "down", word)
        self.setMaximumHeight(self.head_height() if folded else 16_777_215)
        self.updateGeometry()
        self.folded_changed.emit(folded)

    def copy_text(self, whole_row: bool) -> str:
        """What Copy takes from the part that is shown; items of arrays are on the clipboard a moment later."""
        tab = self.tabs.currentIndex()
        if tab in (METADATA, FINDINGS):
            return (self.metadata if tab == METADATA else self.findings).copy_text(whole_row)
        if tab == TOKENS:
            self.tokens.copy(whole_row)
            return ""
        return self.files.selected_text(whole_row)

    def focus_inside(self) -> None:
        """Put the focus into what is shown, on the tabs where that is nothing."""
        page = self.body.currentWidget()
        if self.folded or page is None or not tabbing.focus_first(page):
            tabbing.give_focus(self.tabs)

    def _say_counts(self) -> None:
        found = None if self._found is None else len(self._found)
        counts = (self.metadata.total, length(self._columns), found, len(self.files_model.rows))
        for tab, (word, count) in enumerate(zip(_WORDS, counts, strict=True)):
            self.tabs.setTabText(tab, word if count is None else f"{word}  {text.count(count)}")

    def _made(self, name: str) -> bool:
        return name in self.__dict__

    def _added(self, page: Page) -> Page:
        self.body.addWidget(page)
        drops.leave_to_window(page)
        return page

    def _turned(self, tab: int) -> None:
        self.body.setCurrentWidget(getattr(self, _WORDS[tab].lower()))
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
