"""The grids of the I-quants as a quantizer sees them: which points are on the grid, and which grid points lie around the others.

A position is a number of 4 or 8 digits, the levels of as many elements: level l stands for the value 2 * l + 1, whatever the
grid itself holds. From a position that is not on its grid a quantizer turns to the grid points in the nearest few shells
around it, where a shell is what lies at the same distance. They follow from the grid, and are worked out when first needed.
"""

from __future__ import annotations

import threading
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.fields import Floats
from weightmap.types.grids import grid
from weightmap.types.workspace import Workspace

Ints = NDArray[Any]

_ROWS = 1 << 10  # positions looked at together while neighbours are worked out
_TOGETHER = 1 << 15  # elements of a search that stay in the cache


class Neighbours:
    """Grid points around positions, those of a position from the nearest to the farthest, the first by number of equals.

    rank   (positions,): the positions that have any, those with most of them first
    first, count  (ranks,): where those of a rank begin, and how many they are
    points, values  (neighbours,), (neighbours, dims): their numbers as uint16, and their values as float32
    """

    def __init__(self, rows: Ints, points: Ints, positions: int, values: Floats) -> None:
        """Of neighbours in order: `rows`, the positions that they lie around, and `points`, grid points of `values`."""
        count = np.bincount(rows, minlength=positions)
        order = np.argsort(-count, kind="stable")
        self.rank = np.empty(positions, np.uint16)
        self.rank[order] = np.arange(positions)
        self.count = count[order]
        self.first = np.cumsum(self.count) - self.count
        self.points = points[np.argsort(self.rank[rows], kind="stable")]
        self.values = values[self.points]

    def closest(
        self,
        places: Ints,
        x: tuple[Floats, Ints],
        weights: Floats,
        scale: tuple[Floats, Ints],
        work: Workspace,
        shift: Floats | None = None,
    ) -> Ints:
        """Of the neighbours of each place that with the least error, the first of equals: grid points, intp.

        `x` and `weights` are rows (n, dims), and which row is that of a place; `scale` is (n,), and which is that of a place.
        `shift`, (places,), is added to the values of a point before they are scaled.
        """
        ranks = np.take(self.rank, places)
        order = np.argsort(ranks, kind="stable")
        ranks, rows, factors = ranks[order].astype(np.intp), x[1][order], scale[0][scale[1][order]]
        found, dims = np.empty(len(order), np.intp), self.values.shape[1]
        step = _TOGETHER // dims
        for at in range(0, len(order), step):
            part, some = slice(at, at + step), rows[at : at + step]
            factor = np.repeat(factors[part], dims).reshape(-1, dims)
            own = np.take(x[0], some, axis=0), np.take(weights, some, axis=0), factor
            moved = None if shift is None else np.repeat(shift[order[part]], dims).reshape(-1, dims)
            found[order[part]] = self._closest(ranks[part], *own, work, moved)
        return found

    def _closest(
        self, ranks: Ints, x: Floats, weights: Floats, scale: Floats, work: Workspace, shift: Floats | None
    ) -> Ints:
        """The same for rising ranks and a row (n, dims) of x, weights and scale for each."""
        n, dims = x.shape
        tried, counts = np.take(self.first, ranks), np.take(self.count, ranks)
        with_more = np.searchsorted(-counts, -np.arange(counts[0]), side="left").tolist()
        best, least = tried.copy(), np.full(n, np.finfo(np.float32).max, np.float32)
        value, term = (work.array(f"encode {name}", x.shape, np.float32) for name in ("around", "term"))
        error, better = work.array("encode error", (n,), np.float32), work.array("encode better", (n,), np.bool_)
        for m in with_more:  # rows that have another neighbour
            at, v, t, e, b = tried[:m], value[:m], term[:m], error[:m], better[:m]
            np.take(self.values, at, axis=0, out=v, mode="clip")
            if shift is not None:
                np.add(v, shift[:m], out=v)
            np.multiply(v, scale[:m], out=v)
            np.subtract(v, x[:m], out=v)
            np.multiply(weights[:m], v, out=t)
            np.multiply(t, v, out=t)
            np.add(t[:, 0], t[:, 1], out=e)
            for i in range(2, dims):
                np.add(e, t[:, i], out=e)
            np.less(e, least[:m], out=b)
            np.copyto(least[:m], e, where=b)
            np.copyto(best[:m], at, where=b)
            np.add(at, 1, out=at)
        return np.take(self.points, best)


