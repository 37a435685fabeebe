"""Which group each column is in: neighbours, or as a tensor of indices says; and what the numbers of groups tell of their size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightmap.companions.base import named
from weightmap.companions.parts import Parts
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

PIECE = 1 << 16  # indices looked at at a time


@dataclass(frozen=True, slots=True)
class Order:
    """What a tensor of group indices says.

    size     columns of a group where neighbours share one
    indexed  whether each column has to be asked for its group
    wrong    why no column's group can be told, as a sentence; else None
    """

    size: int
    indexed: bool = False
    wrong: str | None = None


def order_of(record: TensorRecord | None, columns: int, groups: int, told: int | None, parts: Parts) -> Order:
    """The order of the groups of `columns` columns. All -1 is what writers leave where no order was made.

    told  size of a group as the config has it, which decides where it fits the number of groups
    """
    size = size_of(columns, groups, told)
    if record is None:
        return Order(size)
    if record.type.value.kind not in "iu" or record.shape != (columns,):
        text = f"{named(record)} ({record.type.name}) has {record.count:,} indices of groups for {columns:,} columns."
        return Order(size, wrong=text)
    stored, work = parts.stored(record), Workspace()
    neighbours, unset = True, True
    for start in range(0, columns, PIECE):
        stop = min(start + PIECE, columns)
        indices = np.empty(stop - start, stored.value)
        stored.read(start, stop, indices, work)
        low, high = int(indices.min()), int(indices.max())
        unset &= low == high == -1
        if not unset and (low < 0 or high >= groups):
            text = f"{named(record)} names group {low if low < 0 else high:,}, but the groups are 0 to {groups - 1:,}."
            return Order(size, wrong=text)
        neighbours &= bool(np.array_equal(indices, np.arange(start, stop) // size))
    return Order(size, indexed=not (unset or neighbours))


def size_of(columns: int, groups: int, told: int | None) -> int:
    """Columns of a group: what the config says where as many groups follow from it, else an equal share."""
    if told is not None and -(-columns // told) == groups:
        return told
    return max(-(-columns // max(groups, 1)), 1)


def plausible(columns: int, groups: int) -> bool:
    """Whether an equal share is a size that quantizers use, so that a config which says another one may be stale."""
    size = columns // groups if groups > 1 and columns % groups == 0 else 0
    return size >= 8 and size & (size - 1) == 0
