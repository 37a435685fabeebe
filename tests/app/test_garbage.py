from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from tensorloupe.garbage import Garbage


class Ring:
    """Refers to itself: only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def garbage(qapp: QApplication) -> Iterator[Garbage]:
    parent = QObject()
    gc.enable()  # as a program begins: these tests say who takes them over
    gc.collect()
    yield Garbage(parent)
    gc.unfreeze()
    gc.enable()


@pytest.fixture
def collected_on(garbage: Garbage) -> Iterator[list[int]]:
    threads: list[int] = []

    def note(phase: str, _: dict[str, int]) -> None:
        threads.append(threading.get_ident())

    gc.callbacks.append(note)
    yield threads
    gc.callbacks.remove(note)


def make_rings(count: int) -> list[weakref.ref[Ring]]:
    return [weakref.ref(Ring()) for _ in range(count)]


def on_a_worker(count: int) -> list[weakref.ref[Ring]]:
    made: list[weakref.ref[Ring]] = []
    worker = threading.Thread(target=lambda: made.extend(make_rings(count)))
    worker.start()
    worker.join()
    return made


def test_what_a_worker_leaves_is_collected_on_the_windows_thread(garbage: Garbage, collected_on: list[int]) -> None:
    rings = on_a_worker(3_000)
    assert collected_on == [] and all(ring() is not None for ring in rings)
    garbage.collect()
    assert set(collected_on) == {threading.get_ident()}
    assert all(ring() is None for ring in rings)


def test_the_old_is_collected_now_and_then(garbage: Garbage) -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    for number in range(9):
        make_rings(1_000)
        garbage.collect()
        if number == 4:
            del ring  # too old by now for a collection of what is new
    assert gone() is not None
    make_rings(1_000)
    garbage.collect()
    assert gone() is None


def test_what_comes_in_masses_is_not_looked_through(garbage: Garbage, collected_on: list[int]) -> None:
    loaded = [Ring() for _ in range(20_000)]
    garbage.collect()
    assert collected_on == [] and gc.get_freeze_count() >= len(loaded)
    for _ in range(11):
        kept = [Ring() for _ in range(1_000)]
        loaded += kept
        garbage.collect()
    assert max(len(gc.get_objects(generation=n)) for n in range(3)) < 20_000
    for ring in loaded:
        ring.itself = ring.__class__  # type: ignore[assignment]


def test_old_garbage_goes_before_what_is_old_is_frozen(garbage: Garbage) -> None:
    kept: list[Ring] = []
    for _ in range(9):
        kept += [Ring() for _ in range(3_000)]
        garbage.collect()
    assert len(gc.get_objects(generation=2)) > 20_000
    gone = [weakref.ref(ring) for ring in kept[::100]]
    kept.clear()
    make_rings(1_000)
    garbage.collect()
    assert sum(ring() is not None for ring in gone) == 0


def test_little_is_left_alone(garbage: Garbage, collected_on: list[int]) -> None:
    make_rings(10)
    garbage.collect()
    assert collected_on == []


class Picture(QWidget):
    """Makes so many objects in an event that Python would collect by itself."""

    def __init__(self, parent: QWidget, watched: weakref.ref[QWidget]) -> None:
        super().__init__(parent)
        self.watched, self.kept = watched, False

    def customEvent(self, event: QEvent) -> None:
        made = make_rings(3_000)
        self.kept = self.watched() is not None and all(ring() is not None for ring in made)


def test_a_view_that_only_a_circle_holds_is_not_taken_apart_in_its_own_event(garbage: Garbage) -> None:
    view = QWidget()
    view.itself = view  # type: ignore[attr-defined]
    gone = weakref.ref(view)
    picture = Picture(view, gone)
    del view
    QCoreApplication.postEvent(picture, QEvent(QEvent.Type.User))
    QCoreApplication.processEvents()
    assert picture.kept and gone() is not None
    garbage.collect()
    assert gone() is None and not isValid(picture)


def test_a_widget_that_a_worker_left_in_a_circle_dies_on_the_windows_thread(garbage: Garbage) -> None:
    view, died_on = QWidget(), list[int]()
    view.itself = view  # type: ignore[attr-defined]
    view.destroyed.connect(lambda: died_on.append(threading.get_ident()), Qt.ConnectionType.DirectConnection)
    del view
    on_a_worker(3_000)
    assert died_on == []
    garbage.collect()
    assert died_on == [threading.get_ident()]
