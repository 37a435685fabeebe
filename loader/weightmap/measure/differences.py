"""The errors themselves as elements, so that whatever draws or counts values draws and counts errors too.

`heatmap`, `histogram` and `statistics` of `Differences(quantized, reference)` are those of the errors, in the same shapes and
with the same options as for a tensor.
"""

from __future__ import annotations

import heapq
import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import CHUNK, COSTLY, Elements
from weightmap.reading.sweep import Meter, Progress, Work, sweep
from weightmap.types.workspace import Workspace


class Differences(Elements):
    """Element by element quantized - reference, in the shape of `shape` (default: that of the quantized).

    float32 where both sides are, else float64. NaN where a side is not finite and the other one differs.
    """

    def __init__(self, quantized: Elements, reference: Elements, shape: tuple[int, ...] | None = None) -> None:
        if quantized.count != reference.count:
            raise ValueError(f"{quantized.count:,} elements cannot be compared with {reference.count:,}")
        self._sides = quantized, reference
        self.shape, self.count = quantized.shape if shape is None else shape, quantized.count
        single = quantized.value == reference.value == np.float32
        self.value = np.dtype(np.float32 if single else np.float64)
        self.grain = math.lcm(quantized.grain, reference.grain)
        self.integers = False
        self.costly = quantized.costly or reference.costly

    def chunk(self) -> int:
        """As the side likes it that wants more at a time, but few where one of them is costly."""
        wanted = COSTLY if self.costly else max(CHUNK, *(side.chunk() for side in self._sides))
        return -(-wanted // self.grain) * self.grain

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read both sides and subtract."""
        values = [work.array(f"side {i}", out.shape, side.value) for i, side in enumerate(self._sides)]
        for side, array in zip(self._sides, values, strict=True):
            side.read(start, stop, array, work)
        self._subtract(values[0], values[1], out)

    def gather(self, starts: NDArray[np.int64], length: int, out: NDArray[Any], work: Workspace) -> None:
        """Gather both sides and subtract."""
        values = [work.array(f"side {i}", out.shape, side.value) for i, side in enumerate(self._sides)]
        for side, array in zip(self._sides, values, strict=True):
            side.gather(starts, length, array, work)
        self._subtract(values[0], values[1], out)

    def _subtract(self, quantized: NDArray[Any], reference: NDArray[Any], out: NDArray[Any]) -> None:
        with np.errstate(invalid="ignore", over="ignore"):
            np.subtract(quantized, reference, out=out, dtype=self.value, casting="unsafe")
            finite = np.isfinite(out.sum(dtype=np.float64))
        if not finite:
            out[(quantized == reference) | (np.isnan(quantized) & np.isnan(reference))] = 0


WIDE = 1 << 22  # elements: rows of more are never held as a whole


@dataclass(frozen=True, slots=True)
class RowError:
    """One row of the last axis: its index among all rows, and its sum of squared errors over its sum of squared values."""

    row: int
    rmse: float
    relative_rmse: float | None


def worst_rows(
    quantized: Elements,
    reference: Elements,
    count: int = 20,
    *,
    width: int | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> list[RowError]:
    """The `count` rows of the last axis with the largest rmse, largest first; non-finite elements are left out.

    A tensor of one axis has one element per row. With a `width` rows are runs of so many elements instead.
    """
    width = width or (quantized.shape[-1] if len(quantized.shape) > 1 else 1)
    rows = quantized.count // width if width else 0
    errors = Differences(quantized, reference)
    step = math.lcm(errors.grain, width or 1)
    if step > WIDE:
        sums = _sums_of_wide_rows((errors, reference), width, threads, Meter(progress, quantized.count))
        ranked = sorted(range(rows), key=lambda row: (-sums[0][row], row))[:count]
        return [_row_error(row, sums[0][row], sums[1][row], width) for row in ranked]
    best: list[tuple[float, int, float]] = []
    lock = threading.Lock()

    def worker(work: Workspace) -> Work:
        def look(start: int, stop: int) -> None:
            sums = [_row_sums(side, start, stop, width, work) for side in (errors, reference)]
            ranked = np.argsort(-sums[0], kind="stable")[:count]
            with lock:
                for at in ranked.tolist():
                    heapq.heappush(best, (float(sums[0][at]), -(start // width + at), float(sums[1][at])))
                    if len(best) > count:
                        heapq.heappop(best)

        return look

    if rows:
        chunk = max(errors.chunk() // step, 1) * step
        sweep(quantized.count, chunk, worker, threads=threads, meter=Meter(progress, quantized.count))
    return [_row_error(-row, e, r, width) for e, row, r in sorted(best, reverse=True)]


def _row_error(row: int, error: float, reference: float, width: int) -> RowError:
    return RowError(row, math.sqrt(error / width), math.sqrt(error / reference) if reference else None)


def _sums_of_wide_rows(
    sides: tuple[Elements, Elements], width: int, threads: int | None, meter: Meter
) -> tuple[list[float], list[float]]:
    """Sums of squares of each row, for rows that are too wide to be held: of the errors and of the reference."""
    rows = sides[0].count // width
    parts: list[list[tuple[float, float]]] = [[] for _ in range(rows)]  # added up exactly: threads change no result

    def worker(work: Workspace) -> Work:
        def look(start: int, stop: int) -> None:
            flat = [_squares(side, start, stop, work) for side in sides]
            at = start
            while at < stop:
                until = min((at // width + 1) * width, stop)
                parts[at // width].append(tuple(float(each[at - start : until - start].sum()) for each in flat))  # type: ignore[arg-type]
                at = until

        return look

    sweep(sides[0].count, sides[0].chunk(), worker, threads=threads, meter=meter)
    sums = [[math.fsum(part[side] for part in row) for row in parts] for side in (0, 1)]
    return sums[0], sums[1]


def _row_sums(elements: Elements, start: int, stop: int, width: int, work: Workspace) -> NDArray[np.float64]:
    sums: NDArray[np.float64] = _squares(elements, start, stop, work).reshape(-1, width).sum(axis=1)
    return sums


def _squares(elements: Elements, start: int, stop: int, work: Workspace) -> NDArray[np.float64]:
    """The squares of a range of elements; what is not finite counts as zero."""
    values = work.array("row values", (stop - start,), elements.value)
    elements.read(start, stop, values, work)
    wide = values.astype(np.float64)
    wide[~np.isfinite(wide)] = 0
    with np.errstate(over="ignore"):
        return np.multiply(wide, wide, out=wide)
