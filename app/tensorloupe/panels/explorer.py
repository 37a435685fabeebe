"""The window's inside while a model is open: tree on the left, view area and dock on the right, in two splitters."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from tensorloupe.files.settings import Settings
from tensorloupe.opening.contents import Contents
from tensorloupe.panels.dock import Dock
from tensorloupe.panels.tree import TreePanel
from tensorloupe.panels.viewarea import ViewArea
from tensorloupe.style.theme import Theme
from tensorloupe.views import ViewContext
from tensorloupe.widgets import tabbing

TREE_WIDTH, DOCK_SHARE = 452, 0.24
_VIEW_LEAST = 400  # height, at the usual font, below which the dock folds by itself and leaves the picture its room
_BOTH = 700  # width below which there is no room for the tree beside the view
_NARROW = 1100  # window width below which the tree starts narrow


class Explorer(QWidget):
    """Arranges the three regions, and gives way in the order dock, side column, tree."""

    def __init__(self, theme: Theme, context: ViewContext, settings: Settings) -> None:
        super().__init__()
        self._theme, self._settings = theme, settings
        self._folded_by_size = self._tree_folded_by_size = False
        self._placed = False
        self._moved: dict[str, int] = {}  # sizes that the user chose by dragging
        self.tree = TreePanel(theme, context.document, settings)
        self.area = ViewArea(theme, context)
        self.dock = Dock(theme, context.tasks)
        self._right = QSplitter(Qt.Orientation.Vertical)
        self._right.addWidget(self.area)
        self._right.addWidget(self.dock)
        self._right.setStretchFactor(0, 1)
        self._across = QSplitter(Qt.Orientation.Horizontal)
        self._across.addWidget(self.tree)
        self._across.addWidget(self._right)
        self._across.setStretchFactor(1, 1)
        for splitter in (self._right, self._across):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._across)
        self._across.splitterMoved.connect(lambda: self._moved.update(tree_width=self.tree.width()))
        self._right.splitterMoved.connect(lambda: self._moved.update(dock_height=self.dock.height()))
        self.dock.folded_changed.connect(self._dock_folded)
        self.area.file_page.tensor_clicked.connect(self.select_number)
        self.area.view_changed.connect(self._fit_dock)

    def minimumSizeHint(self) -> QSize:
        return QSize(460, 400)

    def show_contents(self, contents: Contents, keep: bool) -> None:
        """Show another file, or the same file read anew."""
        tab = self.dock.tabs.currentIndex()
        self.area.show_contents(contents)
        self.tree.show_outline(contents.outline, contents.summary.status, contents.summary.size, keep)
        self.dock.show_contents(contents)
        if keep and self.dock.tabs.isTabVisible(tab):
            self.dock.tabs.setCurrentIndex(tab)
        self.area.show_current()

    def forget(self) -> None:
        """Show nothing, after the model was closed."""
        self.tree.show_outline(None, "ok")
        self.dock.show_contents(None)

    def toggle_tree(self) -> None:
        """Hide the tree, or show it again; the user's wish holds until the window is resized across the limit."""
        self._tree_folded_by_size = False
        self.tree.setVisible(self.tree.isHidden())

    def toggle_dock(self) -> None:
        """Fold the dock, or unfold it; the user's wish holds until the window is resized across the limit."""
        self._folded_by_size = False
        self.dock.set_folded(not self.dock.folded)

    def next_region(self) -> None:
        """Move the focus from tree to view to dock, around."""
        here = self.focusWidget()
        if here is not None and self.tree.isAncestorOf(here):
            self.area.focus_inside()
        elif here is not None and self.area.isAncestorOf(here):
            self.dock.focus_inside()
        else:
            if self.tree.isHidden():
                self.tree.show()
            tabbing.give_focus(self.tree.view)

    def remember(self) -> None:
        """Put the sizes of the regions into the settings."""
        for name, size in self._moved.items():
            self._settings.set(name, size)
        if self._placed:
            self._settings.set("dock_folded", self.dock.folded and not self._folded_by_size)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._placed:
            self._fit_dock()
            self._fit_tree()
            if not self.tree.isHidden():
                self._place_tree()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._placed:
            self._placed = True
            self._place()
            self._fit_dock()
            self._fit_tree()

    def _place(self) -> None:
        self._place_tree()
        height = min(self._settings.get("dock_height", round(self.height() * DOCK_SHARE)), self.height() * 45 // 100)
        self._right.setSizes([self.height() - height, max(height, 140)])
        if self._settings.get("dock_folded", False):
            self.dock.set_folded(True)

    def _place_tree(self) -> None:
        """The tree as wide as was wished, or less where the view would have no room beside it."""
        usual = TREE_WIDTH if self.width() >= _NARROW else self.width() // 4
        width = self._moved.get("tree_width", self._settings.get("tree_width", usual))
        width = min(max(width, 220), max(self.width() - 560, 220))
        self._across.setSizes([width, self.width() - width])

    def _fit_dock(self) -> None:
        if not self._placed:
            return
        room = self.height() - 140 - self.dock.head_height()
        least = _VIEW_LEAST if self.area.view is None else max(_VIEW_LEAST, self.area.view.least_height)
        least = self._theme.scaled(least)
        if room < least and not self.dock.folded:
            self.dock.set_folded(True)
            self._folded_by_size = True
        elif room >= least and self._folded_by_size:
            self.dock.set_folded(False)
            self._folded_by_size = False

    def _fit_tree(self) -> None:
        narrow = self.width() < _BOTH
        if narrow and not self.tree.isHidden():
            self.tree.hide()
            self._tree_folded_by_size = True
        elif not narrow and self._tree_folded_by_size:
            self.tree.show()
            self._tree_folded_by_size = False

    def _dock_folded(self, folded: bool) -> None:
        if not folded:
            self._folded_by_size = False
            height = max(self._settings.get("dock_height", round(self.height() * DOCK_SHARE)), 160)
            self._right.setSizes([self.height() - height, height])
        else:
            self._right.setSizes([self.height(), self.dock.head_height()])

    def select_number(self, number: int) -> None:
        """Select a tensor by its number in the outline."""
        outline = self.tree.model.outline
        if outline is not None:
            self.tree.select(outline.tensors[number])
