"""Memory that is free goes back to the system, in the background, soon after work has ended."""

import ctypes
import sys
import threading

import pytest

from tensorloupe import memory
from tensorloupe.memory import Memory, give_back
from tensorloupe.tasks import TaskRunner

PAGE = 4096


def held() -> int:
    """Bytes of the process that no file stands for."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024


@pytest.mark.skipif(memory._trim() is None, reason="needs glibc")
def test_what_lies_free_between_things_in_use_is_given_back():
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    library.free.argtypes = (ctypes.c_void_p,)
    size = 16 * PAGE  # below what glibc asks the system for piece by piece
    pieces = [library.malloc(size) for _ in range(1000)]
    for piece in pieces:
        ctypes.memset(piece, 1, size)
    for piece in pieces[::2]:
        library.free(piece)
    before = held()
    assert give_back()
    assert before - held() > 500 * size * 0.8
    for piece in pieces[1::2]:
        library.free(piece)


def test_it_is_done_in_the_background_once_for_much_work(qtbot, monkeypatch):
    monkeypatch.setattr(memory, "_EVERY", 200)
    done = []
    monkeypatch.setattr(memory, "give_back", lambda: done.append(threading.current_thread()))
    tasks = TaskRunner()
    Memory(tasks)
    for number in range(5):
        tasks.start(f"work {number}", "", lambda _: None, lambda _: None)
    qtbot.waitUntil(lambda: bool(done))
    assert threading.main_thread() not in done
    qtbot.wait(400)
    assert len(done) == 1  # its own end is no reason for another
    assert tasks.shutdown(20_000)


def test_other_systems_and_c_libraries_have_nothing_of_the_kind(monkeypatch):
    for module, name, value in ((sys, "platform", "darwin"), (ctypes, "CDLL", lambda _: object())):
        memory._trim.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            assert not give_back()
    memory._trim.cache_clear()
