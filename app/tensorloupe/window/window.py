"""The window: puts menu bar, welcome page, explorer and status bar together, and passes wishes on to who fulfils them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMainWindow, QMenuBar, QStackedWidget, QWidget

from tensorloupe import clipboard
from tensorloupe.checking.watch import Watch
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
from tensorloupe.widgets.strip import Strip
from tensorloupe.window import commands, frame, geometry, session
from tensorloupe.window.actions import Actions
from tensorloupe.window.arrivals import Arrivals
from tensorloupe.window.judging import Judging
from tensorloupe.window.scanning import Scanning, status_to_say
from tensorloupe.window.sheets import Sheets

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent

    from tensorloupe.panels.welcome import Welcome
    from tensorloupe.weights import Weight

_PATIENCE = 800  # milliseconds that a window which is gone from the screen waits for its threads


class Window(QMainWindow):
    """One model at a time. Holds the parts and no logic of theirs; what an action does stands in `commands`."""

    closed = Signal(object)
    window_wanted = Signal(object)  # the path to open in it, or None

    def __init__(self, theme: Theme, settings: Settings, tasks: TaskRunner, document: Document, opener: Opener) -> None:
        super().__init__()
        self.theme, self.settings, self.tasks, self.document, self.opener = theme, settings, tasks, document, opener
        for owned in (tasks, document, opener):
            owned.setParent(self)
        self.contents: Contents | None = None
        self.to_select: str | None = None
        self.asked_tensor: str | None = None
        self.setWindowIcon(QIcon(str(ICON)))
        self.setAcceptDrops(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
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
        frame.put_together(self)
        self.actions_ = Actions(self, self.menus, self.do)
        self.actions_.set_mode(theme.mode)
        self.scanning, self.judging = Scanning(self), Judging(self)
        self.sheets = Sheets(self, self.crumb)
        self.watch = Watch(opener, tasks, document, self)
        self.actions_.by_name["check_values"].setChecked(self.scanning.automatic)
        self.actions_.by_name["restore_session"].setChecked(settings.get(session.WANTED, False))
        self._arrivals = Arrivals(self)
        self._connect()
        self.refresh_recent()
        self.refresh_actions()
        self.show_title()
        drops.leave_to_window(self)

    def open_paths(self, paths: Sequence[str], tensor: str | None = None) -> None:
        """Open a path; of two, let the user choose; more are listed and judged. `tensor` is selected once it is open."""
        self.to_select = tensor
        paths = drops.one_per_set(paths)
        if len(paths) == 1:
            self.strip.hide()
            self.opener.open(paths[0])
        elif self.sheets.in_front and paths:
            self.sheets.add(paths)
        elif len(paths) == 2:
            self.choose("Two files. Choose the one to open, or what to do with both.", paths)
        elif paths:
            self.sheets.check(paths)

    def open_row(self, path: str) -> None:
        """Open a model of the list, which stays in front until the model can be shown."""
        self.to_select = None
        self.opener.open(path)

    def leave(self) -> None:
        """Turn to what else there is, after a file or the list was closed."""
        if self.document.model is None and self.sheets.exists:
            self.sheets.show()
            return
        self.stack.setCurrentWidget(self.explorer if self.document.model is not None else self.welcome)
        self.show_title()
        self.status.say("Ready", None)
        self.show_file_status()
        self.refresh_actions()

    def do(self, name: str) -> None:
        """Do what the action of that name says."""
        commands.run(self, name)

    def wait_for_opening(self, path: str | None, tensor: str | None) -> None:
        """Take over an opening that began before there was a window."""
        self.asked_tensor = self.to_select = tensor
        if path is not None:
            self._arrivals.started(path)
        else:
            self.stack.setCurrentWidget(self.welcome)

    @property
    def welcome(self) -> Welcome:
        """The welcome page, made when it is first needed."""
        if self._welcome is None:
            from tensorloupe.window.welcoming import made_welcome

            self._welcome = made_welcome(self)
        return self._welcome

    def choose(self, title: str, paths: Sequence[str]) -> None:
        """Show a list of files of which one is to be opened."""
        self.welcome.show_choices(title, paths, self.document.model is not None)
        self.stack.setCurrentWidget(self.welcome)

    def refresh_recent(self) -> None:
        """Show the recent files that the settings know of now."""
        recent = self.settings.recent()
        if self._welcome is not None:
            self._welcome.show_recent(recent)
        self.actions_.show_recent(recent, lambda path: self.open_paths([path]))

    def refresh_actions(self) -> None:
        """Let the actions be used that have something to work on."""
        frame.refresh_actions(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange:
            self.watch.set_active(self.isActiveWindow())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._set_hot(drops.answer(event))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        drops.answer(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_hot(False)
        if drops.answer(event):
            from tensorloupe.window.addresses import take_drop

            take_drop(self, event.mimeData())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.explorer.remember()
        geometry.remember(self, self.settings)
        model = self.document.model
        for view in self.explorer.area.findChildren(QWidget):
            view.blockSignals(True)
        self.hide()
        if self.tasks.shutdown(_PATIENCE) and model is not None:
            model.close()  # waits for reads under way: a thread that is not home ends with the program
        self.closed.emit(self)
        event.accept()

    def _set_hot(self, hot: bool) -> None:
        if self._welcome is not None:
            self._welcome.zone.set_hot(hot)

    def _connect(self) -> None:
        area = self.explorer.area
        area.said.connect(self._say)
        area.view_changed.connect(self._view_changed)
        area.save_wanted.connect(lambda: commands.run(self, "save_picture"))
        area.copy_wanted.connect(lambda: commands.run(self, "copy_values"))
        area.action_wanted.connect(self.do)
        area.subject.copied.connect(clipboard.copy)
        area.file_page.report_wanted.connect(lambda: commands.run(self, "copy_report"))
        self.explorer.tree.copied.connect(clipboard.copy)
        self.explorer.dock.copying.said.connect(lambda sentence: self.status.say(sentence, "info"))
        self.explorer.dock.finding_chosen.connect(lambda finding: commands.show_finding(self, finding))
        self.document.selected_changed.connect(self._selected)
        self.tasks.ended.connect(self._task_ended)
        self.theme.changed.connect(self.update)
        self.stack.currentChanged.connect(self._turned)

    def forget_path(self, path: str) -> None:
        """Take a file from the recent list."""
        self.settings.remove_recent(path)
        self.strip.hide()
        self.refresh_recent()

    def _selected(self, tensor: Weight | None) -> None:
        self.refresh_actions()
        if tensor is None and self.contents is not None:
            self._say("")

    def _say(self, sentence: str) -> None:
        if sentence or self.document.selected is not None:  # nothing said of another view, or tensor, stays
            self.status.say(sentence, status_to_say(self) if sentence else None)
        else:
            self.show_file_status()
        self.refresh_actions()

    def show_file_status(self) -> None:
        """Say in the status bar how the whole file stands, where that is what is shown."""
        frame.show_file_status(self)

    def _view_changed(self) -> None:
        drops.leave_to_window(self.explorer.area)
        self.refresh_actions()

    def _task_ended(self, _: object) -> None:
        """A scan of values may have found something: show the states that tensor and file have by now."""
        self.scanning.refresh_selected()
        self.refresh_actions()

    def _turned(self, _: int) -> None:
        """Another page is in front: what can be done, the title and the status bar are about that one."""
        self.show_title()
        self.refresh_actions()
        self.show_file_status()

    def show_title(self) -> None:
        """Name the open file in the title, letter by letter."""
        frame.show_title(self)
