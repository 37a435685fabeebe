"""Memory that was freed goes back to the system, also where something that stays lies behind it."""

import subprocess
import sys

import pytest

from tensorloupe import memory

HELD = """
import ctypes, sys
from tensorloupe.memory import hold_less

def held():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024

library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
library.free.argtypes = (ctypes.c_void_p,)
if sys.argv[1] == "less":
    assert hold_less()
library.free(library.malloc(16 << 20))  # as large a piece as ever comes
pieces = []
for _ in range(40):
    piece = library.malloc(1 << 20)
    ctypes.memset(piece, 1, 1 << 20)
    pieces.append((piece, library.malloc(1 << 10)))
before = held()
for piece, _ in pieces:
    library.free(piece)
print(before - held())
"""


def given_back(how):
    """Bytes of 40 MiB in pieces, freed while small ones lie between them, that the system has back."""
    ran = subprocess.run([sys.executable, "-c", HELD, how], capture_output=True, text=True, check=True, timeout=60)
    return int(ran.stdout)


@pytest.mark.skipif(not memory.hold_less(), reason="needs glibc")
def test_large_pieces_go_back_at_once():
    assert given_back("as usual") < 4 << 20
    assert given_back("less") > 36 << 20


def test_other_systems_have_nothing_of_the_kind(monkeypatch):
    memory.hold_less.cache_clear()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not memory.hold_less()
    memory.hold_less.cache_clear()
