"""A list of files to choose from: recent ones on the welcome page, the models of a folder, several that were dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

import weightmap
from tensorloupe.files import places
from tensorloupe.files.settings import Recent
from tensorloupe.items import roles
from tensorloupe.items.table import Index, RowTable
from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.delegate import RowDelegate
from tensorloupe.widgets.table import INSET, Table

_EDGE = 12  # px between the last column and the end of the list


@dataclass(frozen=True, slots=True)
class PathRow:
    """A file in a list, with what is known of it without asking the disk."""

    path: str
    status: str
    size: str
    when: str


class PathTable(RowTable[PathRow]):
    """Name, folder, size, date."""

    heads = ("File", "Folder", "Size", "Opened")
    numeric = frozenset({2, 3})
    quiet = frozenset({1, 2, 3})

    def cell(self, row: PathRow, column: int) -> str:
        folder, name = places.split(row.path)
        return weightmap.printable((name or row.path, folder, row.size, row.when)[column])

    def raw(self, row: PathRow, column: int) -> str:
        return row.path

    def tip(self, row: PathRow, column: int) -> str | None:
        return weightmap.printable(row.path)

    def look(self, index: Index) -> roles.Look:
        look = super().look(index)
        return look._replace(middle=index.column() < 2)  # quantizations and parts of sets stand at the end of a name

    def status(self, row: PathRow) -> str | None:
        return row.status


class PathList(Table):
    """Emits the path that is opened, or is to be forgotten: as an object, since `str` loses bytes that are no text."""

    opened = Signal(object)
    removed = Signal(object)
    row_least = 30

    def __init__(self, theme: Theme, name: str, removable: bool) -> None:
        self.paths = PathTable()
        super().__init__(theme, self.paths, name, (38, 40, 12, 16), 1)
        self.paths.setParent(self)
        self._removable = removable
        self.setItemDelegateForColumn(3, RowDelegate(theme, self, INSET, _EDGE))
        self.horizontalHeader().hide()
        self.setAlternatingRowColors(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.clicked.connect(lambda index: self.opened.emit(self.paths.rows[index.row()].path))
        self.entered.connect(self._open_current)

    def show_paths(self, rows: Sequence[PathRow]) -> None:
        """Show other files."""
        self.paths.show_rows(rows)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(600, max(1, self.paths.rowCount()) * self.verticalHeader().defaultSectionSize() + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        if event.key() == Qt.Key.Key_Delete and self._removable and row is not None:
            self.removed.emit(self.paths.rows[row].path)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(self.viewport().mapFromGlobal(event.globalPos()))
        if not index.isValid():
            return
        path = str(index.data(roles.RAW))
        menu = QMenu(self)
        menu.addAction("Open").triggered.connect(lambda: self.opened.emit(path))
        if self._removable:
            menu.addAction("Remove from the list").triggered.connect(lambda: self.removed.emit(path))
        menu.exec(event.globalPos())
        menu.deleteLater()

    def _open_current(self) -> None:
        row = self.current_row()
        if row is not None:
            self.opened.emit(self.paths.rows[row].path)


def recent_row(recent: Recent, now: datetime) -> PathRow:
    """A recent file as it was when it was last opened."""
    return PathRow(recent.path, recent.status, text.size(recent.size), when(recent.opened, now))


def when(opened: float, now: datetime) -> str:
    """A time as one would say it: "today 14:02", "yesterday", "23 November", "4 March 2024"."""
    try:
        then = datetime.fromtimestamp(opened)
    except (OverflowError, OSError, ValueError):
        return ""
    days = (now.date() - then.date()).days
    if days == 0:
        return f"today {then:%H:%M}"
    if days == 1:
        return "yesterday"
    return f"{then.day} {then:%B}" + ("" if then.year == now.year else f" {then.year}")


def path_rows(paths: Sequence[str]) -> tuple[PathRow, ...]:
    """Files of which nothing is known yet."""
    return tuple(PathRow(path, "unchecked", "", "") for path in paths)
