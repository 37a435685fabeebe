"""What the actions do that check things, and what common actions do while the list of models is in front."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

if TYPE_CHECKING:
    from tensorloupe.panels.sheet.page import SheetPage
    from tensorloupe.window.window import Window


def _check_folder(window: Window) -> None:
    start = str(window.settings.get("folder", ""))
    path = QFileDialog.getExistingDirectory(window, "Check the models in a folder", start)
    if path:
        window.settings.set("folder", path)
        window.sheets.check([path])


def _add_files(window: Window) -> None:
    window.sheets.ask_files()


def _export_list(window: Window) -> None:
    window.sheets.ask_export()


def _back(window: Window) -> None:
    window.sheets.show()


def _check_values(window: Window) -> None:
    window.scanning.set_automatic(window.actions_.by_name["check_values"].isChecked())


def _scan(window: Window) -> None:
    window.strip.hide()
    window.scanning.scan.start()


def _close_list(window: Window) -> None:
    window.sheets.close()


def _on_page(act: Callable[[SheetPage], object]) -> Callable[[Window], None]:
    def do(window: Window) -> None:
        if window.sheets.page is not None:
            act(window.sheets.page)

    return do


_again = _on_page(lambda page: page.again())

CHECKING: dict[str, Callable[[Window], object]] = {
    "check_folder": _check_folder,
    "add_files": _add_files,
    "export_list": _export_list,
    "again": _again,
    "back": _back,
    "check_values": _check_values,
    "scan": _scan,
}

IN_LIST: dict[str, Callable[[Window], object]] = {
    "close": _close_list,
    "reload": _on_page(lambda page: page.again_chosen()),
    "filter": _on_page(lambda page: page.focus_filter()),
    "clear_filter": _on_page(lambda page: page.clear_filter()),
    "next_region": _on_page(lambda page: page.next_region()),
}
