"""Draws every view of the real window into files, on any machine: there is no second way of drawing.

The window is opened offscreen, gets its work like any other, and is grabbed once it has none left.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, QTimer
from PySide6.QtWidgets import QApplication

import weightmap
from tensorloupe.application import Application
from tensorloupe.files.settings import Settings
from tensorloupe.files.writing import safe_name
from tensorloupe.opening.reasons import explain
from tensorloupe.weights import nearest_name, not_called, weight_called
from tensorloupe.window.window import Window

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

USUAL = QSize(1440, 900)
_PATIENCE = 300.0  # seconds for one view: a tensor of many gigabytes takes its time
_TURNS = 10  # of the event loop without work, after which nothing more is to come
WELCOME, FILE, SHEET = "welcome", "file", "sheet"


def draw(app: QApplication, options: argparse.Namespace, size: QSize | None) -> int:
    """Write VIEW-THEME.png for every view and theme into the folder.

    0, or 1 where something that was asked for could not be had: a file, the tensor, the reference.
    """
    folder = Path(options.screenshot)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        print(f"tensorloupe: {folder} cannot be made: {reason.strerror}.", file=sys.stderr)
        return 1
    themes = (options.theme,) if options.theme else ("light", "dark")
    application = Application(app, Settings(keep=False), themes[0], size or USUAL)
    window = application.new_window()
    window.wait_for_opening(None, options.tensor)
    window.show()
    settle(window)
    written = _sheet(window, options.paths, folder, themes) if len(options.paths) > 1 else 0
    whole, found = True, not options.tensor
    near: str | None = None
    for path, prefix in _pictures(options.paths):
        if path is not None:
            opened = _open(window, path, options.reference)
            whole &= opened.whole
            if not opened.shown:
                continue
            found |= weight_called(opened.shown, options.tensor or "") is not None
            near = near or (None if found else nearest_name(opened.shown, options.tensor))
        if window.sheets.exists and len(options.paths) == 1:  # a folder of several models, of which the first is open
            written += _sheet(window, None, folder, themes)
            window.stack.setCurrentWidget(window.explorer)
        for theme in themes:
            window.theme.set_mode(theme)
            written += _grab_all(window, folder, prefix, theme, path is not None)
    window.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if written and not found:
        print(f"tensorloupe: {' '.join(not_called(options.tensor, near))}".rstrip(), file=sys.stderr)
    return 0 if written and whole and found else 1


class _Opened(NamedTuple):
    """The model that is shown now, None where there is none; and whether all that was asked for with it could be had."""

    shown: weightmap.WeightFile | None
    whole: bool


def _pictures(paths: list[str]) -> Iterator[tuple[str | None, str]]:
    """(path, prefix of its pictures): no prefix for a single path; no path at all stands for the welcome page."""
    if not paths:
        yield None, ""
    for number, path in enumerate(paths, 1):
        yield path, f"{number}-{safe_name(Path(path).stem)}-" if len(paths) > 1 else ""


def _open(window: Window, path: str, reference: str | None) -> _Opened:
    """Open a path and wait; a folder of several models gives the first of them. Says on stderr what failed.

    A `reference` is attached, and everything compared with it.
    """
    window.document.wanted_reference = reference
    failed: list[BaseException] = []
    chosen: list[str] = []
    window.opener.failed.connect(lambda _, reason: failed.append(reason))
    window.opener.choices.connect(lambda _, choices: chosen.append(choices[0]))
    window.open_paths([path])
    settle(window)
    if chosen and not failed:
        window.open_paths(chosen[:1])
        settle(window)
    if failed:
        sentence, advice = explain(path, failed[0])
        print(f"tensorloupe: {sentence} {advice}".rstrip(), file=sys.stderr)
        return _Opened(None, False)
    window.scanning.scan.hasten()
    settle(window)
    model, comparing = window.document.model, window.document.comparing
    if comparing is not None and comparing.stage == "failed" and comparing.reason is not None:
        sentence, advice = explain(comparing.path or "", comparing.reason)
        print(f"tensorloupe: {sentence} {advice}".rstrip(), file=sys.stderr)
        return _Opened(model, False)
    return _Opened(model, model is not None)


def _sheet(window: Window, paths: list[str] | None, folder: Path, themes: tuple[str, ...]) -> int:
    """The list of the models that the paths stand for, or the one that is there already."""
    if paths is not None:
        window.sheets.check(paths)
        settle(window)
    window.sheets.show()
    settle(window)
    written = 0
    for theme in themes:
        window.theme.set_mode(theme)
        written += _grab(window, folder / f"{SHEET}-{theme}.png")
    return written


def _grab_all(window: Window, folder: Path, prefix: str, theme: str, opened: bool) -> int:
    if not opened:
        return _grab(window, folder / f"{WELCOME}-{theme}.png")
    window.explorer.tree.select(None)
    settle(window)
    written = _grab(window, folder / f"{prefix}{FILE}-{theme}.png")
    tensor = _telling(window)
    if tensor is None:
        return written
    window.explorer.tree.select(tensor)
    for position, key in enumerate(window.explorer.area.all_views()):
        window.explorer.area.open_tab(position)
        settle(window)
        written += _grab(window, folder / f"{prefix}{key}-{theme}.png")
    return written


def _telling(window: Window) -> Weight | None:
    """The tensor asked for, if the model has it; where none was, a matrix that can be read: of a layer, else the first."""
    model = window.document.model
    if model is None:
        return None
    if window.asked_tensor:
        return weight_called(model, window.asked_tensor)
    asked = _loudest(window)
    readable = [t for t in model.weights.values() if t.problem is None]
    matrices = [t for t in readable if len(t.shape) > 1]
    layered = [t for t in matrices if any(part.isdigit() for part in t.name.split("."))]
    return next((t for t in (asked, *layered[:1], *matrices[:1], *readable[:1]) if t is not None), None)


def _loudest(window: Window) -> Weight | None:
    """The first tensor that is not as it should be against the reference."""
    model, comparing = window.document.model, window.document.comparing
    errors = comparing.errors if comparing is not None else None
    if model is None or errors is None:
        return None
    rows = (row for row in errors.ranked("verdict", True).tolist() if errors.verdict(row) in ("wrong", "worse"))
    return next(
        (weight for row in rows if (weight := weight_called(model, errors.pairs[row].tensor)) is not None), None
    )


def _grab(window: Window, path: Path) -> int:
    window.grab()  # what is painted for the first time may ask for more
    settle(window)
    if window.grab().save(str(path)):
        return 1
    print(f"tensorloupe: {os.fspath(path)} cannot be written.", file=sys.stderr)
    return 0


def settle(window: Window) -> None:
    """Let the window work until it has nothing to do any more, and has put nothing off."""
    end, turns = time.monotonic() + _PATIENCE, 0
    while turns < _TURNS and time.monotonic() < end:
        QApplication.processEvents()
        busy = put_off(window) or put_off(window.theme) or not window.tasks.idle
        turns = 0 if busy else turns + 1
        time.sleep(0.002)


def put_off(top: QObject, longest: int | None = None) -> bool:
    """Whether a timer below `top` is about to begin something, within `longest` milliseconds where that is given.

    Those that come again and again are no work, but for those that go on with something in each turn of the event loop.
    """
    active = (timer for timer in top.findChildren(QTimer) if timer.isActive())
    begins = (timer for timer in active if timer.isSingleShot() or timer.interval() == 0)
    return any(longest is None or timer.interval() <= longest for timer in begins)
