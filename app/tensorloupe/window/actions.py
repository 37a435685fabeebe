"""Menus: every action of the window with its key, in one table. What an action does is the window's business."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar

import weightmap
from tensorloupe.files.settings import Recent
from tensorloupe.style.theme import MODES
from tensorloupe.views import VIEWS

# nothing; an open model in front, its selected tensor, values of that, a picture of them, a table beside it that can be
# exported, findings, its reference; the list of models in front, a model or the list, a list to go back to
Need = Literal["", "model", "tensor", "values", "picture", "table", "findings", "reference", "sheet", "content", "list"]


class Item(NamedTuple):
    """A line of a menu. `keys` are shown and work in the whole window; `needs` says when it can be used."""

    name: str
    word: str
    keys: tuple[str, ...] = ()
    needs: Need = ""
    checkable: bool = False


SEPARATOR = Item("", "")

MENUS: tuple[tuple[str, tuple[Item, ...]], ...] = (
    (
        "&File",
        (
            Item("open", "&Open…", ("Ctrl+O",)),
            Item("open_folder", "Open &folder…", ("Ctrl+Shift+D",)),
            Item("open_address", "Open a&ddress…", ("Ctrl+L",)),
            Item("check_folder", "Chec&k a folder…", ("Ctrl+Shift+O",)),
            Item("recent", "Open &recent"),
            Item("sample", "Open the &sample", ("Ctrl+Shift+M",)),
            SEPARATOR,
            Item("reload", "&Reload and check again", ("F5",), "content"),
            Item("add_files", "&Add files to the list…", ("Ins",), "sheet"),
            Item("export_list", "&Export the list…", ("Ctrl+E",), "sheet"),
            SEPARATOR,
            Item("save_picture", "&Save picture…", ("Ctrl+S",), "picture"),
            Item("export_values", "E&xport values…", ("Ctrl+E",), "values"),
            SEPARATOR,
            Item("new_window", "&New window", ("Ctrl+N",)),
            Item("restore_session", "Open all this a&gain at the next start", ("Ctrl+Shift+T",), "", checkable=True),
            Item("close", "&Close file or list", ("Ctrl+W",), "content"),
            Item("quit", "&Quit", ("Ctrl+Q",)),
        ),
    ),
    (
        "&Edit",
        (
            Item("copy", "&Copy name or cell", ("Ctrl+C",), "content"),
            Item("copy_row", "Copy &row", ("Ctrl+Shift+C",), "content"),
            Item("copy_picture", "Copy &picture", ("Ctrl+Shift+P",), "picture"),
            Item("copy_values", "Copy &values", ("Ctrl+Shift+V",), "values"),
            Item("copy_report", "Copy &findings", ("Ctrl+Shift+F",), "findings"),
            SEPARATOR,
            Item("filter", "&Filter tensors or files", ("Ctrl+F",), "content"),
            Item("clear_filter", "C&lear the filter", ("Ctrl+Shift+L",), "content"),
            SEPARATOR,
            Item("cancel", "C&ancel what runs", ("Esc",)),
        ),
    ),
    (
        "&View",
        (
            Item("whole_file", "Whole &file", ("Ctrl+0",), "model"),
            *(Item(f"view {kind.key}", kind.title, (f"Ctrl+{n}",), kind.needs) for n, kind in enumerate(VIEWS, 1)),
            SEPARATOR,
            Item("goto_tensor", "Go to &tensor…", ("Ctrl+P",), "model"),
            Item("goto_position", "Go to row, &column", ("Ctrl+G",), "values"),
            Item("next_finding", "&Next finding", ("F8",), "findings"),
            Item("previous_finding", "&Previous finding", ("Shift+F8",), "findings"),
            Item("next_region", "Next &region", ("F6",), "content"),
            Item("back", "&Back to the list", ("Alt+Left",), "list"),
            SEPARATOR,
            Item("check_values", "Check values in the back&ground", ("Shift+F7",), "", checkable=True),
            Item("scan", "Check the values no&w", ("F7",), "model"),
            SEPARATOR,
            Item("tree", "T&ree", ("Ctrl+B",), "model"),
            Item("dock", "Lower &part", ("Ctrl+J",), "model"),
            SEPARATOR,
            Item("theme", "T&heme"),
        ),
    ),
    (
        "&Compare",
        (
            Item("attach", "&Attach a reference…", ("Ctrl+R",), "model"),
            Item("attach_folder", "Attach a reference &folder…", ("Ctrl+Shift+A",), "model"),
            Item("references", "&Recent references"),
            Item("detach", "&Detach the reference", ("Ctrl+Shift+R",), "reference"),
            SEPARATOR,
            Item("compare_again", "&Compare again, or go on", ("Shift+F5",), "reference"),
            Item("accept_guesses", "Accept all &guessed pairs", ("Ctrl+Shift+G",), "reference"),
            Item("export_errors", "&Export the errors…", ("Ctrl+Shift+E",), "reference"),
            SEPARATOR,
            Item("try_types", "Try other &types", ("Ctrl+T",), "values"),
            Item("export_table", "E&xport the types tried…", ("Ctrl+Shift+B",), "table"),
        ),
    ),
    ("&Help", (Item("keys", "&Keys", ("F1",)), Item("about", "&About Tensorloupe", ("Shift+F1",)))),
)

CLEAR = Item("clear_recent", "&Clear list", ("Ctrl+Shift+Del",))
THEME_KEYS = {"system": ("Ctrl+F9",), "light": ("Ctrl+F11",), "dark": ("Ctrl+F12",)}
THEME_WORDS = {"system": "&System", "light": "&Light", "dark": "&Dark"}


class Actions:
    """All actions of a window by name, with its menus. `do` is called with the name of an action that is triggered."""

    def __init__(self, window: QMainWindow, menus: QMenuBar, do: Callable[[str], None]) -> None:
        self._window, self._do = window, do
        self.by_name: dict[str, QAction] = {}
        self._needs: dict[str, Need] = {}
        self._have: frozenset[Need] | None = None  # what there was when actions were enabled last
        self.recent = QMenu("Open &recent", window)
        self.references = QMenu("&Recent references", window)
        self.references.setEnabled(False)
        self.theme = QMenu("T&heme", window)
        for title, items in MENUS:
            self._fill(menus.addMenu(title), items)
        self._add(self.recent, CLEAR)
        self._fill_theme()

    def enable(self, have: Collection[Need]) -> None:
        """Let those actions be used that have something to work on, by what each needs."""
        if self._have == (have := frozenset(have)):  # as mostly: it is asked for whenever anything may have changed
            return
        self._have = have
        for name, action in self.by_name.items():
            action.setEnabled(not self._needs[name] or self._needs[name] in have)

    def set_mode(self, mode: str) -> None:
        """Check the theme in force."""
        self.by_name[f"theme {mode}"].setChecked(True)

    def show_recent(self, recent: Sequence[Recent], chosen: Callable[[str], None]) -> None:
        """Fill the menu of recent files, latest first."""
        _fill_paths(self.recent, [entry.path for entry in recent], chosen)
        self.recent.addSeparator()
        self.recent.addAction(self.by_name[CLEAR.name])

    def show_references(self, paths: Sequence[str], chosen: Callable[[str], None]) -> None:
        """Fill the menu of references attached before, latest first."""
        _fill_paths(self.references, paths, chosen)

    def _submenu(self, name: str) -> QMenu | None:
        return {"recent": self.recent, "references": self.references, "theme": self.theme}.get(name)

    def _fill(self, menu: QMenu, items: Sequence[Item]) -> None:
        for item in items:
            if item is SEPARATOR:
                menu.addSeparator()
            elif (submenu := self._submenu(item.name)) is not None:
                menu.addMenu(submenu)
            else:
                self._add(menu, item)

    def _add(self, menu: QMenu, item: Item) -> QAction:
        action = QAction(item.word, self._window)  # not of the menu, which may be cleared
        menu.addAction(action)
        action.setShortcuts([QKeySequence(key) for key in item.keys])
        action.setCheckable(item.checkable)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _=False, name=item.name: self._do(name))
        self.by_name[item.name] = action
        self._needs[item.name] = item.needs
        return action

    def _fill_theme(self) -> None:
        group = QActionGroup(self._window)
        for mode in MODES:
            action = self._add(self.theme, Item(f"theme {mode}", THEME_WORDS[mode], THEME_KEYS[mode]))
            action.setCheckable(True)
            group.addAction(action)


def _fill_paths(menu: QMenu, paths: Sequence[str], chosen: Callable[[str], None]) -> None:
    menu.clear()
    menu.setEnabled(bool(paths))
    for path in paths:
        action = menu.addAction(weightmap.printable(path).replace("&", "&&"))
        action.triggered.connect(lambda _=False, path=path: chosen(path))


def key_list() -> list[tuple[str, list[tuple[str, str]]]]:
    """Of each menu its title, and (keys, what they do) of every action in it that has one, for the list of keys."""
    more = {
        "File": [CLEAR._replace(word="Clear the list of recent files")],
        "View": [Item("", f"Theme: {THEME_WORDS[mode]}", keys) for mode, keys in THEME_KEYS.items()],
    }
    found = []
    for title, items in MENUS:
        title = title.replace("&", "")
        listed = [item for item in (*items, *more.get(title, ())) if item.keys]
        found.append((title, [(", ".join(item.keys), item.word.replace("&", "").rstrip("…")) for item in listed]))
    return found