class Lattice:
    """A grid and the neighbours of every position off it; none of the arrays is to be written to.

    dims, levels  elements of a point, and how many values each can have
    values   (points, dims): 2 * level + 1 of each grid point, or what a grid holds that holds signs as well, float32; `planes` is
             the same as (dims, points)
    index    (positions,) intp: the grid point at a position, or one less than minus the number of a position off the grid
    all      neighbours by that number
    """

    def __init__(self, name: str, shells: int) -> None:
        stored = grid(name)
        levels = np.searchsorted(np.unique(stored), stored)
        self.levels, self.dims = int(levels.max()) + 1, levels.shape[1]
        self.values: Floats = (stored if stored.min() < 0 else 2 * levels + 1).astype(np.float32)
        self.planes: Floats = np.ascontiguousarray(self.values.T)
        steps = self.levels ** np.arange(self.dims)
        self.index = np.zeros(self.levels**self.dims, np.intp)
        self.index[levels @ steps] = np.arange(1, len(levels) + 1)
        off = np.flatnonzero(self.index == 0)
        self.index -= 1
        self.index[off] = -1 - np.arange(len(off))
        at = off[:, None] // steps % self.levels
        parts = [_around(at[i : i + _ROWS], levels, shells) for i in range(0, len(off), _ROWS)]
        rows = np.concatenate([row + i * _ROWS for i, (row, _) in enumerate(parts)]).astype(np.uint16)
        points = np.concatenate([point for _, point in parts]).astype(np.uint16)
        self.all = Neighbours(rows, points, len(off), self.values)
        self._found, self._shells = (rows, points, at.astype(np.int8), levels.astype(np.int8)), shells

    @cached_property
    def likely(self) -> Neighbours:
        """Those that can be closest where every value is nearest to the level that it was rounded to: no other one is on the
        way to them in all dimensions.
        """
        if self._shells == 1:  # all are as far
            return self.all
        rows, points, at, levels = self._found
        likely = ~_behind(rows, levels[points] - at[rows])
        return Neighbours(rows[likely], points[likely], len(at), self.values)


def _around(at: Ints, to: Ints, shells: int) -> tuple[Ints, Ints]:
    """(number of the position, grid point) of each neighbour of the positions `at`, in order; both with their levels (n, dims)."""
    at, to = at.astype(np.float32), to.astype(np.float32)  # small whole numbers: exact
    distance = ((at * at).sum(axis=1)[:, None] + (to * to).sum(axis=1) - 2 * (at @ to.T)).astype(np.int16)
    reach = distance.min(axis=1)
    for _ in range(shells - 1):
        reach = np.where(distance > reach[:, None], distance, np.int16(1 << 14)).min(axis=1)
    row, point = np.nonzero(distance <= reach[:, None])
    order = np.lexsort((point, distance[row, point], row))
    return row, point[order]


def _behind(rows: Ints, ways: Ints) -> NDArray[np.bool_]:
    """Whether a nearer neighbour of the same position lies between it and the position in every dimension.

    `rows` rise, and neighbours of the same one come nearest first; `ways` are (neighbours, dims), from the position to each.
    """
    low, high = np.minimum(ways, 0), np.maximum(ways, 0)
    behind = np.zeros(len(rows), np.bool_)
    first = np.searchsorted(rows, rows)
    place = np.arange(len(rows)) - first
    for k in range(int(place.max())):
        later = np.flatnonzero((place > k) & ~behind)
        nearer = ways[first[later] + k]
        behind[later] |= ((low[later] <= nearer) & (nearer <= high[later])).all(axis=1)
    return behind


_worked_out = cache(Lattice)
_lock = threading.Lock()


def lattice(name: str, shells: int) -> Lattice:
    """The lattice of a grid, with the neighbours in so many shells; worked out once, by the first thread that asks."""
    with _lock:
        return _worked_out(name, shells)
