"""The search behind the I-quants of two and three bits: the scale of a group whose elements are points of a grid, times signs.

A scale is tried for some ways to make the largest magnitude a little more or less than the largest value. What the elements
are then rounded to need not be on the grid; of the grid points around it that with the smallest error is taken. The points
give the best scale by least squares, and with the best of those what is not on the grid is rounded once more. All work on lanes
(elements of a group, groups) and change nothing of what they are given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.quantize.base import HALF_WAY, nearest_whole
from weightmap.quantize.lattice import Lattice, lattice
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace

Ints = NDArray[Any]

_MIDDLE = np.float32(0.4995)  # values nearer to their level, in levels, are so whatever the rounding errors
_TINY, _HUGE = np.float32(1e-30), np.float32(1e6)


class Plan(NamedTuple):
    """How a type is searched: the factor of a try is (largest value + step * try) / largest magnitude, tries from -tries on.

    grid, shells  its lattice
    least   groups whose largest magnitude is below it are taken for zeros
    anew    whether the last rounding is for all points of a group, not for those alone that were not on the grid
    """

    grid: str
    shells: int
    tries: int
    step: float
    least: float
    anew: bool = False


class Found(NamedTuple):
    """What is stored for each group: points intp (runs, groups), a run being the elements of one point.

    scale    float32 (groups,), not negative; 0 for groups of zeros
    turned   whether all signs are to be the other way round
    empty    groups that were taken for zeros: nothing of them is stored
    """

    scale: Floats
    points: Ints
    turned: NDArray[np.bool_]
    empty: NDArray[np.bool_]


def whole(values: Floats, most: int) -> Ints:
    """`nearest_whole`, kept within 0 and `most`."""
    bits = nearest_whole(values)
    np.maximum(bits, np.int32(0), out=bits)
    return np.minimum(bits, np.int32(most), out=bits)


def points(x: Floats, weights: Floats, plan: Plan, work: Workspace, around: Floats | None = None) -> Found:
    """The points and the scale of each column of magnitudes `x`, whose errors count by `weights`; both (elements, groups).

    `around` are scales (groups,) that tries are to lie around, in place of those that the largest magnitudes give; then all
    points are rounded once more with the best scale, and groups whose scale is not above zero are taken for zeros.
    """
    on = lattice(plan.grid, plan.shells)
    top = np.float32(2 * on.levels - 1)
    largest = x.max(axis=0)
    empty = largest < np.float32(plan.least)
    if around is not None:
        largest = around * np.float32(on.levels)
        empty |= ~(largest > 0)
    largest[empty] = 1
    search = _Search(on, x, weights, work)
    step = np.arange(-plan.tries, plan.tries + 1, dtype=np.float32) * np.float32(plan.step) + top
    factor = step[:, None] / largest
    places, found = search.rounded(factor, np.float32(1) / factor)
    scale, chosen = _best(*search.sums(found), largest / top if around is None else around.copy())
    untried, columns = chosen < 0, np.arange(len(chosen))
    best = found[:, chosen, columns]
    best[:, untried] = on.index[0]
    kept = on.index[places[:, chosen, columns]] >= 0
    kept[:, untried | (around is not None)] = not plan.anew
    again = np.flatnonzero(~kept.all(axis=0) & (scale > 0) & ~empty)
    if again.size:
        once_more = _Search(on, np.take(x, again, axis=1), np.take(weights, again, axis=1), work)
        own = scale[None, again]
        _, found = once_more.rounded(np.float32(1) / own, own)
        best[:, again] = np.where(kept[:, again] & (not plan.anew), best[:, again], found[:, 0])
        (qx,), (qq,) = once_more.sums(best[:, None, again])
        scale[again] = np.where(qq > 0, qx / qq, scale[again])
    turned = scale < 0
    np.abs(scale, out=scale)
    scale[empty] = 0
    return Found(scale, best, turned, empty)


def _best(qx: Floats, qq: Floats, scale: Floats) -> tuple[Floats, Ints]:
    """(scale, number of the try or -1) of each group, the try being that with the smallest error."""
    least, chosen = np.zeros_like(scale), np.full(len(scale), -1, np.intp)
    for at, (sum_qx, sum_qq) in enumerate(zip(qx, qq, strict=True)):
        better = (sum_qq > 0) & (sum_qx * sum_qx > least * sum_qq)
        np.copyto(scale, sum_qx / sum_qq, where=better)
        np.copyto(least, scale * sum_qx, where=better)
        chosen[better] = at
    return scale, chosen


class _Search:
    """Values of some groups and their weights: x, weights (elements, groups)."""

    def __init__(self, on: Lattice, x: Floats, weights: Floats, work: Workspace) -> None:
        self._lattice, self._x, self._weights, self._work = on, x, weights, work
        self._runs, self._groups = len(x) // on.dims, x.shape[1]
        self._rows, self._roots = self._by_run(x), self._by_run(np.sqrt(weights))
        self._peak = np.maximum(x.max(axis=0), -x.min(axis=0))

    def _by_run(self, lanes: Floats) -> Floats:
        """(runs * groups, dims): the elements of each run side by side."""
        runs = lanes.reshape(self._runs, self._lattice.dims, self._groups).transpose(0, 2, 1)
        return np.ascontiguousarray(runs).reshape(-1, self._lattice.dims)

    def rounded(self, factor: Floats, scale: Floats) -> tuple[Ints, Ints]:
        """(positions, grid points) of x * factor, errors being measured with `scale`: intp (runs, tries, groups).

        Factor and scale are (tries, groups). Where rounding errors may decide, all neighbours of a position are looked at.
        """
        on, half = self._lattice, factor * np.float32(0.5)
        places = np.zeros((self._runs, *factor.shape), np.intp)
        value, rest, furthest = (
            self._work.array(f"encode {n}", factor.shape, np.float32) for n in ("value", "rest", "far")
        )
        doubtful = np.empty(places.shape, np.bool_)
        odd = (scale < _TINY) | (factor * self._peak > _HUGE)
        for run, place in enumerate(places):
            furthest.fill(0)
            for i in reversed(range(on.dims)):
                np.multiply(half, self._x[run * on.dims + i], out=value)
                np.subtract(value, np.float32(0.5), out=value)
                np.subtract(np.add(value, HALF_WAY, out=rest), HALF_WAY, out=rest)
                np.maximum(furthest, np.abs(np.subtract(rest, value, out=rest), out=rest), out=furthest)
                np.multiply(place, on.levels, out=place)
                np.add(place, whole(value, on.levels - 1), out=place)
            np.logical_not(np.less(furthest, _MIDDLE, out=doubtful[run]), out=doubtful[run])
            np.logical_or(doubtful[run], odd, out=doubtful[run])
        return places, self._nearest(places, doubtful, scale)

    def _nearest(self, places: Ints, doubtful: NDArray[np.bool_], scale: Floats) -> Ints:
        """The grid point at a position, or that with the least error around it."""
        chosen = np.take(self._lattice.index, places)
        flat = chosen.reshape(-1)
        away = np.flatnonzero(flat < 0)
        unsure = np.take(doubtful.reshape(-1), away)
        for neighbours, some in ((self._lattice.likely, away[~unsure]), (self._lattice.all, away[unsure])):
            if some.size:
                run, column = np.divmod(some, scale.size)
                x = self._rows, run * self._groups + column % self._groups
                factor = scale.reshape(-1), column
                flat[some] = neighbours.closest(-1 - flat[some], x, self._roots, factor, self._work)
        return chosen

    def sums(self, found: Ints) -> tuple[Floats, Floats]:
        """(sum of w x q, sum of w q q) over the values q of grid points (runs, tries, groups): float32 (tries, groups)."""
        on, shape = self._lattice, found.shape[1:]
        q, term = (self._work.array(f"encode {name}", shape, np.float32) for name in ("value", "term"))
        qx, qq = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for run, chosen in enumerate(found):
            for i in range(on.dims):
                weight, x = self._weights[run * on.dims + i], self._x[run * on.dims + i]
                np.take(on.planes[i], chosen, out=q, mode="clip")
                np.add(qx, np.multiply(weight * x, q, out=term), out=qx)
                np.multiply(weight, q, out=term)
                np.add(qq, np.multiply(term, q, out=term), out=qq)
        return qx, qq


def multiples(scales: Floats, factor: float) -> tuple[Floats, Ints]:
    """(unit, codes 0 to 15) of scales (n, groups), which are unit * (2 * code + 1); the unit is raised by a factor when stored."""
    d = scales.max(axis=1) / np.float32(31)
    codes = whole(np.float32(0.5) * ((np.float32(1) / d)[:, None] * scales - np.float32(1)), 15)
    return d * np.float32(factor), np.where(d[:, None] > 0, codes, 0).astype(np.uint8)
