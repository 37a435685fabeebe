"""Subject, tabs and the view of the selected tensor, or the page of the whole file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from tensorloupe.opening import drops
from tensorloupe.opening.contents import Contents
from tensorloupe.panels.filepage import FilePage
from tensorloupe.panels.looking import Looking
from tensorloupe.panels.subject import Subject
from tensorloupe.panels.viewmaker import ViewMaker
from tensorloupe.readable import problem_of
from tensorloupe.style.theme import Theme
from tensorloupe.views import VIEWS, View, ViewContext
from tensorloupe.widgets import tabbing
from tensorloupe.widgets.controls import Ground, IconButton, Rule
from tensorloupe.widgets.tabs import Tabs

if TYPE_CHECKING:
    from tensorloupe.readable import Shown
    from tensorloupe.views.notice import Notice


class ViewArea(QWidget):
    """What is selected, seen through the view of the current tab.

    said     that view's line for the status bar
    written  (path, None or the exception) once a view wrote a file, or could not
    """

    said = Signal(str)
    view_changed = Signal()
    save_wanted = Signal()
    copy_wanted = Signal()
    action_wanted = Signal(str)
    written = Signal(str, object)

    def __init__(self, theme: Theme, context: ViewContext) -> None:
        super().__init__()
        self._theme, self._context = theme, context
        self.maker = ViewMaker(context, self._put, self)
        self._contents: Contents | None = None
        self.subject = Subject(theme)
        self.looking = Looking(theme, context.tasks, context.document)
        self.file_page = FilePage(theme)
        self.tabs = Tabs("Views of the tensor", (kind.title for kind in VIEWS))
        self.save = IconButton(theme, "save", "Save the picture (Ctrl+S)", "Save picture")
        self.copy = IconButton(theme, "copy", "Copy the values", "Copy values")
        self.save.clicked.connect(self.save_wanted)
        self.copy.clicked.connect(self.copy_wanted)
        self._head = self._tab_row()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.file_page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.subject)
        column.addWidget(self.looking)
        column.addWidget(self._head)
        column.addWidget(Rule(theme, strong=True))
        column.addWidget(self._stack, 1)
        self.tabs.currentChanged.connect(self.show_current)
        self.looking.changed.connect(self.show_current)
        context.document.selected_changed.connect(self.show_current)
        theme.painted.connect(self._refresh_theme)

    def minimumSizeHint(self) -> QSize:
        return QSize(460, 260)

    def show_contents(self, contents: Contents) -> None:
        """Show another file, whole."""
        self._contents = contents
        self.file_page.show_contents(contents)

    def take_summary(self, contents: Contents) -> None:
        """Show what is known about the same file by now."""
        self._contents = contents
        self.file_page.show_summary(contents.summary)
        if self._context.document.selected is None:
            self.subject.show_file(contents.summary, contents.path)

    @cached_property
    def _notice(self) -> Notice:
        """What stands where a view would be, in words."""
        from tensorloupe.views.notice import Notice

        page = Notice(self._theme, self._stack)
        page.again.connect(self.show_current)
        page.reload.connect(lambda: self.action_wanted.emit("reload"))
        drops.leave_to_window(page)
        self._stack.addWidget(page)
        return page

    @property
    def view(self) -> View | None:
        """The view in front, None while the whole file or a message is."""
        widget = self._stack.currentWidget()
        return widget if isinstance(widget, View) else None

    def open_tab(self, position: int) -> None:
        """Turn to a view; without a tensor the file page stays, and the tab is kept for the next one."""
        if 0 <= position < len(VIEWS):
            self.tabs.setCurrentIndex(position)

    def show_current(self, *_: object) -> None:
        """Show what is selected in the view of the current tab."""
        tensor = self._context.document.selected
        self._head.setVisible(tensor is not None)
        self.looking.select(tensor)
        if tensor is None:
            self._leave(None)
            if self._contents is not None:
                self.subject.show_file(self._contents.summary, self._contents.path)
            self._turn_to(self.file_page)
            self.said.emit("")
            return
        self.refresh_subject()
        kind = VIEWS[self.tabs.currentIndex()]
        if not kind.supports(tensor):
            self._leave(None)
            self._notice.say(kind.why_not(tensor))
            self._turn_to(self._notice)
            self.said.emit("")
            return
        shown = self.looking.shown if kind.layers else self.looking.weight
        problem = problem_of(shown) if kind.needs == "tensor" and shown is not None else None
        if problem is not None:
            self._leave(None)
            self._notice.refuse(problem)
            self._turn_to(self._notice)
            self.said.emit("")
            return
        try:
            self._show_view(self.maker.view(kind, tensor), shown)
        except Exception as reason:  # a view that fails leaves the window and the other views alone
            self._notice.fail(reason)
            self._turn_to(self._notice)
            self.said.emit("")

    def refresh_subject(self) -> None:
        """Show the state that the selected tensor has by now."""
        tensor = self._context.document.selected
        if tensor is not None:
            self.subject.show_tensor(tensor, self._contents is not None and self._contents.findings is not None)
            if self._context.document.comparing is not None:
                self.subject.add_verdict(self._context.document.comparing.verdict_of(tensor))

    def all_views(self) -> tuple[str, ...]:
        """Keys of the views, in the order of their tabs."""
        return tuple(kind.key for kind in VIEWS)

    def focus_inside(self) -> None:
        """Put the focus into the view in front."""
        shown = self._stack.currentWidget()
        target = self.view.focusProxy() if self.view is not None else None
        if target is not None and target.isVisible():
            tabbing.give_focus(target)
        elif shown is None or not tabbing.focus_first(shown):
            tabbing.give_focus(self.tabs if self._head.isVisible() else self.subject)

    def _put(self, view: View) -> None:
        """Take in a view that was made."""
        from tensorloupe.views.notice import Notice  # every view has some

        for notice in view.findChildren(Notice):
            notice.reload.connect(lambda: self.action_wanted.emit("reload"))
        view.status_text.connect(self._say)
        view.picture_changed.connect(self.view_changed)
        view.action_wanted.connect(self.action_wanted)
        view.go_wanted.connect(self._go)
        view.written.connect(self.written)
        self._stack.addWidget(view)

    def _go(self, key: str, index: Sequence[int]) -> None:
        """Turn to another view at an element of the same tensor."""
        self.open_tab(self.all_views().index(key))
        if self.view is not None:
            self.view.go_to_element(index)
            self.focus_inside()

    def _show_view(self, view: View, tensor: Shown | None) -> None:
        self._leave(view)
        self._turn_to(view)
        view.show_tensor(tensor)

    def _leave(self, staying: View | None) -> None:
        for view in self.maker:
            if view is not staying:
                view.cancel()

    def _turn_to(self, page: QWidget) -> None:
        if self._stack.currentWidget() is not page:
            self._stack.setCurrentWidget(page)
        self.view_changed.emit()

    def _say(self, sentence: str) -> None:
        if self.sender() is self.view:
            self.said.emit(sentence)

    def _refresh_theme(self) -> None:
        for view in self.maker:
            view.refresh_theme()

    def _tab_row(self) -> QWidget:
        head = Ground(self._theme, "base")
        row = QHBoxLayout(head)
        row.setContentsMargins(10, 0, 12, 0)
        row.setSpacing(4)
        row.addWidget(self.tabs)
        row.addStretch(1)
        beside = QHBoxLayout()
        # the words of tabs stand that much higher, over the bar of the selected one
        beside.setContentsMargins(0, 0, 0, 4)
        beside.setSpacing(4)
        beside.addWidget(self.save)
        beside.addWidget(self.copy)
        row.addLayout(beside)
        head.setMinimumHeight(max(34, self.tabs.sizeHint().height()))
        return head

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_words()

    def _fit_words(self) -> None:
        """Words beside the icons where the tabs leave room for them."""
        buttons = (self.save, self.copy)
        side = self.save.iconSize().width()
        words = sum(self.fontMetrics().horizontalAdvance(button.text()) + side + 16 for button in buttons)
        wide = self.width() >= max(720, self.tabs.sizeHint().width() + words + 40)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if wide else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button, word in ((self.save, "Save the picture (Ctrl+S)"), (self.copy, "Copy the values")):
            button.setToolButtonStyle(style)
            button.setVisible(self.width() >= self.tabs.sizeHint().width() + 2 * button.iconSize().width() + 48)
            button.setToolTip("" if wide else word)
