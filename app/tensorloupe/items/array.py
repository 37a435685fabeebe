"""A long metadata array as a table that holds only the pages that were looked at.

The model reads nothing: it says which page it lacks, and is given it when a background task has read it. 262,144 tokens
scroll as lightly as ten.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal

import weightmap
from tensorloupe.items import roles
from tensorloupe.items.copied import tabbed
from tensorloupe.items.metadata import is_array, read, searchable, whole
from tensorloupe.items.table import LEFT, RIGHT, Index
from tensorloupe.style import text

PAGE = 512  # rows read at a time
KEPT = 64  # pages kept
WIDEST = 2_000  # characters of an item that a cell shows


class Column(NamedTuple):
    """One array of the metadata, shown beside others of the same length. `names` says what its numbers stand for."""

    head: str
    values: Any
    names: Mapping[int, str] = {}

    def shown(self, row: int) -> str:
        """One item as a cell shows it: "3 control" where the number has a name."""
        value = self.values[row]
        name = self.names.get(int(value)) if self.names and isinstance(value, int | np.integer) else None
        return shown(value) if name is None else f"{shown(value)} {name}"


Page = tuple[tuple[str, ...], ...]


def read_page(columns: Sequence[Column], rows: NDArray[np.int64] | range) -> Page:
    """The texts of some rows, a tuple per row, escaped. Reads: call it in the background."""
    return tuple(tuple(column.shown(int(row)) for column in columns) for row in rows)


def shown(value: Any) -> str:
    """One item as a cell shows it."""
    if isinstance(value, str):
        cut = weightmap.printable(value[:WIDEST])
        return cut if len(value) <= WIDEST else f"{cut} … and {text.count(len(value) - WIDEST)} more"
    if is_array(value):
        return f"array of {text.count(len(value))}"
    return read(value)


def copied(columns: Sequence[Column], rows: NDArray[np.int64] | range, progress: Any) -> str:
    """Some rows as tab-separated text, the position first, every item whole. Reads: call it in the background.

    `progress(done, total)` is asked now and then; raises weightmap.Cancelled where it says no.
    """

    def lines() -> Iterator[list[str]]:
        for done, row in enumerate(rows):
            if done % PAGE == 0 and progress(done, len(rows)) is False:
                raise weightmap.Cancelled
            yield [str(int(row)), *(whole(column.values[int(row)]) for column in columns)]

    return tabbed(lines())  # one by one: what is given all of them keeps Python to itself until the last is written


class ArrayTable(QAbstractTableModel):
    """Rows of one or more arrays, the position first. `rows` may be a part of them, as a search leaves it."""

    page_wanted = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[Column, ...] = ()
        self.rows: NDArray[np.int64] | range = range(0)
        self._pages: OrderedDict[int, Page] = OrderedDict()
        self._asked: set[int] = set()

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Show other arrays, from the start and whole."""
        self.columns = tuple(columns)
        self.show_only(None)

    def show_only(self, rows: NDArray[np.int64] | None) -> None:
        """Show these rows of the arrays only, None for all."""
        self.beginResetModel()
        length = min((len(column.values) for column in self.columns), default=0)
        self.rows = range(length) if rows is None else rows
        self._pages.clear()
        self._asked.clear()
        self.endResetModel()

    def page_rows(self, page: int) -> NDArray[np.int64] | range:
        """Which rows of the arrays a page holds."""
        return self.rows[page * PAGE : (page + 1) * PAGE]

    def give_page(self, page: int, texts: Page) -> None:
        """Take in a page that was wanted."""
        self._pages[page] = texts
        self._asked.discard(page)
        while len(self._pages) > KEPT:
            self._pages.popitem(last=False)
        first = page * PAGE
        if texts and first + len(texts) <= len(self.rows):
            self.dataChanged.emit(self.index(first, 0), self.index(first + len(texts) - 1, len(self.columns)))

    def text_at(self, row: int, column: int) -> str | None:
        """The text of a cell, None while its page is not there; then the page is asked for, once."""
        page, within = divmod(row, PAGE)
        texts = self._pages.get(page)
        if texts is not None:
            self._pages.move_to_end(page)
            return texts[within][column]
        if page not in self._asked:
            self._asked.add(page)
            self.page_wanted.emit(page)
            texts = self._pages.get(page)  # who listens may have it at hand
        return texts[within][column] if texts is not None else None

    def rowCount(self, parent: Index = None) -> int:  # type: ignore[assignment]
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = None) -> int:  # type: ignore[assignment]
        return 0 if parent is not None and parent.isValid() else len(self.columns) + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section <= len(self.columns):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section - 1].head if section else "Index"
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text_at(index.row(), column - 1) if column else text.count(int(self.rows[index.row()]))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        return column == 0 if role == roles.QUIET else None

    def look(self, index: Index) -> roles.Look:
        """What a delegate paints of a cell."""
        column = index.column()
        if not column:
            return roles.Look(text.count(int(self.rows[index.row()])), "", "secondary", True)
        return roles.Look(self.text_at(index.row(), column - 1) or "", right=self._alignment(column) == RIGHT)

    def _alignment(self, section: int) -> int:
        if section == 0:
            return RIGHT
        column = self.columns[section - 1]
        return RIGHT if isinstance(column.values, np.ndarray) and not column.names else LEFT


def search(columns: Sequence[Column], needle: str, progress: Any) -> NDArray[np.int64] | None:
    """The rows in which the needle stands in any column, whatever its case; None where the search was given up.

    Walks the arrays in pages: call it in the background. `progress(done, total)` is asked after each page.
    """
    length = min((len(column.values) for column in columns), default=0)
    wanted, hits = searchable(weightmap.printable(needle)), []
    for start in range(0, length, PAGE):
        block = range(start, min(start + PAGE, length))
        hits += [row for row, texts in zip(block, read_page(columns, block), strict=True)
                 if any(wanted in searchable(cell) for cell in texts)]  # fmt: skip
        if progress(block.stop, length) is False:
            return None
    return np.array(hits, dtype=np.int64)
