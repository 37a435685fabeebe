"""What stands in the window while no model is open: a place to drop one, recent files, the sample; or a choice to make."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from tensorloupe.files.settings import Recent
from tensorloupe.panels.pathlist import PathList, path_rows, recent_row
from tensorloupe.style import icons
from tensorloupe.style.theme import SECONDARY, SUBJECT, TITLE, Theme
from tensorloupe.widgets.controls import Ground, PlainLabel

_WIDTH = 860


class Welcome(QScrollArea):
    """Emits what to open. `show_choices` lists files instead of the recent ones, where several were given at once."""

    open_wanted = Signal()
    folder_wanted = Signal()
    sample_wanted = Signal()
    path_chosen = Signal(object)
    path_removed = Signal(object)
    recent_cleared = Signal()
    back_wanted = Signal()
    check_wanted = Signal(object)
    compare_wanted = Signal(object)
    both_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.zone = DropZone(theme)
        self.zone.open_button.clicked.connect(self.open_wanted)
        self.zone.folder_button.clicked.connect(self.folder_wanted)
        self._list_title = PlainLabel(theme, bold=True, elide=True)
        self._clear = QPushButton("Clear list")
        self._clear.setFlat(True)
        self._clear.clicked.connect(self.recent_cleared)
        self.check, self.compare = QPushButton("Validate both"), QPushButton("Compare")
        self.compare.setToolTip("Open the smaller one and compare it with the other")
        self.both = QPushButton("Open both")
        self.check.clicked.connect(lambda: self.check_wanted.emit(self._paths()))
        self.compare.clicked.connect(lambda: self.compare_wanted.emit(self._paths()))
        self.both.clicked.connect(lambda: self.both_wanted.emit(self._paths()))
        self.back = QPushButton("Back to the open model")
        self.back.clicked.connect(self.back_wanted)
        self.list = PathList(theme, "Recent files", removable=True)
        self.list.opened.connect(self.path_chosen)
        self.list.removed.connect(self.path_removed)
        page = Ground(theme, "window")
        inside = QWidget()
        inside.setMaximumWidth(_WIDTH)
        inside.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(page)
        row.setContentsMargins(16, 0, 16, 0)
        row.addStretch(1)
        row.addWidget(inside, 100)
        row.addStretch(1)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 24, 0, 24)
        column.setSpacing(16)
        column.addStretch(1)
        column.addLayout(self._title())
        column.addWidget(self.zone)
        column.addLayout(self._list_head())
        column.addWidget(self.list)
        self.sample = self._sample()
        column.addWidget(self.sample)
        column.addWidget(self._promise())
        column.addStretch(2)
        self.setWidget(page)

    def show_recent(self, recent: Sequence[Recent]) -> None:
        """List the recent files as they were when last opened; the disk is not asked."""
        now = datetime.now()
        self._list_title.set_text("Recent")
        self.list.setAccessibleName("Recent files")
        self.list.show_paths([recent_row(entry, now) for entry in recent])
        for widget in (self._list_title, self._clear, self.list):
            widget.setVisible(bool(recent))
        self.sample.show()
        for button in (self.back, self.check, self.compare, self.both):
            button.hide()

    def show_choices(self, title: str, paths: Sequence[str], can_go_back: bool) -> None:
        """List files of which one is to be opened, or none where a model is open behind this page."""
        self.back.setVisible(can_go_back)
        for button in (self.check, self.compare, self.both):
            button.show()
        self._list_title.set_text(title)
        self.list.setAccessibleName(title)
        self.list.show_paths(path_rows(paths))
        self._list_title.show()
        self.list.show()
        self.list.setCurrentIndex(self.list.paths.index(0, 0))
        self.list.setFocus()
        self._clear.hide()
        self.sample.hide()  # there is a model at hand

    def _paths(self) -> list[str]:
        return [row.path for row in self.list.paths.rows]

    def _title(self) -> QHBoxLayout:
        name, said = PlainLabel(self._theme, ratio=TITLE, bold=True), PlainLabel(self._theme, "secondary")
        name.set_text("Tensorloupe")
        said.set_text("look into GGUF and safetensors files")
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(name, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(said, 0, Qt.AlignmentFlag.AlignBottom)
        row.addStretch(1)
        said.setContentsMargins(0, 0, 0, 6)
        return row

    def _list_head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self._list_title)
        row.addStretch(1)
        row.addWidget(self._clear)
        for button in (self.compare, self.both, self.check):
            row.addWidget(button)
        row.addWidget(self.back)
        return row

    def _sample(self) -> QWidget:
        box = Ground(self._theme, "base")
        title, said = PlainLabel(self._theme, bold=True), PlainLabel(self._theme, "secondary")
        title.set_text("No model at hand?")
        said.set_text("The sample holds real weights of all-MiniLM-L6-v2 in many stored types.")
        said.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(said)
        button = QPushButton("Open the sample")
        button.clicked.connect(self.sample_wanted)
        row = QHBoxLayout(box)
        row.setContentsMargins(18, 12, 16, 12)
        row.setSpacing(16)
        row.addLayout(words, 1)
        row.addWidget(button)
        return box

    def _promise(self) -> QWidget:
        said = PlainLabel(self._theme, "secondary", SECONDARY)
        said.set_text(
            "Files are opened read-only. Nothing is sent anywhere, and no address is contacted unless you open it."
        )
        said.setWordWrap(True)
        return said


class DropZone(QWidget):
    """A dashed frame that says what can be dropped, with the buttons that do the same. `hot` while a file hovers."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._hot = theme, False
        title, said = PlainLabel(theme, ratio=SUBJECT, bold=True), PlainLabel(theme, "secondary")
        title.set_text("Drop a model here")
        said.set_text("A GGUF or safetensors file, any part of a split model, or a folder.")
        said.setWordWrap(True)
        said.setMinimumWidth(140)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addStretch(1)
        words.addWidget(title)
        words.addWidget(said)
        words.addStretch(1)
        self.open_button = QPushButton("Open file     Ctrl+O")
        self.open_button.setAccessibleName("Open file")
        self.open_button.setProperty("primary", True)
        self.folder_button = QPushButton("Open folder")
        buttons = QVBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.open_button, self.folder_button):
            button.setMinimumSize(200, 32)
            buttons.addWidget(button)
        buttons.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(112, 26, 36, 26)
        row.setSpacing(24)
        row.addLayout(words, 1)
        row.addLayout(buttons)
        self.setMinimumHeight(142)
        theme.changed.connect(self.update)

    def set_hot(self, hot: bool) -> None:
        """Show that what hovers would be taken."""
        self._hot = hot
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(420, 142)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._theme.color("info" if self._hot else "strong"), 2, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.setBrush(self._theme.color("highlight" if self._hot else "base"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        icons.paint(painter, "drop", 36, self.height() / 2 - 29, self._theme.color("info"), 58, 0.6)
