"""One pass over two tensors that adds up what all measures of their error are made of.

In float32 where that is nearly as good, which takes half the time, else in float64.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.moments import dot
from weightmap.measure.tail import Floats, Selection
from weightmap.reading.elements import CHUNK, COSTLY, Elements
from weightmap.reading.sweep import Meter, sweep
from weightmap.types.workspace import Workspace

Watcher = Callable[[int, NDArray[Any], NDArray[Any], Workspace], None]

_STEP = 1 << 17  # elements: what is worked on at a time in float64, so that its arrays stay in the cache
_SINGLE_STEP = 1 << 19  # the same in float32: longer, as threads hand the GIL over at every call of numpy
_EXACT = 1 << 21  # elements: up to so many, float64 throughout costs nothing that anybody would notice
_SMALL, _LARGE = 1e-24, 1e30  # between these, sums of squares in float32 lose nothing that counts


class Sums:
    """Sums of chunks, from any thread. They are added up exactly, so that threads change no result."""

    def __init__(self, *, single: bool) -> None:
        self.single = single  # whether float32 may be used where that is nearly as good
        self.rows: list[tuple[float, float, float, float]] = []  # e.e, r.r, r.e, sum e
        self.nonfinite = self.disagreeing = 0
        self.lock = threading.Lock()

    def total(self, column: int) -> float:
        """The exact sum of one column of `rows`; infinite where it has none."""
        try:
            return math.fsum(row[column] for row in self.rows)
        except (OverflowError, ValueError):  # values near the end of float64: their squares have no sum
            return math.inf


def summed(
    quantized: Elements,
    reference: Elements,
    chosen: Selection,
    meter: Meter,
    threads: int | None,
    also: Watcher | None = None,
) -> Sums:
    """The sums over all chunks; `chosen` gets the absolute errors, `also` the values of both sides. Errors and cancelling as in
    `measure.error.measure_errors`.
    """
    sums = Sums(single=quantized.count > _EXACT)
    grain = math.lcm(quantized.grain, reference.grain)
    # some like twice as many where they are read alone; more than that is a side that has to be read in wide bands
    bands = [wanted for side in (quantized, reference) if (wanted := side.chunk()) > 2 * CHUNK]
    usual = COSTLY if quantized.costly or reference.costly else CHUNK
    chunk = -(-max([usual, *bands]) // grain) * grain
    worker = partial(_worker, quantized, reference, sums, chosen, also)
    sweep(quantized.count, chunk, worker, threads=threads, meter=meter)
    return sums


def _worker(
    q: Elements, r: Elements, sums: Sums, chosen: Selection, also: Watcher | None, work: Workspace
) -> Callable[[int, int], None]:
    def add(start: int, stop: int) -> None:
        values = work.array("error q", (stop - start,), q.value), work.array("error r", (stop - start,), r.value)
        q.read(start, stop, values[0], work)
        r.read(start, stop, values[1], work)
        if also is not None:
            also(start, *values, work)
        for at in range(0, stop - start, _SINGLE_STEP):
            _add(values[0][at : at + _SINGLE_STEP], values[1][at : at + _SINGLE_STEP], sums, chosen, work)

    return add


def _add(q: NDArray[Any], r: NDArray[Any], sums: Sums, chosen: Selection, work: Workspace) -> None:
    """Sum up a step: in float32 where that may be and is nearly as good, else in float64 and in smaller ones."""
    if sums.single and q.dtype == r.dtype == np.float32 and _add_single(q, r, sums, chosen, work):
        return
    for at in range(0, len(q), _STEP):
        _add_double(q[at : at + _STEP], r[at : at + _STEP], sums, chosen, work)


def _add_double(q: NDArray[Any], r: NDArray[Any], sums: Sums, chosen: Selection, work: Workspace) -> None:
    wide = work.array("error wide", (len(r),), np.float64)
    error = work.array("error", (len(r),), np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        np.copyto(wide, r)
        np.copyto(error, q)
        np.subtract(error, wide, out=error)
        ee, rr = dot(error, error), dot(wide, wide)
        if not math.isfinite(ee + rr):
            error, wide = _finite(q, error, wide, sums)
            ee, rr = dot(error, error), dot(wide, wide)
        sums.rows.append((ee, rr, dot(wide, error), float(error.sum())))
    np.abs(error, out=error)
    chosen.add(error, work)


def _add_single(q: NDArray[np.float32], r: NDArray[np.float32], sums: Sums, chosen: Selection, work: Workspace) -> bool:
    """The same in float32, false where the values are not finite or their squares leave float32's range.

    A difference of two float32 values is exact where they are near, and off by half a bit else; short rows of products are
    added up by many lanes and then in float64. That costs the sums of a whole tensor about 1e-8 of their value.
    """
    error = work.array("error", (len(r),), np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        np.subtract(q, r, out=error)
        ee, rr = dot(error, error), dot(r, r)
    if not (ee == 0 or _SMALL < ee < _LARGE) or not _SMALL < rr < _LARGE:
        return False
    if ee == 0 and error.any():
        return False
    sums.rows.append((ee, rr, dot(r, error), dot(error, None)) if ee else (0.0, rr, 0.0, 0.0))
    if ee:
        np.abs(error, out=error)
    chosen.add(error, work)
    return True


def _finite(q: NDArray[Any], error: Floats, wide: Floats, sums: Sums) -> tuple[Floats, Floats]:
    """Both without the elements that are not finite on one of both sides; these are counted."""
    kept = np.isfinite(q) & np.isfinite(wide)
    left = ~kept
    same = (q[left] == wide[left]) | (np.isnan(q[left]) & np.isnan(wide[left]))
    with sums.lock:
        sums.nonfinite += int(np.count_nonzero(left))
        sums.disagreeing += int(np.count_nonzero(~same))
    return error[kept], wide[kept]
