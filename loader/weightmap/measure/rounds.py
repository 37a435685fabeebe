"""Counts into which slots values fall, in rounds: all threads write slots down first, then all of them count.

numpy counts with Python's lock held. A thread that has to count while another computes makes it wait at each of its many
steps, so that two threads were hardly quicker than one; among threads that all count, one widens numbers meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.sweep import Meter, Work, sweep, workspace
from weightmap.reading.tally import Counts, Tally, number_dtype
from weightmap.types.workspace import Workspace

ROUND = 1 << 23  # values of a round, whose slots take up to twice as many bytes; with fewer, threads meet too often
PIECE = 1 << 19  # slots counted at a time

Place = Callable[[int, int, NDArray[Any], Workspace], None]


def counted_slots(
    count: int, chunk: int, size: int, worker: Callable[[], Place], *, threads: int | None, meter: Meter
) -> Counts:
    """How often each slot, from 0 to `size` - 1, comes up among `count` values: int64 (size,).

    `worker()` is called on every thread, in every round, and returns what is called with (start, stop, slots, workspace) of
    chunks: it writes the slot of each of the values start:stop into `slots`, uint8 or uint16.
    """
    round = max(ROUND // chunk, 1) * chunk
    tallies: list[Tally] = []
    with workspace() as mine:
        room = mine.array("slots", (min(round, count),), number_dtype(size))
        for begin in range(0, count, round):
            many = min(round, count - begin)
            sweep(many, chunk, partial(_placing, worker, begin, room), threads=threads, meter=meter)
            one = partial(_one, tallies, tallies.copy(), partial(Tally, size, count))
            sweep(many, PIECE, partial(_counting, one, room), threads=threads)
    return np.sum([tally.result() for tally in tallies], axis=0) if tallies else np.zeros(size, np.int64)


def _placing(worker: Callable[[], Place], begin: int, room: NDArray[Any], work: Workspace) -> Work:
    """What writes the slots of a round that begins at value `begin`."""
    place = worker()
    return lambda start, stop: place(begin + start, begin + stop, room[start:stop], work)


def _counting(one: Callable[[], Tally], room: NDArray[Any], work: Workspace) -> Work:
    tally = one()
    return lambda start, stop: tally.add(room[start:stop], work)


def _one(tallies: list[Tally], spare: list[Tally], make: Callable[[], Tally]) -> Tally:
    """A tally for one thread: of an earlier round, or a new one."""
    try:
        return spare.pop()
    except IndexError:
        tallies.append(made := make())
        return made
