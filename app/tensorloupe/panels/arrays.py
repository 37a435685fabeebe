"""Long arrays of the metadata in a table: tokens with their scores and kinds, merges, any other list of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QStackedLayout, QWidget

from tensorloupe.items.array import ArrayTable, Column, Page, copied, read_page, search
from tensorloupe.items.metadata import Entry, whole
from tensorloupe.panels.copying import Copying
from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.widgets.controls import PlainLabel
from tensorloupe.widgets.table import Table

TOKENS = "tokenizer.ggml.tokens"
_KINDS = {1: "normal", 2: "unknown", 3: "control", 4: "user-defined", 5: "unused", 6: "byte"}  # as GGUF numbers them
_BESIDE: tuple[tuple[str, str, Mapping[int, str]], ...] = (
    ("tokenizer.ggml.scores", "Score", {}),
    ("tokenizer.ggml.token_type", "Kind", _KINDS),
)


def token_columns(metadata: Sequence[Entry]) -> tuple[Column, ...]:
    """The vocabulary of a model, with whatever stands beside each token; empty where there is none."""
    by_key: Mapping[str, Entry] = {entry.key: entry for entry in metadata}
    tokens = by_key.get(TOKENS)
    if tokens is None or not tokens.is_array or not len(tokens.value):
        return ()
    columns = [Column("Token", tokens.value)]
    for key, head, names in _BESIDE:
        beside = by_key.get(key)
        if beside is not None and beside.is_array and len(beside.value) == len(tokens.value):
            columns.append(Column(head, beside.value, names))
    return tuple(columns)


def length(columns: Sequence[Column]) -> int:
    """Items of arrays that stand beside each other."""
    return min((len(column.values) for column in columns), default=0)


class ArrayPanel(QWidget):
    """A table of one array, or of several of the same length. Pages are read in the background, as is a search."""

    def __init__(self, theme: Theme, tasks: TaskRunner, copying: Copying, slot: str, name: str) -> None:
        super().__init__()
        self._tasks, self._copying, self._slot = tasks, copying, slot
        self.model = ArrayTable(self)
        self.table = Table(theme, self.model, name, (10, 60), 1)
        self._nothing = PlainLabel(theme, "secondary")
        self._nothing.setMargin(16)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._nothing)
        self.model.page_wanted.connect(self._read)
        self.needle = ""

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Show other arrays, whole."""
        self._tasks.drop(f"{self._slot} search")
        self.needle = ""
        self.model.show_columns(columns)
        self.table.set_widths((10, 40, *(14 for _ in columns[1:])), 1)
        self._stack.setCurrentIndex(0)
        self.table.scrollToTop()

    def search(self, needle: str) -> None:
        """Show only the rows in which the needle stands; all where it is empty."""
        slot, self.needle = f"{self._slot} search", needle
        self._tasks.drop(slot)
        if not needle.strip():
            self._found(None)
            return
        columns = self.model.columns
        self._tasks.start(
            slot, f"Searching {text.count(self.length)} items", lambda go: search(columns, needle, go), self._found
        )

    @property
    def length(self) -> int:
        """Items of the whole array."""
        return length(self.model.columns)

    def copy(self, whole_row: bool) -> None:
        """Put the current item on the clipboard; of several rows, or on request, tab-separated rows. All of it is read anew."""
        model, at = self.model, self.table.selected_rows()
        column = self.table.currentIndex().column()
        if len(at) == 1 and column > 0 and not whole_row:
            value, row = model.columns[column - 1].values, int(model.rows[at[0]])
            self._copying.copy(1, lambda _: whole(value[row]))
        elif at:
            columns = model.columns
            rows = model.rows if len(at) == len(model.rows) else np.asarray(model.rows)[at]
            self._copying.copy(len(at) * len(columns), lambda progress: copied(columns, rows, progress))

    def _found(self, rows: NDArray[np.int64] | None) -> None:
        self.model.show_only(rows)
        if rows is not None and not rows.size:
            self._nothing.set_text(f"No item holds “{self.needle}”.")
        self._stack.setCurrentIndex(1 if rows is not None and not rows.size else 0)

    def _read(self, page: int) -> None:
        columns, rows = self.model.columns, self.model.page_rows(page)

        def take(texts: Page) -> None:
            if columns is self.model.columns and rows is not None and len(texts) == len(self.model.page_rows(page)):
                self.model.give_page(page, texts)

        self._tasks.start(
            f"{self._slot} page {page}", "", lambda _: read_page(columns, rows), take, _ignored, quiet=True
        )


def _ignored(reason: BaseException) -> None:
    """A page that cannot be read stays empty: the findings say why the file cannot be read."""


def values_of(entry: Entry) -> tuple[Column, ...]:
    """The one column of an array entry."""
    value: Any = entry.value
    return (Column("Value", value),)
