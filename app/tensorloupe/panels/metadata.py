"""All keys of a file in a table, searched as one types; what a row cannot show whole is read beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QWidget

from tensorloupe.items.copied import tabbed
from tensorloupe.items.metadata import VALUE, Entry, MetadataTable, found, size_of
from tensorloupe.opening import drops
from tensorloupe.panels.copying import Copying
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.widgets.controls import PlainLabel
from tensorloupe.widgets.table import Table

if TYPE_CHECKING:
    from tensorloupe.panels.reader import Reader


class MetadataPanel(QWidget):
    """Key, type, value; and the reader, which shows itself when the current value is longer than its cell."""

    def __init__(self, theme: Theme, tasks: TaskRunner, copying: Copying) -> None:
        super().__init__()
        self._all: Sequence[Entry] = ()
        self.model = MetadataTable(self)
        self.table = Table(theme, self.model, "Metadata", (34, 11, 40), VALUE)
        self._theme, self._tasks, self._copying = theme, tasks, copying
        self._nothing = PlainLabel(theme, "secondary")
        self._nothing.setMargin(16)
        self._splitter = QSplitter()
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        self._splitter.addWidget(self.table)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self._nothing)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._stack)
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.model.modelReset.connect(self._moved)
        self.table.entered.connect(self._read)
        self.table.doubleClicked.connect(self._read)

    @cached_property
    def reader(self) -> Reader:
        """Shows one value whole; made, hidden, when it is first needed."""
        from tensorloupe.panels.reader import Reader

        reader = Reader(self._theme, self._tasks, self._copying)
        reader.hide()
        self._splitter.addWidget(reader)
        drops.leave_to_window(reader)
        return reader

    @property
    def _reading(self) -> bool:
        return "reader" in self.__dict__ and self.reader.isVisible()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show the metadata of another file."""
        self._all = entries
        self.search("")

    @property
    def total(self) -> int:
        """How many keys the file has."""
        return len(self._all)

    def search(self, needle: str) -> None:
        """Show only the keys in whose name or shown value every word of the needle stands."""
        rows = found(self._all, needle)
        self.model.show_rows(rows)
        self._nothing.set_text(f"No key and no value holds “{needle}”." if self._all else "The file has no metadata.")
        self._stack.setCurrentIndex(0 if rows else 1)

    def copy_text(self, whole_row: bool) -> str:
        """What Copy takes: the value of the current key, whole; or the rows that are selected. Arrays come a moment later."""
        if self._reading and self.reader.isAncestorOf(self.focusWidget() or self):
            return self.reader.copy_text(whole_row)
        rows, column = [self.model.rows[row] for row in self.table.selected_rows()], self.table.currentIndex().column()
        one = len(rows) == 1 and not whole_row
        if not any(row.is_array for row in rows) or (one and column != VALUE):
            return self.table.selected_text(whole_row)
        cells = (VALUE,) if one else range(len(self.model.heads))
        lines = [[self._cell(row, cell) for cell in cells] for row in rows]
        self._copying.copy(
            sum(size_of(row.value) for row in rows),
            (lambda _: lines[0][0]()) if one else (lambda _: tabbed([cell() for cell in line] for line in lines)),
        )
        return ""

    def _cell(self, row: Entry, column: int) -> Callable[[], str]:
        return lambda: self.model.raw(row, column)

    def _moved(self, *_: object) -> None:
        row = self.table.current_row()
        entry = self.model.rows[row] if row is not None and row < len(self.model.rows) else None
        if entry is None or not entry.is_cut:
            if self._reading:
                self.reader.hide()
            return
        self.reader.show_entry(entry)
        if not self.reader.isVisible():
            self.reader.show()
            width = max(self.width(), 400)
            self._splitter.setSizes([width * 55 // 100, width * 45 // 100])

    def _read(self) -> None:
        """Enter goes on into the reader, where there is one."""
        if self._reading:
            self.reader.text.setFocus() if self.reader.text.isVisible() else self.reader.array.table.setFocus()
