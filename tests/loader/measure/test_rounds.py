"""Values put into slots and counted in rounds: by all threads the one, then by all the other."""

import threading

import numpy as np
import pytest

from weightmap.measure import rounds
from weightmap.measure.rounds import counted_slots
from weightmap.reading.sweep import Meter
from weightmap.reading.tally import Tally

COUNT = 10_007


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(rounds, "ROUND", 4096)
    monkeypatch.setattr(rounds, "PIECE", 500)


def placing(slots):
    def place(start, stop, out, work):
        assert out.dtype == slots.dtype
        out[:] = slots[start:stop]

    return lambda: place


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(("size", "dtype"), [(7, np.uint8), (256, np.uint8), (257, np.uint16), (65536, np.uint16)])
def test_every_slot_is_counted_once(size, dtype, threads):
    slots = np.random.default_rng(size).integers(0, size, COUNT).astype(dtype)
    seen = []
    meter = Meter(lambda *at: seen.append(at), COUNT)
    got = counted_slots(COUNT, 256, size, placing(slots), threads=threads, meter=meter)
    assert np.array_equal(got, np.bincount(slots, minlength=size))
    assert seen == sorted(seen)
    assert seen[-1] == (COUNT, COUNT)


def test_no_value_is_in_no_slot():
    assert counted_slots(0, 256, 3, placing(np.empty(0, np.uint8)), threads=2, meter=Meter(None, 0)).tolist() == [
        0,
        0,
        0,
    ]


@pytest.mark.usefixtures("small")
def test_no_thread_counts_while_another_places(monkeypatch):
    placed, together, tallies, lock = set(), [], set(), threading.Lock()

    def place(start, stop, out, work):
        with lock:
            placed.add(start)
        out[:] = 1

    def add(self, numbers, work):
        with lock:
            tallies.add(self)
            together.append(len(placed))

    monkeypatch.setattr(Tally, "add", add)
    counted_slots(COUNT, 256, 3, lambda: place, threads=2, meter=Meter(None, COUNT))
    assert len(tallies) <= 2  # each thread's goes from round to round
    assert set(together) == {16, 32, 40}  # chunks placed, at the end of each round
