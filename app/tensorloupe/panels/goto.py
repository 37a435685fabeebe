"""Go to a tensor by typing some of its name: a field, and under it the tensors that fit, best first."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QListView, QVBoxLayout, QWidget

from tensorloupe.items.outline import Outline
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.field import SearchField

# rows of 24 px as in the tree
_ROWS = """QListView::item { padding: 3px 9px; }
QListView::item:selected { background: palette(highlight); color: palette(text); }"""
_MOST = 200  # rows; typing one more letter is quicker than reading further


class GoTo(QDialog):
    """Emits the tensor that was chosen. Esc leaves."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._outline: Outline | None = None
        self._numbers: list[int] = []
        self.setWindowTitle("Go to tensor")
        self.field = SearchField(theme, "Name of a tensor, or some of its parts")
        self.field.setAccessibleName("Name of a tensor")
        self.field.installEventFilter(self)
        self._names = QStringListModel(self)
        self.list = QListView()
        self.list.setModel(self._names)
        self.list.setAccessibleName("Tensors that fit")
        self.list.setUniformItemSizes(True)
        self.list.setStyleSheet(_ROWS)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.field.textChanged.connect(self._search)
        self.list.clicked.connect(self._choose)
        self.resize(520, 380)

    def ask(self, outline: Outline) -> None:
        """Ask for a tensor of this model."""
        self._outline = outline
        self.field.clear()
        self._search("")
        self.field.setFocus()
        self.open()

    def follow(self, outline: Outline) -> None:
        """Another model is open: what was typed is looked for in that one."""
        self._outline = outline
        if self.isVisible():
            self._search(self.field.text())

    def leave_without(self, model: object) -> None:
        """Go away where there is no model any more."""
        if model is None:
            self._outline = None
            self.reject()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                QApplication.sendEvent(self.list, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose()
                return True
        return super().eventFilter(watched, event)

    def _search(self, typed: str) -> None:
        if self._outline is None:
            return
        self._numbers = ranked(self._outline, typed)[:_MOST]
        self._names.setStringList([self._outline.names[number] for number in self._numbers])
        if self._numbers:
            self.list.setCurrentIndex(self._names.index(0, 0))

    def _choose(self, *_: object) -> None:
        row = self.list.currentIndex().row()
        if self._outline is not None and 0 <= row < len(self._numbers):
            self.accept()
            self.chosen.emit(self._outline.tensors[self._numbers[row]])


def ranked(outline: Outline, typed: str) -> list[int]:
    """Numbers of the tensors in which every word stands: exact names first, then beginnings, then by name."""
    fitting: list[int] = outline.by_name.argsort().tolist()
    lowered, whole = outline.lowered, typed.strip().lower()
    for word in whole.split():
        fitting = [n for n in fitting if word in lowered[n]]
    if whole:
        fitting.sort(key=lambda n: (lowered[n] != whole, not lowered[n].startswith(whole)))
    return fitting
