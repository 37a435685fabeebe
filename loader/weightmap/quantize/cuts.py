"""The search behind the I-quants of less than two bits: sorted by size, values are cut into those that become -1, 0 and 1.

All levels are moved by an eighth up or down. Every way to cut is tried with every direction, and of each the best scale follows
by least squares. All work on lanes (elements of a group, groups).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.types.fields import Floats

Ints = NDArray[Any]

SHIFT = np.float32(0.125)


class Cut(NamedTuple):
    """The best way to cut the values of each column.

    scale   float32 (groups,), not negative
    levels  -1, 0 or 1 for each value: intp (elements, groups)
    shifts  number of the directions that were tried, -1 where nothing could be
    """

    scale: Floats
    levels: Ints
    shifts: Ints


def by_halves(x: Floats, weights: Floats) -> Cut:
    """Groups whose halves are moved each its own way: both up, the second down, the first down, both down."""
    count, groups = x.shape
    order = np.argsort(x, axis=0, kind="stable")
    first, second = np.array([[1, 1, -1, -1], [1, -1, 1, -1]], np.float32)[:, :, None, None] * SHIFT
    up = np.where(order < count // 2, first, second)  # (directions, elements, groups)
    value, weight = np.take_along_axis(x, order, axis=0), np.take_along_axis(weights, order, axis=0)
    parts = np.empty((3, count, 2, 4, groups), np.float32)
    for level, part in enumerate(parts):
        q = up + np.float32(level - 1)
        weighted = weight * q
        part[:, 0] = (weighted * value).swapaxes(0, 1)
        part[:, 1] = (weighted * q).swapaxes(0, 1)
    best = _Best(count, 4, groups)
    below = np.zeros((2, 4, groups), np.float32)
    sums = np.empty((count + 1, 2, 4, groups), np.float32)
    for low in range(count + 1):  # so many are -1; a row of sums for each end of the zeros behind them
        ahead = sums[: count + 1 - low]
        ahead[0] = below
        for at in range(low, count):
            np.add(ahead[at - low], parts[1, at], out=ahead[at - low + 1])
            tails = ahead[: at - low + 1]
            np.add(tails, parts[2, at], out=tails)
        best.offer(ahead, low)
        if low < count:
            np.add(below, parts[0, low], out=below)
    return best.cut(order)


def together(x: Floats, weights: Floats) -> Cut:
    """Groups that are moved as one, up or down; the sums of a part are differences of those from the first value on."""
    count, groups = x.shape
    order = np.argsort(x, axis=0, kind="stable")
    value, weight = np.take_along_axis(x, order, axis=0), np.take_along_axis(weights, order, axis=0)
    until_x, until_w = (_sums_until(part) for part in (weight * value, weight))
    best = _Best(count, 2, groups)
    sums = np.empty((count + 1, 2, 2, groups), np.float32)
    for low in range(count + 1):
        ahead = sums[: count + 1 - low]
        for way, up in enumerate((SHIFT, -SHIFT)):
            q = [np.float32(level) + up for level in (-1, 0, 1)]
            for which, until in enumerate((until_x, until_w)):
                below, middle, above = until[low], until[low:] - until[low], until[count] - until[low:]
                three = [part * value for part, value in zip((below, middle, above), q, strict=True)]
                if which:
                    three = [part * value for part, value in zip(three, q, strict=True)]
                np.add(three[0] + three[1], three[2], out=ahead[:, which, way])
        best.offer(ahead, low)
    return best.cut(order)


def _sums_until(terms: Floats) -> Floats:
    """(elements + 1, groups): what all before an element add up to."""
    sums = np.zeros((len(terms) + 1, terms.shape[1]), np.float32)
    np.add.accumulate(terms, axis=0, out=sums[1:])
    return sums


class _Best:
    """The best of what is offered: a later one has to be better than the best so far."""

    def __init__(self, count: int, ways: int, groups: int) -> None:
        self._count, self._ways = count, ways
        self._scale = np.zeros(groups, np.float32)
        self._chosen = np.full(groups, -1, np.intp)
        self._score = np.full(groups, -np.finfo(np.float32).max, np.float32)

    def offer(self, sums: Floats, low: int) -> None:
        """Sums of w x q and of w q q, (cuts, 2, directions, groups): `low` values are -1, those of a row later are one more 0."""
        qx, qq = sums[:, 0], sums[:, 1]
        scale = qx / qq
        square, score, possible = qx * qx, scale * qx, qq > 0
        number = low * (self._count + 2) * self._ways
        for at in range(len(sums)):
            for way in range(self._ways):
                better = square[at, way] > self._score * qq[at, way]
                np.logical_and(better, possible[at, way], out=better)
                np.copyto(self._score, score[at, way], where=better)
                np.copyto(self._scale, scale[at, way], where=better)
                np.copyto(self._chosen, number, where=better)
                number += 1

    def cut(self, order: Ints) -> Cut:
        """What was best, for values in their own order. A scale below zero turns levels and directions round."""
        low, high = np.divmod(self._chosen // self._ways, self._count + 1)
        place = np.arange(self._count)[:, None]
        levels = np.empty(order.shape, np.intp)
        np.put_along_axis(levels, order, (place >= low).astype(np.intp) + (place >= high) - 1, axis=0)
        turned = self._scale < 0
        way = self._chosen % self._ways
        shifts = np.where(self._chosen < 0, -1, np.where(turned, self._ways - 1 - way, way))
        return Cut(np.abs(self._scale), np.where(turned, -levels, levels), shifts)
