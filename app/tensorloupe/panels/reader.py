"""Reads one long value: a chat template or JSON as plain text, an array as a table. Text is never rendered."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from tensorloupe.items.metadata import Entry
from tensorloupe.panels.arrays import ArrayPanel, values_of
from tensorloupe.panels.copying import Copying
from tensorloupe.style import text
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.widgets.controls import PlainLabel, Rule
from tensorloupe.widgets.longtext import LongText


class Reader(QWidget):
    """The whole value of a metadata entry, beside the table that shows its beginning."""

    def __init__(self, theme: Theme, tasks: TaskRunner, copying: Copying) -> None:
        super().__init__()
        self._title = PlainLabel(theme, bold=True, elide=True)
        self._amount = PlainLabel(theme, "secondary", SECONDARY)
        self.text = LongText()
        self.text.setAccessibleName("Value of the selected key")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.array = ArrayPanel(theme, tasks, copying, "reader", "Items of the selected key")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.text)
        self._stack.addWidget(self.array)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 12, 4)
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addWidget(self._amount)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Rule(theme))
        column.addWidget(self._stack, 1)

    def show_entry(self, entry: Entry) -> None:
        """Show the whole of a value."""
        self._title.set_text(entry.key)
        if entry.is_array:
            self._amount.set_text(text.counted(len(entry.value), "item"))
            self.array.show_columns(values_of(entry))
            self._stack.setCurrentWidget(self.array)
            return
        value = entry.value if isinstance(entry.value, str) else entry.shown
        shown = self.text.show_text(value)
        cut = f", the first {text.count(shown)} shown" if shown < len(value) else ""
        self._amount.set_text(text.counted(len(value), "character") + cut)
        self._stack.setCurrentWidget(self.text)

    def copy_text(self, whole_row: bool) -> str:
        """What Copy takes from here; items of an array are on the clipboard a moment later."""
        if self._stack.currentWidget() is self.array:
            self.array.copy(whole_row)
            return ""
        return self.text.selected_text()
