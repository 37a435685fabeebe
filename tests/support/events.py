"""Qt's own queue, worked off, and what was put off for a moment, waited for."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tensorloupe.screenshot import put_off

SOON = 150  # ms: what is put off for longer, as the look at all values is, is not waited for
TURNS = 3  # of the event loop in which nothing more may come up


class Bot(QtBot):
    """Looks every 2 ms, not every 10: most of what is waited for takes a turn or two of the event loop."""

    def waitUntil(self, callback: Callable[[], object], *, timeout: int = 5_000) -> None:
        """Wait until the callback says yes. Raises TimeoutError after `timeout` ms."""
        end = time.monotonic() + timeout / 1000
        while not callback():
            if time.monotonic() > end:
                raise TimeoutError(f"waited {timeout:,} ms in vain")
            self.wait(2)


def flush() -> None:
    """Let everything that was put off be done, deletions too."""
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()


def rest(qtbot: QtBot, top: QObject, idle: Callable[[], bool], timeout: int = 30_000) -> None:
    """Wait until nothing runs any more and no timer below `top` is about to begin anything."""

    def quiet() -> bool:
        QApplication.processEvents()
        return idle() and not put_off(top, SOON)

    qtbot.waitUntil(lambda: all(quiet() for _ in range(TURNS)), timeout=timeout)
