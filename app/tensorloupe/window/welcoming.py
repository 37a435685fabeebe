"""Puts a window's welcome page in its place when it is first needed, and does what its buttons say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorloupe.opening import drops
from tensorloupe.panels.welcome import Welcome
from tensorloupe.window import choosing

if TYPE_CHECKING:
    from tensorloupe.window.window import Window


def made_welcome(window: Window) -> Welcome:
    """The page, put into the window's stack."""
    page = Welcome(window.theme)
    page.open_wanted.connect(lambda: window.do("open"))
    page.folder_wanted.connect(lambda: window.do("open_folder"))
    page.sample_wanted.connect(lambda: window.do("sample"))
    page.path_chosen.connect(lambda path: window.open_paths([path]))
    page.path_removed.connect(window.forget_path)
    page.recent_cleared.connect(lambda: window.do("clear_recent"))
    page.back_wanted.connect(lambda: window.stack.setCurrentWidget(window.explorer))
    page.check_wanted.connect(window.sheets.check)
    page.compare_wanted.connect(lambda paths: choosing.compare_two(window, paths))
    page.both_wanted.connect(lambda paths: choosing.open_both(window, paths))
    page.show_recent(window.settings.recent())
    window.stack.addWidget(page)
    drops.leave_to_window(page)
    return page
