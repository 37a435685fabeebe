"""What the actions do that take something along: copies, pictures, values, tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorloupe.clipboard import copy_focused, copy_report

if TYPE_CHECKING:
    from tensorloupe.window import Window


def with_view(act: str) -> Callable[[Window], None]:
    """What calls a method of the view in front, where there is one."""

    def do(window: Window) -> None:
        view = window.explorer.area.view
        if view is not None:
            getattr(view, act)()

    return do


def _save_picture(window: Window) -> None:
    from tensorloupe.saving import save_picture

    save_picture(window)


def _export_values(window: Window) -> None:
    from tensorloupe.exporting import export_values

    export_values(window)


def _copy_row(window: Window) -> None:
    copy_focused(window, whole_row=True)


TAKING: dict[str, Callable[[Window], object]] = {
    "save_picture": _save_picture,
    "export_values": _export_values,
    "export_table": with_view("export_table"),
    "copy": copy_focused,
    "copy_row": _copy_row,
    "copy_picture": with_view("copy_picture"),
    "copy_values": with_view("copy_values"),
    "copy_report": copy_report,
}
