"""A window without anybody in it: its parts, and how they lie. Who shows something in it stands above, and is not known here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenuBar, QStackedWidget, QVBoxLayout

from tensorloupe.document import Document
from tensorloupe.files.ours import ICON
from tensorloupe.files.settings import Settings
from tensorloupe.opening import drops
from tensorloupe.opening.contents import Contents
from tensorloupe.opening.opener import Opener
from tensorloupe.panels.corner import Corner
from tensorloupe.panels.explorer import Explorer
from tensorloupe.panels.loading import Loading
from tensorloupe.panels.sheet.crumb import Crumb
from tensorloupe.panels.statusbar import StatusBar
from tensorloupe.style.theme import Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.views import ViewContext
from tensorloupe.widgets import tabbing
from tensorloupe.widgets.controls import Ground, Rule
from tensorloupe.widgets.strip import Strip
from tensorloupe.window import geometry

if TYPE_CHECKING:
    from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent

    from tensorloupe.panels.welcome import Welcome


class Shell(QMainWindow):
    """The parts of a window. It owns the task runner, the document and the opener that it is made for.

    contents      what was read of the open model, with what is known of it by now; None while none is open
    menus         the menu bar, still empty
    summary_line  the corner beside it: the open model in a word
    strip         what is said in place, with buttons
    crumb         the way back to the list of models
    stack         the pages, of which one is in front; `loading` and `explorer` are there from the start
    status        the status bar

    dropped       the mime data of a drop that the window accepted
    welcome_made  the welcome page, when it is there for the first time
    """

    dropped = Signal(object)
    welcome_made = Signal(object)

    def __init__(self, theme: Theme, settings: Settings, tasks: TaskRunner, document: Document, opener: Opener) -> None:
        super().__init__()
        self.theme, self.settings, self.tasks, self.document, self.opener = theme, settings, tasks, document, opener
        for owned in (tasks, document, opener):
            owned.setParent(self)
        self.contents: Contents | None = None
        self.setWindowIcon(QIcon(str(ICON)))
        self.setAcceptDrops(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.loading = Loading(theme, tasks)
        self.explorer = Explorer(theme, ViewContext(document, tasks, theme, settings), settings)
        self.strip = Strip(theme)
        self.crumb = Crumb(theme)
        self.status = StatusBar(theme, tasks)
        self.summary_line = Corner(theme)
        self.stack = QStackedWidget()
        for page in (self.loading, self.explorer):
            self.stack.addWidget(page)
        self._welcome: Welcome | None = None
        self.menus = QMenuBar()
        self._put_together()

    @property
    def welcome(self) -> Welcome:
        """The welcome page, made when it is first needed."""
        if self._welcome is None:
            from tensorloupe.panels.welcome import Welcome

            self._welcome = page = Welcome(self.theme)
            page.show_recent(self.settings.recent())
            self.stack.addWidget(page)
            drops.leave_to_window(page)
            self.welcome_made.emit(page)
        return self._welcome

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._set_hot(drops.answer(event))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        drops.answer(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_hot(False)
        if drops.answer(event):
            self.dropped.emit(event.mimeData())

    def _put_together(self) -> None:
        """Lay the parts out: menu bar and corner, strip, crumb, the page in front, status bar."""
        page = tabbing.Page()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Rule(self.theme))
        column.addWidget(self.strip)
        column.addWidget(self.crumb)
        column.addWidget(self.stack, 1)
        column.addWidget(Rule(self.theme, strong=True))
        column.addWidget(self.status)
        self.setCentralWidget(page)
        head = Ground(self.theme, "window")
        row = QHBoxLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.menus)
        row.addWidget(self.summary_line, 1)
        self.setMenuWidget(head)
        self.setMinimumSize(geometry.smallest(self))

    def _set_hot(self, hot: bool) -> None:
        if self._welcome is not None:
            self._welcome.zone.set_hot(hot)
