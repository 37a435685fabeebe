"""The left side: filter, tree, and the selection that follows the cursor a moment after it rests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from tensorloupe.document import Document
from tensorloupe.files.settings import Settings
from tensorloupe.items import roles
from tensorloupe.items.arrangement import NAME, SIZE, STATE
from tensorloupe.items.copied import tabbed
from tensorloupe.items.filter import matches
from tensorloupe.items.outline import RANKS, Outline
from tensorloupe.items.tree import TreeModel
from tensorloupe.panels.filterbar import FilterBar
from tensorloupe.panels.treeview import TreeView
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Rule

if TYPE_CHECKING:
    from tensorloupe.items.treeerrors import TreeErrors
    from tensorloupe.weights import Weight

_REST = 60  # milliseconds the cursor rests on a row before the views follow
_FEW = 60  # with no more tensors than this left by the filter, all groups are opened


class TreePanel(QWidget):
    """Tensors of the open model. Tells the document what is selected, and follows it."""

    copied = Signal(str)

    def __init__(self, theme: Theme, document: Document, settings: Settings) -> None:
        super().__init__()
        self._document, self._settings = document, settings
        self._before_filter: set[str] | None = None  # groups that were open when the filter began
        self.model = TreeModel(self)
        self.filter = FilterBar(theme)
        self.view = TreeView(theme, self.model)
        self.unfolding = self.view.unfolding
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._select_current)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.filter)
        column.addWidget(Rule(theme))
        column.addWidget(self.view, 1)
        self.setMinimumWidth(220)
        self.filter.changed.connect(self._filter)
        self.view.selectionModel().currentChanged.connect(self._moved)
        self.view.header().sortIndicatorChanged.connect(self._sort)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._menu)
        self.view.columns_chosen.connect(lambda chosen: settings.set("columns", chosen))
        self.view.choose_columns(settings.get("columns", {}))
        document.selected_changed.connect(self._follow)

    def show_outline(self, outline: Outline | None, status: str, size: int = 0, keep: bool = False) -> None:
        """Show the tensors of another file; with `keep` (a reload) filter and open groups stay as they are."""
        opened = self.unfolding.opened() if keep else set()
        if not keep:
            self._before_filter = None
            self.filter.clear()
        self.model.show_outline(outline, status, size)
        self.view.fit_columns()
        self.filter.set_outline(outline)
        if outline is None:
            return
        if keep:
            self._filter()
        self.unfolding.open(opened if keep else _first_open(outline))
        self._count()
        self._follow(self._document.selected)

    def set_scanning(self, scanning: bool) -> None:
        """From now on, what seems well is unfinished until its values were looked at; or no longer so."""
        outline = self.model.outline
        if outline is None:
            return
        well, unfinished = RANKS["ok"], RANKS["unchecked"]
        outline.rank[outline.rank == (well if scanning else unfinished)] = unfinished if scanning else well
        if scanning:
            checked = [number for number, tensor in enumerate(outline.tensors) if tensor.values_checked]
            outline.rank[[number for number in checked if outline.rank[number] == unfinished]] = well

    def take_states(self) -> None:
        """All states may be other ones: arrange the rows anew where states have a part in that."""
        if self.filter.terms or self.model.order[0] == STATE:
            self._filter()

    def refresh_status(self, marks: Mapping[int, str], status: str, busy: int | None = None) -> None:
        """Show the marks that some tensors and the file have by now, and which tensor is being looked at."""
        outline = self.model.outline
        if outline is None:
            return
        before = outline.rank.copy()
        for number, mark in marks.items():
            outline.rank[number] = RANKS[mark]
        if self.model.shows_other(status, busy) or (before != outline.rank).any():
            self.refresh_marks(status, busy)

    def refresh_marks(self, status: str, busy: int | None = None) -> None:
        """Paint the marks anew, after the outline's states changed."""
        self.model.refresh_status(status, busy)
        self.view.repaint_rows()

    def show_errors(self, compared: TreeErrors | None, rearrange: bool = True) -> None:
        """Show how many times the usual error each tensor has in place of its size; None shows sizes again."""
        switched = (compared is None) != (self.model.compared is None)
        if rearrange and self.model.order[0] == SIZE:
            opened = self.unfolding.opened()
            self._rearrange(lambda: self.model.show_errors(compared, True))
            self.unfolding.open(opened)
            self._follow(self._document.selected)
        else:
            self.model.show_errors(compared, False)
        if switched:
            self.view.fit_columns()
        self.view.repaint_rows()

    def select(self, tensor: Weight | None) -> None:
        """Select a tensor from elsewhere, at once; a filter that hides it stays, and the views show it all the same."""
        self._rest.stop()
        self._document.select(tensor)

    def focus_filter(self) -> None:
        """Put the cursor into the filter field, with its text selected."""
        self.filter.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.field.selectAll()

    def copy_text(self, whole_row: bool) -> str:
        """What Copy takes from the current row: the tensor's name, or all cells separated by tabs."""
        index = self.view.currentIndex()
        if not index.isValid():
            return ""
        if not whole_row:
            return str(index.siblingAtColumn(NAME).data(roles.RAW) or "")
        cells = (index.siblingAtColumn(column).data(roles.RAW) for column in range(self.model.columnCount() - 1))
        return tabbed([[str(cell or "") for cell in cells]])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.filter.fit(self.width())

    def _moved(self, current: QModelIndex, before: QModelIndex) -> None:
        if current.isValid():
            self._rest.start()

    def _select_current(self) -> None:
        index = self.view.currentIndex()
        number = self.model.number_at(index)
        outline = self.model.outline
        if number is not None and outline is not None:
            self._document.select(outline.tensors[number])
        elif index.isValid() and index.row() == 0 and not index.parent().isValid():
            self._document.select(None)

    def _follow(self, tensor: Weight | None) -> None:
        """Move the cursor to what is selected, wherever that came from."""
        outline = self.model.outline
        if outline is None:
            return
        index = self.model.index_of(outline.number_of(tensor))
        current = self.view.currentIndex()
        if index.isValid() and (index.row(), index.internalId()) != (current.row(), current.internalId()):
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.view.selectionModel().setCurrentIndex(index, flags)
            if index.row() or index.internalId():
                self.view.scrollTo(index)
            else:  # the same, without having all rows laid out here and now
                self.view.scrollToTop()
            self._rest.stop()

    def _filter(self) -> None:
        outline, terms = self.model.outline, self.filter.terms
        if outline is None:
            return
        if self._before_filter is None and terms:
            self._before_filter = self.unfolding.opened()
        opened = self.unfolding.opened()
        self._rearrange(lambda: self.model.rearrange(matches(outline, terms)))
        if not terms:
            opened, self._before_filter = self._before_filter or opened, None
        elif self.model.shown <= _FEW:
            opened = set(outline.groups)
        self.unfolding.open(opened)
        self._count()
        self._follow(self._document.selected)

    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        opened = self.unfolding.opened()
        self._rearrange(lambda: self.model.sort(column, order))
        self.unfolding.open(opened)
        self._follow(self._document.selected)

    def _rearrange(self, change: object) -> None:
        """Run a model reset without taking the cursor's jump for the user's choice."""
        assert callable(change)
        self._rest.stop()
        change()
        self._rest.stop()

    def _count(self) -> None:
        total = len(self.model.outline.listed) if self.model.outline is not None else 0
        self.filter.set_counts(self.model.shown, total)

    def _menu(self, where: QPoint) -> None:
        if not self.view.indexAt(where).isValid():
            return
        menu = QMenu(self)
        menu.addAction("Copy name").triggered.connect(lambda: self.copied.emit(self.copy_text(False)))
        menu.addAction("Copy row").triggered.connect(lambda: self.copied.emit(self.copy_text(True)))
        menu.addSeparator()
        menu.addAction("Open all groups").triggered.connect(self.view.expandAll)
        menu.addAction("Fold all groups").triggered.connect(self.view.collapseAll)
        menu.exec(self.view.viewport().mapToGlobal(where))
        menu.deleteLater()


def _first_open(outline: Outline) -> set[str]:
    """The group to open at first: where a file breaks off, else the first one."""
    cut = outline.group[(outline.share < 1) & (outline.group >= 0)]
    return {outline.groups[int(cut[0]) if cut.size else 0]} if outline.groups else set()
