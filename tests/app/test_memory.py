"""Memory that was freed goes back to the system, also where something that stays lies behind it."""

import subprocess
import sys

import pytest

from tensorloupe import memory
from tensorloupe.memory import Memory
from tensorloupe.screenshot import put_off
from tensorloupe.tasks import TaskRunner

HELD = """
import ctypes, sys
from tensorloupe import memory

def held():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024

library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
library.free.argtypes = (ctypes.c_void_p,)
if sys.argv[1] == "less":
    assert memory.prepare()
library.free(library.malloc(16 << 20))  # as large a piece as ever comes
size = 1 << (16 if "small" in sys.argv[1] else 20)
pieces = []
for _ in range((40 << 20) // size):
    piece = library.malloc(size)
    ctypes.memset(piece, 1, size)
    pieces.append(piece)
before = held()
for piece in pieces[::2]:
    library.free(piece)
if "given back" in sys.argv[1]:
    assert memory.give_back()
print(before - held())
"""


def given_back(how):
    """Bytes that the system has back after every second piece of 40 MiB was freed."""
    ran = subprocess.run([sys.executable, "-c", HELD, how], capture_output=True, text=True, check=True, timeout=60)
    return int(ran.stdout)


@pytest.mark.skipif(memory.prepare() is None, reason="needs glibc")
def test_large_pieces_go_back_at_once():
    assert given_back("as usual") < 4 << 20
    assert given_back("less") > 18 << 20


@pytest.mark.skipif(memory.prepare() is None, reason="needs glibc")
def test_what_lies_free_between_things_in_use_is_given_back():
    assert given_back("small") < 4 << 20
    assert given_back("small pieces, given back") > 16 << 20


def test_it_is_done_once_for_much_work(qtbot, monkeypatch):
    monkeypatch.setattr(memory, "_EVERY", 200)
    done = []
    monkeypatch.setattr(memory, "give_back", lambda: done.append(tasks.idle))
    tasks = TaskRunner()
    Memory(tasks)
    for number in range(5):
        tasks.start(f"work {number}", "", lambda _: None, lambda _: None)
    qtbot.waitUntil(lambda: tasks.idle)
    assert not done and not put_off(tasks)  # whoever waits for work does not wait for this
    qtbot.waitUntil(lambda: bool(done))
    qtbot.wait(400)
    assert done == [True]
    assert tasks.shutdown(20_000)


def test_other_systems_have_nothing_of_the_kind(monkeypatch):
    memory.prepare.cache_clear()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not memory.give_back()
    memory.prepare.cache_clear()
