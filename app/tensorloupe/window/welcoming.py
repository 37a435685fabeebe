"""Does what the buttons of a window's welcome page say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorloupe.window import choosing

if TYPE_CHECKING:
    from tensorloupe.panels.welcome import Welcome
    from tensorloupe.window.window import Window


def listen(window: Window, page: Welcome) -> None:
    """Listen to the page from now on."""
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
