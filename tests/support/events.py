"""Qt's own queue, worked off, and what was put off for a moment, waited for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

SOON = 150  # ms: what is put off for longer, as the look at all values is, is not waited for
TURNS = 3  # of the event loop in which nothing more may come up


def flush() -> None:
    """Let everything that was put off be done, deletions too."""
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()


def rest(qtbot: QtBot, top: QObject, idle: Callable[[], bool], timeout: int = 30_000) -> None:
    """Wait until nothing runs any more and no timer below `top` is about to start anything."""

    def waiting(timer: QTimer) -> bool:
        return timer.isActive() and timer.isSingleShot() and timer.interval() <= SOON

    def quiet() -> bool:
        QApplication.processEvents()
        return idle() and not any(map(waiting, top.findChildren(QTimer)))

    qtbot.waitUntil(lambda: all(quiet() for _ in range(TURNS)), timeout=timeout)
