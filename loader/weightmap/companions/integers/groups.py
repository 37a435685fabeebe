"""Which columns of a matrix share a scale."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.elements import StoredElements
from weightmap.types.workspace import Workspace


class Groups:
    """Which group a column belongs to: `size` neighbours each, or as a tensor of indices says."""

    def __init__(self, size: int, order: StoredElements | None = None) -> None:
        self.size, self.order = size, order

    def of(self, first: int, last: int, work: Workspace) -> NDArray[np.int64]:
        """The groups of columns first:last: int64."""
        if self.order is None:
            return np.arange(first, last, dtype=np.int64) // self.size
        stored = work.array("order", (last - first,), self.order.value)
        self.order.read(first, last, stored, work)
        return stored.astype(np.int64)

    def cuts(self, left: int, right: int) -> Iterator[tuple[slice, slice, int]]:
        """(columns, groups, columns per group) of the parts of left:right that whole groups or one group make up, from 0 on."""
        size, first = self.size, left // self.size
        at = left
        while at < right:
            group = at // size
            whole = (right - at) // size if at % size == 0 else 0
            end = at + whole * size if whole else min((group + 1) * size, right)
            yield (
                slice(at - left, end - left),
                slice(group - first, group - first + max(whole, 1)),
                (end - at) // max(whole, 1),
            )
            at = end


def equal_groups(groups: Groups, width: int, many: int) -> NDArray[np.intp] | None:
    """The columns of group 0, of group 1 and so on; None where not each of `many` groups has `groups.size` of them."""
    of = groups.of(0, width, Workspace())
    equal = int(of.min(initial=0)) >= 0 and bool((np.bincount(of, minlength=many) == groups.size).all())
    return np.argsort(of, kind="stable") if equal else None
