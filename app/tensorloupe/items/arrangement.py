"""Which tensors the tree shows and in which order: an outline under a filter and a sort, worked out with numpy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tensorloupe.items.outline import STATUSES, Ints, Outline

Floats = NDArray[np.float64]

NAME, TYPE, SHAPE, SIZE, STATE = range(5)


class Row(NamedTuple):
    """A row of the first level: a lone tensor (`group` is -1) or a group with the tensors shown in it, in order."""

    group: int
    members: Ints

    @property
    def is_group(self) -> bool:
        """Whether the row can be opened."""
        return self.group >= 0


class Totals(NamedTuple):
    """What a group, or the whole model, holds: all of it, not only what is shown."""

    tensors: int
    values: int
    nbytes: int
    bits: float  # per weight
    whole: int  # tensors whose bytes are all there
    share: float  # of the bytes, those that are there
    unlocated: int  # tensors of which nobody knows where they lie
    status: str


def arrange(
    outline: Outline,
    shown: NDArray[np.bool_] | None = None,
    column: int | None = None,
    descending: bool = False,
    ratio: Floats | None = None,
) -> tuple[Row, ...]:
    """The rows of the first level. Without a column the order is that of the model, in groups by name.

    A `ratio` of each tensor (NaN for none) takes the place of its size.
    """
    numbers = outline.listed if shown is None else np.flatnonzero(_with_weights(outline, shown))
    if not numbers.size:
        return ()
    top, inner = _keys(outline, numbers, column, ratio)
    sign = -1 if descending else 1
    place = outline.place[numbers]
    order = np.lexsort((outline.by_name[numbers], sign * inner, place, sign * top))
    numbers = numbers[order]
    starts = np.flatnonzero(np.diff(outline.place[numbers], prepend=-1))
    groups = outline.group[numbers[starts]].tolist()
    bounds = itertools.pairwise([*starts.tolist(), numbers.size])
    return tuple(Row(group, numbers[a:b]) for group, (a, b) in zip(groups, bounds, strict=True))


def positions(outline: Outline, rows: Sequence[Row]) -> dict[int, int]:
    """Where in the first level each place of it is shown."""
    firsts = np.fromiter((row.members[0] for row in rows), np.int64, len(rows))
    return {place: position for position, place in enumerate(outline.place[firsts].tolist())}


def _with_weights(outline: Outline, shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is listed of some tensors: a part of a weight brings the weight, and is no row of its own."""
    listed = shown & (outline.under < 0)
    listed[outline.under[shown & (outline.under >= 0)]] = True
    return listed


def _keys(outline: Outline, numbers: Ints, column: int | None, ratio: Floats | None) -> tuple[Floats, Floats]:
    """What the first level and what the rows inside a group are sorted by; the former is one number per group."""
    if column is None:
        return np.zeros(numbers.size), np.zeros(numbers.size)
    if column == NAME:
        inner: Floats = outline.by_name[numbers].astype(np.float64)
        return _per_place(outline, numbers, inner, np.minimum), inner
    if column == SIZE and ratio is not None:
        inner = np.nan_to_num(ratio[numbers], nan=-1.0, posinf=np.inf)
        return _per_place(outline, numbers, inner, np.maximum), inner
    if column == SIZE:
        inner = outline.nbytes[numbers].astype(np.float64)
        return _per_place(outline, numbers, inner, np.add), inner
    if column == SHAPE:
        inner = outline.counts[numbers]
        return _per_place(outline, numbers, inner, np.add), inner
    if column == TYPE:
        # a group shows its bits per weight there, and sorts by them among the types' own
        bits: Floats = outline.nbytes[numbers].astype(np.float64) * 8
        top = _per_place(outline, numbers, bits, np.add) / np.maximum(
            _per_place(outline, numbers, outline.counts[numbers], np.add), 1
        )
        return top, outline.by_type[numbers].astype(np.float64)
    inner = outline.rank[numbers].astype(np.float64)
    return _per_place(outline, numbers, inner, np.maximum), inner


def _per_place(outline: Outline, numbers: Ints, values: Floats, joined: np.ufunc) -> Floats:
    start = 0.0 if joined is np.add else -np.inf if joined is np.maximum else np.inf
    sums = np.full(int(outline.place.max()) + 1, start)
    joined.at(sums, outline.place[numbers], values)
    found: Floats = sums[outline.place[numbers]]
    return found


def whole_totals(outline: Outline) -> Totals:
    """The sums over the file: what its weights have, and how many tensors they lie in."""
    whole = int((outline.share[: outline.stored] >= 1).sum())
    unlocated = int((~outline.located[: outline.stored]).sum())
    return totals(outline, outline.listed)._replace(tensors=outline.stored, whole=whole, unlocated=unlocated)


def totals(outline: Outline, at: Ints) -> Totals:
    """The sums over some tensors."""
    if not at.size:
        return Totals(0, 0, 0, 0.0, 0, 1.0, 0, "ok")
    nbytes, count = outline.nbytes[at], float(outline.counts[at].sum())
    held = float((nbytes * outline.share[at]).sum())
    total = sum(nbytes.tolist())
    exact = count < 2**53  # else the numbers of values are added up one by one
    return Totals(
        tensors=at.size,
        values=round(count) if exact else sum(outline.tensors[number].count for number in at.tolist()),
        nbytes=total,
        bits=total * 8 / count if count else 0.0,
        whole=int((outline.share[at] >= 1).sum()),
        share=held / total if total else 1.0,
        unlocated=int((~outline.located[at]).sum()),
        status=STATUSES[int(outline.rank[at].max())],
    )


def group_totals(outline: Outline) -> tuple[Totals, ...]:
    """The totals of every group, in the order of `outline.groups`: what `totals` gives for each, of thousands at once."""
    numbers = outline.listed[outline.group[outline.listed] >= 0]
    group, nbytes, groups = outline.group[numbers], outline.nbytes[numbers].astype(np.float64), len(outline.groups)
    share = outline.share[numbers]
    weights = (outline.counts[numbers], nbytes, nbytes * share, share >= 1, ~outline.located[numbers])
    worst = np.zeros(groups, np.int64)
    np.maximum.at(worst, group, outline.rank[numbers])
    columns = [np.bincount(group, minlength=groups), *(np.bincount(group, w, groups) for w in weights), worst]
    found = []
    for position, (tensors, values, size, held, whole, unlocated, rank) in enumerate(
        zip(*(c.tolist() for c in columns), strict=True)
    ):
        if max(values, size) >= 2**53:  # too large to be exact as a float
            found.append(totals(outline, numbers[group == position]))
            continue
        bits, part = size * 8 / values if values else 0.0, held / size if size else 1.0
        found.append(Totals(tensors, int(values), int(size), bits, int(whole), part, int(unlocated), STATUSES[rank]))
    return tuple(found)


def with_statuses(outline: Outline, groups: tuple[Totals, ...], whole: Totals) -> tuple[tuple[Totals, ...], Totals]:
    """The totals of groups and model with the states that the outline has by now; nothing is added up anew."""
    worst = np.zeros(len(groups) + 1, dtype=np.int64)  # the last one is for tensors without a group
    np.maximum.at(worst, outline.group, outline.rank)
    states = [STATUSES[rank] for rank in worst.tolist()]
    fresh = tuple(g if g.status == s else Totals(*g[:-1], s) for g, s in zip(groups, states, strict=False))
    return fresh, whole._replace(status=STATUSES[int(worst.max())])
