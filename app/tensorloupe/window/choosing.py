"""Files that come by a drop and could be compared: what is offered, and which of two is the reference."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import weightmap
from tensorloupe.window.compare_commands import attach

if TYPE_CHECKING:
    from tensorloupe.window.window import Window


def offer(window: Window, path: str) -> None:
    """One file over an open model: open it in its place, or compare with it; the one that is open is said to be open."""
    if os.path.abspath(path) == os.path.abspath(window.document.path or ""):
        window.open_paths([path])
        return
    shown, here = (
        weightmap.printable(os.path.basename(os.path.normpath(p)) or p) for p in (path, window.document.path or "")
    )

    def compare() -> None:
        window.strip.hide()
        attach(window, path)

    def open_() -> None:
        window.strip.hide()
        window.open_paths([path])

    window.strip.say(
        "info",
        f"Compare {here} with {shown}, or open it instead?",
        "",
        (("Compare", compare), ("Open", open_), ("Neither", window.strip.hide)),
    )


def open_both(window: Window, paths: Sequence[str]) -> None:
    """The first here, the other one in a window of its own."""
    window.open_paths(paths[:1])
    for path in paths[1:]:
        window.window_wanted.emit(path)


def compare_two(window: Window, paths: Sequence[str]) -> None:
    """Open the smaller one and compare it with the other: a quantized model is smaller than what it was made from."""

    def start(ordered: Sequence[str]) -> None:
        window.document.wanted_reference = ordered[1]
        window.open_paths(ordered[:1])

    window.tasks.start("which is the reference", "", lambda _: by_size(paths), start, quiet=True)


def by_size(paths: Sequence[str]) -> list[str]:
    """The paths from the smallest to the largest; what has no size, as a folder, last. Asks the disk."""

    def size(path: str) -> float:
        try:
            return float(os.path.getsize(path)) if os.path.isfile(path) else float("inf")
        except (OSError, ValueError):
            return float("inf")

    return sorted(paths, key=size)
