"""The tree itself: chevrons, column widths that give way when it gets narrow, jumping by typing, drops left to the window."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QStyleOptionViewItem, QTreeView

from tensorloupe.items.arrangement import NAME, SHAPE, SIZE, STATE, TYPE
from tensorloupe.items.tree import TreeModel
from tensorloupe.items.treerows import HEADS
from tensorloupe.items.wording import NOT_LOCATED
from tensorloupe.panels.treerow import RowPainter
from tensorloupe.panels.unfolding import Unfolding
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.delegate import RowDelegate

# widths of the panel below which a column goes, with text of the usual height
_SHAPE_FROM, _SIZE_FROM, _ERROR_FROM, _TYPE_FROM, _USUAL_LINE = 420, 340, 260, 220, 17
_INDENT = 16  # px at the usual font
NOTHING_FITS = "No tensor fits the filter. Esc clears it."
_TYPING = 1.0  # seconds after which typed letters start a new word


class TreeView(QTreeView):
    """Shows a TreeModel. `columns_chosen` tells the names of the columns that the user set by hand, with their state."""

    columns_chosen = Signal(object)

    def __init__(self, theme: Theme, model: TreeModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self._chosen: dict[str, bool] = {}
        self._typed, self._typed_at = "", 0.0
        self.setModel(model)
        self.unfolding = Unfolding(self, model)
        self.setItemDelegate(RowDelegate(theme, self))
        self._painter = RowPainter(theme, self, model)
        self.setAccessibleName("Tensors")
        self.setUniformRowHeights(True)
        self.setIndentation(theme.scaled(_INDENT))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setExpandsOnDoubleClick(True)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(False)
        self._dress_header()
        theme.changed.connect(self._follow)

    def _follow(self) -> None:
        self.setIndentation(self._theme.scaled(_INDENT))
        self.repaint_rows()

    def sizeHint(self) -> QSize:
        return QSize(452, 400)

    def repaint_rows(self) -> None:
        """Paint what is in view anew."""
        if self.isVisible():  # the first to ask for a viewport waits until PySide has loaded every widget that Qt has
            self.viewport().update()

    def choose_columns(self, chosen: dict[str, bool]) -> None:
        """Show or hide columns as the user chose before, by their heads."""
        self._chosen = {head: shown for head, shown in chosen.items() if head in HEADS and isinstance(shown, bool)}
        self.fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        # all is painted anew at a resize: told of each column as well, Qt would paint it all a second time
        head, before = self.header(), self.header().blockSignals(True)
        try:
            super().resizeEvent(event)
            self.fit_columns()
        finally:
            head.blockSignals(before)

    def keyboardSearch(self, search: str) -> None:
        """Jump to the next row whose name begins with what was typed; Qt's own would ask the model row by row."""
        now = time.monotonic()
        fresh = now - self._typed_at > _TYPING
        self._typed, self._typed_at = (search if fresh else self._typed + search).lower(), now
        at = self.currentIndex()
        shown = list(self._model.names_shown({row for row, _ in self._model.groups_shown() if self._is_open(row)}))
        here = next((n for n, (_, *place) in enumerate(shown) if place == [at.row(), at.internalId()]), 0)
        start = here + 1 if fresh and at.isValid() else here
        for name, row, inside in (*shown[start:], *shown[:start]):
            if name.lower().startswith(self._typed):
                self.setCurrentIndex(self._model.createIndex(row, NAME, inside))
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let * open what it stands on as a click does: Qt's own lays out every row that is open anew."""
        if event.key() != Qt.Key.Key_Asterisk:
            super().keyPressEvent(event)
        elif self._model.hasChildren(self.currentIndex()):
            self.expand(self.currentIndex())

    def expandAll(self) -> None:
        """Open all groups, in steps."""
        self.unfolding.open_all()

    def collapseAll(self) -> None:
        """Fold all groups."""
        self.unfolding.stop()
        super().collapseAll()

    def _is_open(self, row: int) -> bool:
        return self.isExpanded(self._model.index(row, NAME))

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self._painter.paint(painter, option.rect, index)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._painter.begin()
        super().paintEvent(event)
        if self._model.filtered_out:
            painter = QPainter(self.viewport())
            painter.setPen(self._theme.color("secondary"))
            rows = self.visualRect(self._model.index(0, NAME)).bottom()
            room = self.viewport().rect().adjusted(16, rows + 16, -16, 0)
            where = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            painter.drawText(room, where, NOTHING_FITS)

    def _dress_header(self) -> None:
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(28)
        header.setSectionsMovable(False)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column in (TYPE, SHAPE, SIZE, STATE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._header_menu)
        header.setAccessibleName("Columns of the tensor tree")

    def fit_columns(self) -> None:
        """Show the columns that the width has room for, or that the user chose; errors are worth more than shapes."""
        width, metrics = self.header().width(), QFontMetrics(self.font())
        compared = self._model.compared
        size = ("000.0 MB" if self._model.all_located else NOT_LOCATED) if compared is None else f"{compared.head} "
        words = {TYPE: "0.00 bpw", SHAPE: "262,144 × 640", SIZE: size}
        room = {column: metrics.horizontalAdvance(text) for column, text in words.items()}
        least = _SIZE_FROM if compared is None else _ERROR_FROM
        scale = metrics.height() / _USUAL_LINE
        automatic = {
            TYPE: width >= (_TYPE_FROM - 16) * scale,
            SHAPE: width >= (_SHAPE_FROM - 16) * scale,
            SIZE: width >= (least - 16) * scale,
        }
        if automatic[SHAPE]:  # not where names have hardly any
            room[TYPE] = max(room[TYPE], min(metrics.horizontalAdvance(self._longest_type()), width // 6))
        for column in (TYPE, SHAPE, SIZE, STATE):
            self.setColumnHidden(column, not self._chosen.get(HEADS[column], automatic.get(column, True)))
            if column in room:
                self.setColumnWidth(column, room[column] + self._theme.scaled(14))
        self.setColumnWidth(STATE, 34)

    def _longest_type(self) -> str:
        """The longest name among the types of what is shown."""
        outline = self._model.outline
        return "" if outline is None else max(set(outline.types), key=len, default="")

    def _header_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        for column in (TYPE, SHAPE, SIZE):
            action = menu.addAction(HEADS[column])
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(column))
            action.setData(HEADS[column])
        menu.addSeparator()
        automatic = menu.addAction("Fit to the width")
        order = menu.addAction("Order of the model")
        picked = menu.exec(self.header().mapToGlobal(where))
        if picked is automatic:
            self._chosen = {}
        elif picked is order:
            self.header().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        elif picked is not None:
            self._chosen[picked.data()] = picked.isChecked()
        menu.deleteLater()
        self.fit_columns()
        self.columns_chosen.emit(dict(self._chosen))
