"""Work that gives way: between two pieces it lets the window's thread do all that it has to."""

from __future__ import annotations

import threading
import time

from PySide6.QtCore import QTimer
from shiboken6 import delete

from tensorloupe.giving_way import Turns


def test_a_worker_stands_still_while_the_window_is_busy(qtbot):
    turns, over = Turns(), threading.Event()
    pieces: list[float] = []

    def work() -> None:
        while not over.is_set():
            if not turns.window_busy():
                pieces.append(time.perf_counter())
                until = time.perf_counter() + 0.002
                while time.perf_counter() < until:
                    pass

    worker = threading.Thread(target=work)
    worker.start()
    qtbot.waitUntil(lambda: len(pieces) > 20)  # the window has nothing to do: it answers at once
    busy: list[tuple[float, float]] = []

    def hold() -> None:
        begun = time.perf_counter()
        time.sleep(0.3)
        busy.append((begun, time.perf_counter()))

    QTimer.singleShot(0, hold)
    qtbot.waitUntil(lambda: bool(busy))
    begun, ended = busy[0]
    after = len(pieces)
    qtbot.waitUntil(lambda: len(pieces) > after + 20)
    over.set()
    worker.join()
    during = [piece for piece in pieces if begun + 0.1 < piece < ended]
    assert during == []


def test_without_a_window_the_work_goes_on():
    turns = Turns()
    delete(turns)
    assert not turns.window_busy()
