"""A matrix reduced to a picture: each cell stands for a rectangle of elements, every element counts, in one pass."""

from __future__ import annotations

import operator
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weightmap.asked import step_asked
from weightmap.measure.cells import REDUCTIONS, Cells
from weightmap.measure.window import Window, window
from weightmap.reading.elements import Elements
from weightmap.reading.sweep import Meter, Progress, Work, sweep
from weightmap.types.workspace import Workspace

FAST = 1 << 23  # elements that a first picture reads at most


@dataclass(frozen=True, slots=True, eq=False)
class Heatmap:
    """A picture of a window of a matrix.

    cells    float32 (height, width): the reduction over the finite elements of each cell; NaN where there is none. float64
             where doubles or 64-bit integers are stored, which float32 could not show
    bad      bool (height, width): whether a NaN or Inf is among a cell's elements
    row_edges, column_edges  int64, one more than there are cells: cell (i, j) stands for rows row_edges[i] to
             row_edges[i + 1] and columns column_edges[j] to column_edges[j + 1] of the matrix
    exact    whether every element was read
    sampled  None, or what was read instead: "1 of every 16 rows"
    """

    cells: NDArray[np.float32]
    bad: NDArray[np.bool_]
    row_edges: NDArray[np.int64]
    column_edges: NDArray[np.int64]
    exact: bool
    sampled: str | None = None

    def __repr__(self) -> str:
        height, width = self.cells.shape
        return f"<heatmap of {height:,} x {width:,} cells{'' if self.sampled is None else f', {self.sampled}'}>"


def heatmap(
    elements: Elements,
    height: int,
    width: int,
    *,
    rows: tuple[int, int] | None = None,
    columns: tuple[int, int] | None = None,
    index: Sequence[int] = (),
    reduction: str = "max_abs",
    sample: int | Literal["fast"] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Heatmap:
    """Reduce a window of the last two axes to at most height x width cells; see `Tensor.heatmap`.

    One axis is one row, no axis a single cell. Complex values show their magnitude. ValueError and IndexError for a window,
    an index or a reduction that cannot be.
    """
    try:
        height, width = operator.index(height), operator.index(width)
    except TypeError:
        raise TypeError(f"a heatmap has whole numbers of cells; got {height!r} x {width!r}") from None
    if height < 1 or width < 1:
        raise ValueError(f"a heatmap needs at least one cell each way; got {height} x {width}")
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction must be one of {', '.join(REDUCTIONS)}; got {reduction!r}")
    seen = window(elements.shape, rows, columns, index)
    row_edges = edges(*seen.rows, height)
    column_edges = edges(*seen.columns, width)
    picked = _picked(seen, row_edges, sample)
    cells = Cells(row_edges, column_edges, reduction)
    if len(picked) and seen.width:
        _fill(elements, seen, picked, cells, threads, Meter(progress, len(picked) * seen.width))
    values, bad = cells.result()
    kind = np.float64 if elements.value.itemsize == 8 and elements.value.kind in "fiu" else np.float32
    said = None if picked.step == 1 else f"1 of every {picked.step:,} rows"
    return Heatmap(values.astype(kind), bad, row_edges, column_edges, picked.step == 1, said)


def edges(first: int, last: int, cells: int) -> NDArray[np.int64]:
    """Rising borders of at most `cells` nearly equal groups of first:last, none of them empty."""
    groups = min(cells, last - first)
    return first + np.arange(groups + 1, dtype=np.int64) * (last - first) // max(groups, 1)


def _picked(seen: Window, row_edges: NDArray[np.int64], sample: int | Literal["fast"] | None) -> range:
    """Which rows to read: all, or evenly spread ones, with no cell left empty."""
    first, last = seen.rows
    if sample is None or first == last:
        return range(first, last)
    every = step_asked(sample, -(-(last - first) * seen.width // FAST))
    return range(first, last, max(min(every, int(np.diff(row_edges).min())), 1))


def _fill(elements: Elements, seen: Window, rows: range, cells: Cells, threads: int | None, meter: Meter) -> None:
    """Read the rows in tiles that stay in the cache and add each to its cells."""
    chunk = elements.chunk()
    wide = min(seen.width, chunk)
    tall = max(chunk // wide, 1)
    across = -(-seen.width // wide)
    tiles = -(-len(rows) // tall) * across
    lock = threading.Lock()

    def worker(work: Workspace) -> Work:
        def look(start: int, stop: int) -> None:
            for tile in range(start, stop):
                down, right = divmod(tile, across)
                part = rows[down * tall : (down + 1) * tall]
                picked = np.arange(part.start, part.stop, part.step, dtype=np.int64)
                left = seen.columns[0] + right * wide
                many = min(wide, seen.columns[1] - left)
                values = _read(elements, seen, picked, left, many, work)
                reduced = cells.reduced(values, picked, left, work)
                with lock:
                    cells.join(reduced)

        return look

    scaled = Meter(lambda done, total: meter.show(done * meter.total // max(total, 1)), tiles)
    sweep(tiles, 1, worker, threads=threads, meter=scaled)


def _read(
    elements: Elements, seen: Window, rows: NDArray[np.int64], left: int, many: int, work: Workspace
) -> NDArray[Any]:
    """Columns left:left + many of these rows, as real numbers (rows, many)."""
    values = work.array("values", (len(rows), many), elements.value)
    first = seen.start + int(rows[0]) * seen.stride + left
    whole = many == seen.stride and int(rows[-1] - rows[0]) + 1 == len(rows)
    if whole and first % elements.grain == 0 and values.size % elements.grain == 0:
        elements.read(first, first + values.size, values.reshape(-1), work)
    else:
        elements.gather(seen.start + rows * seen.stride + left, many, values, work)
    return np.abs(values) if values.dtype.kind == "c" else values
