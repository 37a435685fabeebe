"""The window's list of many models: shown when several are given, left for one of them, and come back to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from tensorloupe import clipboard
from tensorloupe.opening import drops
from tensorloupe.style import text

if TYPE_CHECKING:
    from tensorloupe.items.sheet import SheetRow
    from tensorloupe.panels.sheet.page import SheetPage
    from tensorloupe.window.shell import Shell


KINDS = "JSON, as weightmap validate prints it (*.json);;Table (*.csv)"


class Sheets(QObject):
    """Makes the page when it is first needed. There is one list per window; another one takes its place.

    wished       the name of an action that a button of the page stands for
    open_wanted  the path of a model in the list
    turned       other rows are selected
    closed       the list is gone, and its page is still in front
    """

    wished = Signal(str)
    open_wanted = Signal(object)
    turned = Signal()
    closed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self.page: SheetPage | None = None
        self._opened: str | None = None  # the path of the row that was opened last
        shell.crumb.back_wanted.connect(self.show)
        shell.stack.currentChanged.connect(lambda _: self.refresh_crumb())
        shell.document.model_changed.connect(self.refresh_crumb)

    @property
    def in_front(self) -> bool:
        """Whether the list is what the window shows."""
        return self.page is not None and self._shell.stack.currentWidget() is self.page

    @property
    def exists(self) -> bool:
        """Whether there is a list to come back to."""
        return self.page is not None and bool(self.page.given)

    def check(self, paths: Sequence[str]) -> None:
        """Begin a list of what these paths stand for, and show it."""
        if self.page is None:
            self._made()  # takes its time; the rest is done in the event after
            QTimer.singleShot(0, self, lambda: self.check(paths))
            return
        self._opened = None
        self.page.show_paths(paths)
        self.show()

    def add(self, paths: Sequence[str]) -> None:
        """Add to the list."""
        self._made().add(paths)
        self.show()

    def show(self) -> None:
        """Show the list as it was left."""
        if self.page is not None:
            self._shell.strip.hide()
            self._shell.stack.setCurrentWidget(self.page)
            self.page.view.setFocus()
            self._shell.status.say(self.page.count_text(), None)
            self._shell.status.set_hint("")

    def close(self) -> None:
        """Do away with the list; the open model, or the welcome page, is shown."""
        if self.page is not None:
            self.page.forget()
            self.closed.emit()
            self.refresh_crumb()

    def copy(self, whole_row: bool) -> None:
        """Copy the selected rows, or the finding in front, as the focus has it."""
        if self.page is None:
            return
        focus, findings = self._shell.focusWidget(), self.page.detail.findings
        inside = focus is not None and findings.isAncestorOf(focus)
        clipboard.copy(findings.copy_text(whole_row) if inside else self.page.view.selected_text(whole_row))

    def ask_export(self) -> None:
        """Ask where to, then write what the filter leaves, in the background."""
        from tensorloupe.checking.export import export
        from tensorloupe.items.sheet import TO_DO
        from tensorloupe.widgets import destination
        from tensorloupe.window.writing import write

        page, shell = self.page, self._shell
        if page is None:
            return
        path = destination.ask(shell, shell.settings, "Export the list", "validation.json", KINDS)
        if not path:
            return
        rows = page.model.shown_rows()
        waiting = sum(1 for row in rows if row.state in TO_DO)
        left = f"; {text.count(waiting)} not checked yet are left out" if waiting else ""
        write(
            shell, path, export(rows, path), lambda count, name: f"Wrote {text.counted(count, 'model')} to {name}{left}"
        )

    def ask_files(self) -> None:
        """Ask for more files to add."""
        shell = self._shell
        paths, _ = QFileDialog.getOpenFileNames(shell, "Add files", str(shell.settings.get("folder", "")))
        if paths:
            self.add(paths)

    def refresh_crumb(self) -> None:
        """Show the way back while a model of the list is in front."""
        shell, page = self._shell, self.page
        of_list = self._opened is not None and shell.document.path == self._opened
        if page is not None and self.exists and of_list and shell.stack.currentWidget() is shell.explorer:
            self._shell.crumb.show_place(f"{page.head.place.whole} · {page.count_text()}")
        else:
            self._shell.crumb.hide()

    def _made(self) -> SheetPage:
        if self.page is None:
            from tensorloupe.panels.sheet.page import SheetPage  # the start does without

            shell = self._shell
            page = self.page = SheetPage(shell.theme, shell.tasks, shell.settings)
            page.open_wanted.connect(self._open)
            page.said.connect(self._say)
            page.view.selectionModel().selectionChanged.connect(lambda *_: self.turned.emit())
            for button, name in (
                (page.head.add, "add_files"),
                (page.head.again, "again"),
                (page.head.export, "export_list"),
                (page.head.close_, "close"),
            ):
                button.clicked.connect(lambda _=False, name=name: self.wished.emit(name))
            shell.stack.addWidget(page)
            drops.leave_to_window(page)
        return self.page

    def _open(self, row: SheetRow) -> None:
        self._opened = row.path
        self.open_wanted.emit(row.path)

    def _say(self, sentence: str, status: str | None) -> None:
        if self.in_front:
            self._shell.status.say(sentence, status)
        self.refresh_crumb()
