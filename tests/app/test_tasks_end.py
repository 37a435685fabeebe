"""The end of tasks and of their runner: what is let go, on which thread, how long is waited, what is never begun."""

import gc
import threading
import time
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication

from tensorloupe.tasks import TaskRunner


def test_what_is_done_is_let_go(qtbot, tasks):
    class Held:
        pass

    left = []
    for n in range(500):
        held = Held()
        left.append(weakref.ref(held))
        tasks.start(f"slot {n % 3}", "", lambda _, held=held: id(held), lambda _: None)
        if n % 20 == 0:
            QCoreApplication.processEvents()
    del held
    qtbot.waitUntil(lambda: tasks.idle)
    gc.collect()
    assert sum(1 for one in left if one() is not None) <= 4  # what the threads did last


@pytest.mark.parametrize("way", ["done", "failed", "dropped"])
def test_what_leads_to_widgets_is_let_go_on_the_windows_thread(qtbot, tasks, monkeypatch, way):
    class Held:
        pass

    died, heard, gate, begun = [], threading.Event(), threading.Event(), threading.Event()
    say = TaskRunner._hear

    def say_and_linger(runner, task, *rest):
        say(runner, task, *rest)
        heard.set()
        assert gate.wait(10)  # the worker is the last one to hold the task

    def work(held):
        begun.set()
        if way == "failed":
            raise ValueError(held)
        return held

    monkeypatch.setattr(TaskRunner, "_hear", say_and_linger)
    held = Held()
    watched = weakref.ref(held, lambda _: died.append(threading.get_ident()))
    callbacks = [lambda value, held=held: None, lambda reason, held=held: None]
    tasks.start("a", "", lambda _, held=held: work(held), *callbacks)
    del held, callbacks
    assert begun.wait(5) and heard.wait(5)
    if way == "dropped":
        tasks.drop("a")
    qtbot.waitUntil(lambda: tasks.idle)
    QCoreApplication.processEvents()
    gate.set()
    qtbot.waitUntil(lambda: watched() is None)
    assert died == [threading.get_ident()]


def test_nothing_starts_after_the_end(qtbot, tasks):
    seen = []
    assert tasks.shutdown()
    task = tasks.start("a", "A", lambda go: 1, seen.append)
    qtbot.wait(30)
    assert task.cancelled and not seen and tasks.idle


def test_the_end_waits_for_no_more_than_it_was_told(qapp):
    runner, gate = TaskRunner(), threading.Event()
    runner.start("a", "A", lambda go: gate.wait(10), lambda r: None)
    time.sleep(0.05)
    started = time.monotonic()
    assert not runner.shutdown(100)
    assert time.monotonic() - started < 2
    gate.set()
    assert runner.shutdown(5_000)


def test_a_runner_that_is_deleted_stops_its_work_and_gives_results_back(qapp, capfd):
    begun, discarded, told = threading.Event(), [], []
    runner = TaskRunner()

    def work(go):
        begun.set()
        until = time.monotonic() + 10
        while go(1, 10) is not False and time.monotonic() < until:
            time.sleep(0.002)
        told.append(until - time.monotonic() > 5)
        return "result"

    runner.start("a", "A", work, told.append, discard=discarded.append)
    assert begun.wait(5)
    shiboken6.delete(runner)
    assert told == [True] and discarded == ["result"]
    qapp.processEvents()
    assert told == [True] and capfd.readouterr() == ("", "")


def test_what_stands_in_line_when_the_runner_goes_is_never_begun(qapp):
    begun, gate = [], threading.Event()
    runner = TaskRunner()

    def work(go):
        begun.append(1)
        gate.wait(10)

    for number in range(9):
        runner.start(f"a{number}", "A", work, lambda r: None)
    until = time.monotonic() + 5
    while len(begun) < 4 and time.monotonic() < until:
        time.sleep(0.002)
    opener = threading.Timer(0.1, gate.set)  # the runner waits for those that are at it
    opener.start()
    shiboken6.delete(runner)
    opener.join()
    assert len(begun) == 4


def test_tasks_one_after_the_other_share_a_thread_and_leave_nothing_behind(qtbot, tasks):
    watched, threads = [], set()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        watched.append(weakref.ref(tasks.start("a", "A", lambda go: threading.get_ident(), threads.add)))
        while not (tasks.idle and tasks._pools["work"]._waiting):  # its thread is a moment later than its result
            QCoreApplication.processEvents()
    qtbot.waitUntil(lambda: not any(task() for task in watched))
    assert len(threads) == 1 and threads != {threading.get_ident()}
    watched.clear()
    gc.collect()
    assert len(gc.get_objects()) - before < 100  # not one for each of them
