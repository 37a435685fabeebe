"""The list of many models: puts head, chips, table and findings together, and fills rows in as verdicts come."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

import weightmap
from tensorloupe.checking.filling import Filling
from tensorloupe.checking.sweep import Event, Sweep
from tensorloupe.files.places import is_address
from tensorloupe.files.settings import Settings
from tensorloupe.items.sheet import TO_DO, SheetRow, SheetTable
from tensorloupe.panels.sheet.detail import SheetDetail
from tensorloupe.panels.sheet.head import SheetChips, SheetHead
from tensorloupe.panels.sheet.table import SheetView
from tensorloupe.style import text
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.widgets import tabbing
from tensorloupe.widgets.controls import Rule
from tensorloupe.widgets.strip import Strip

VALUES = "sheet_values"  # the setting: whether every value is looked at, too
_SETTLE = 300  # milliseconds between two times that rows find their places


class SheetPage(QWidget):
    """Models that were dropped, or lie in a folder. `said` is for the status bar, `open_wanted` a row to look into."""

    said = Signal(str, object)
    open_wanted = Signal(object)

    def __init__(self, theme: Theme, tasks: TaskRunner, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.given: list[str] = []
        self._dirty = False
        self.model = SheetTable(self)
        self._filling = Filling(self.model, "")
        self.sweep = Sweep(tasks, self)
        self.head, self.chips = SheetHead(theme), SheetChips(theme)
        self.strip = Strip(theme)
        self.view = SheetView(theme, self.model)
        self.detail = SheetDetail(theme)
        self.head.values.setChecked(bool(settings.get(VALUES, False)))
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        split.addWidget(self.view)
        split.addWidget(self.detail)
        split.setStretchFactor(0, 1)
        split.setSizes([520, 200])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.head, Rule(theme), self.strip, self.chips):
            column.addWidget(widget)
        column.addWidget(split, 1)
        self._settle = QTimer(self)
        self._settle.setInterval(_SETTLE)
        self._settle.timeout.connect(self._take_places)
        self._connect()

    def minimumSizeHint(self) -> QSize:
        return QSize(640, 360)

    def show_paths(self, given: Sequence[str]) -> None:
        """Begin a new list of the models that these paths stand for."""
        self.sweep.drop()
        self.given = list(dict.fromkeys(given))
        alone = len(self.given) == 1 and not is_address(given[0])
        root = os.path.normpath(given[0]) if alone else _common(self.given)
        self._filling = Filling(self.model, root)
        self.head.place.set_text(weightmap.printable(root))
        self.model.clear()
        self.view.show_folders(False)
        self.chips.field.clear()
        self.chips.choose("")
        self.strip.hide()
        self._run([])

    def add(self, paths: Sequence[str]) -> None:
        """Add the models that more paths stand for."""
        fresh = [path for path in paths if path not in self.given]
        self.given += fresh
        self._run([row for row in self.model.rows if row.state in TO_DO])

    def again(self, rows: Sequence[SheetRow] | None = None) -> None:
        """Check these rows anew, or all of them and what is new in the folders."""
        chosen = list(self.model.rows) if rows is None else list(rows)
        for row in chosen:
            row.state, row.doing, row.hidden, row.values = "waiting", "", False, False
        if rows is None:
            self._filling.sets.clear()
        self._run([row for row in self.model.rows if row.state in TO_DO], walk=rows is None)

    def again_chosen(self) -> None:
        """Check anew what is selected where that is more than one row, else everything."""
        rows = self.view.selected()
        self.again(rows if len(rows) > 1 else None)

    def resume(self) -> None:
        """Go on where it was cancelled."""
        self._run([row for row in self.model.rows if row.state in TO_DO])

    def forget(self) -> None:
        """Stop, and let go of all rows."""
        self.sweep.drop()
        self._settle.stop()
        self.given = []
        self.model.clear()
        self.detail.show_row(None)

    def focus_filter(self) -> None:
        """Put the cursor into the filter field, with its text selected."""
        self.chips.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.chips.field.selectAll()

    def next_region(self) -> None:
        """Move the focus from the list to the findings, and back."""
        inside = self.view.hasFocus() and self.detail.findings.isVisible()
        tabbing.give_focus(self.detail.findings.table if inside else self.view)

    def clear_filter(self) -> bool:
        """Show all rows again; says whether some were hidden."""
        had = bool(self.chips.field.text() or self.chips.states)
        self.chips.field.clear()
        self.chips.choose("")
        return had

    def count_text(self, counts: Counter[str] | None = None) -> str:
        """How far it is: "19 of 22 models checked"."""
        counts = self.model.counts() if counts is None else counts
        total, waiting = counts.total(), sum(counts[state] for state in TO_DO)
        if not total and self.sweep.running:
            return "Looking for models"
        if waiting:
            return f"{text.count(total - waiting)} of {text.counted(total, 'model')} checked"
        return f"{text.counted(total, 'model')} checked"

    def _run(self, rows: Sequence[SheetRow], walk: bool = True) -> None:
        self.strip.hide()
        known, values = self._filling.numbers, self.head.values.isChecked()
        todo = [(known[row.path], row.path) for row in rows if not row.hidden]
        for row in rows:
            row.state, row.doing = "waiting", ""
        self.sweep.start(self.given if walk or self.sweep.running else (), known, todo, values)
        self._dirty = True
        self._settle.start()
        self._take_places()

    def _connect(self) -> None:
        self.sweep.heard.connect(self._heard)
        self.sweep.ended.connect(self._ended)
        self.chips.chosen.connect(self._filter)
        self.chips.field.textChanged.connect(lambda _: self._filter())
        self.head.values_switched.connect(self._values_switched)
        self.view.opened.connect(self._open)
        self.view.again_wanted.connect(lambda: self.again(self.view.selected()))
        self.view.selectionModel().currentRowChanged.connect(self._moved)
        self.detail.open_wanted.connect(self._open)

    def _heard(self, events: Sequence[Event]) -> None:
        if self._filling.take(events):
            self.view.show_folders(True)
        self._dirty = True

    def _ended(self, whole: bool) -> None:
        for row in self.model.rows:
            if row.state == "running":
                row.state, row.doing = "waiting", ""
        self._settle.stop()
        self._dirty = True
        self._take_places(settled=True)
        if not whole:
            said = self.count_text().removesuffix(" checked")
            self.strip.say("info", f"Cancelled at {said}.", "", (("Resume", self.resume),))
        elif self.view.current() is None and self.model.rowCount():
            self.view.setCurrentIndex(self.model.index(0, 1))

    def _take_places(self, settled: bool = False) -> None:
        if not self._dirty:
            return
        self._dirty = False
        if self.view.still and not settled:
            self._dirty = True  # rows move once the hand is off them; what they say is shown at once
            self.view.viewport().update()
        else:
            self._keeping_cursor(self.model.settle)
        self._settle.setInterval(max(_SETTLE, len(self.model.rows) // 10))
        counts = self.model.counts()
        self.chips.show_counts(counts)
        self.detail.show_row(self.view.current())
        self.said.emit(self.count_text(counts), None)

    def _keeping_cursor(self, change: Callable[[], None]) -> None:
        row = self.view.current()
        change()
        if row is not None and self.view.current() is not row:
            self.view.go_to(row)

    def _filter(self, *_: object) -> None:
        self._keeping_cursor(lambda: self.model.show_only(self.chips.states, self.chips.field.text()))
        self.chips.show_counts(self.model.counts())

    def _moved(self, *_: object) -> None:
        self.detail.show_row(self.view.current())

    def _values_switched(self, on: bool) -> None:
        self._settings.set(VALUES, on)
        rows = [row for row in self.model.rows if row.openable and not row.values]
        if on and rows:
            self.again(rows)

    def _open(self) -> None:
        row = self.view.current()
        if row is not None and row.openable:
            self.open_wanted.emit(row)
        elif row is not None:
            self.said.emit(row.first, row.state)


def _common(paths: Sequence[str]) -> str:
    """The folder that all the paths lie in; empty where there is none."""
    if any(map(is_address, paths)):
        return ""
    try:
        return os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    except ValueError:
        return ""
