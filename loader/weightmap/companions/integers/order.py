"""Which group each column is in: neighbours, or as a tensor of indices says; and what the numbers of groups tell of their size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import named
from weightmap.companions.parts import Parts
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

PIECE = 1 << 16  # indices looked at at a time
ONE = np.int32(1)  # of the type of what it is added to: numpy's way for others is thirty times as slow
POWERS = (128, 64, 32, 256, 16, 512, 1024)  # sizes that quantizers use, the commonest first


@dataclass(frozen=True, slots=True)
class Order:
    """What a tensor of group indices says.

    size     columns of a group where neighbours share one
    indexed  whether each column has to be asked for its group
    wrong    why no column's group can be told, as a sentence; else None
    others   sizes that would fit as well, where nothing tells
    uneven   what is odd about how many columns the groups have, as a sentence; else None
    unset    what it means that every index is -1, as a sentence, for formats that do not say so; else None
    """

    size: int
    indexed: bool = False
    wrong: str | None = None
    others: tuple[int, ...] = ()
    uneven: str | None = None
    unset: str | None = None

    @property
    def assumed(self) -> str | None:
        """What is assumed about the size, as a sentence."""
        return said_of((self.size, *self.others))


def order_of(record: TensorRecord | None, columns: int, groups: int, told: int | None, parts: Parts) -> Order:
    """The order of the groups of `columns` columns. All -1 is what writers leave where no order was made.

    told  size of a group as the config has it, which decides where it fits the number of groups
    """
    size, *others = sizes_of(columns, groups, told)
    if record is None:
        return Order(size, others=tuple(others))
    if record.type.value.kind not in "iu":
        text = f"{named(record)}, the indices of groups of {columns:,} columns, are stored as {record.type.name}."
        return Order(size, wrong=text)
    if record.shape != (columns,):
        text = f"{named(record)} ({record.type.name}) has {record.count:,} indices of groups for {columns:,} columns."
        return Order(size, wrong=text)
    stored, work = parts.stored(record), Workspace()
    neighbours, unset, sizes = True, True, np.zeros(groups, np.int32)
    for start in range(0, columns, PIECE):
        stop = min(start + PIECE, columns)
        indices = np.empty(stop - start, stored.value)
        stored.read(start, stop, indices, work)
        low, high = int(indices.min()), int(indices.max())
        unset &= low == high == -1
        if not unset and (low < 0 or high >= groups):
            text = f"{named(record)} names group {low if low < 0 else high:,}, but the groups are 0 to {groups - 1:,}."
            return Order(size, wrong=text)
        neighbours = neighbours and bool(np.array_equal(indices, np.arange(start, stop) // size))
        if not unset:
            np.add.at(sizes, indices, ONE)
    if unset or neighbours:
        said = _unset(record, size) if unset and groups > 1 else None
        return Order(size, others=tuple(others) if unset else (), unset=said)
    if not sizes.all():
        text = (
            f"{named(record)} puts columns into {np.count_nonzero(sizes):,} groups, but there are scales of {groups:,}."
        )
        return Order(size, wrong=text)
    return Order(size, indexed=True, uneven=_uneven(record, sizes))


def _unset(record: TensorRecord, size: int) -> str:
    """What is odd about indices that are all -1."""
    return (
        f"Every index in {named(record)} is -1, which is no group: {size:,} neighbouring columns are taken to share one. Loaders "
        "that go by the indices take the last group for all."
    )


def _uneven(record: TensorRecord, sizes: NDArray[np.int32]) -> str | None:
    """What is odd about the columns of the groups: all have equally many, but for the last one, which may have fewer."""
    if (sizes[:-1] == sizes[0]).all() and sizes[-1] <= sizes[0]:
        return None
    return (
        f"{named(record)} makes groups of {int(sizes.min()):,} to {int(sizes.max()):,} columns; a quantizer makes them equally "
        "large. The values are those that the indices say."
    )


def sizes_of(columns: int, groups: int, told: int | None) -> tuple[int, ...]:
    """How many columns a group may have, the likeliest first: what the config says where as many groups follow from it.

    Else a power of two, as quantizers take them, whose last group may be short, and an equal share.
    """
    if told is not None and -(-columns // told) == groups:
        return (told,)
    share = max(-(-columns // max(groups, 1)), 1)
    if groups < 2 or (share * groups == columns and share & (share - 1) == 0):
        return (share,)
    powers = [size for size in POWERS if -(-columns // size) == groups]
    shares = [share] if -(-columns // share) == groups and share not in powers else []
    return (*powers, *shares) or (share,)


def said_of(sizes: tuple[int, ...]) -> str | None:
    """The sentence that says which size is assumed; None where there is one only."""
    if len(sizes) < 2:
        return None
    more = " and ".join(f"{size:,}" for size in sizes[1:])
    return (
        f"Nothing says how many values share a scale: groups of {sizes[0]:,} are assumed, and {more} would fit as well."
    )


def reading(size: int) -> str:
    """What the reading with groups of another size is called."""
    return f"groups of {size:,}"


def plausible(columns: int, groups: int) -> bool:
    """Whether an equal share is a size that quantizers use, so that a config which says another one may be stale."""
    size = columns // groups if groups > 1 and columns % groups == 0 else 0
    return size >= 8 and size & (size - 1) == 0
