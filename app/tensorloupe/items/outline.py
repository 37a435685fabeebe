"""A model's tensors laid out for the tree: names, groups, sizes and states as arrays, made once in the background.

Everything that the tree sorts or filters by is a column of numbers here, so that 20,000 tensors are arranged anew within
a few milliseconds on the window's thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.items.naming import groups_of, natural_key, top_order

STATUSES = ("ok", "unchecked", "info", "warning", "error")  # unfinished beats ok, whatever was found beats unfinished
RANKS = {status: rank for rank, status in enumerate(STATUSES)}

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Outline:
    """The tensors of one model as columns; position in them is the tensor's number in the file.

    names, labels  shown text: the whole name, and what is left of it inside its group; escaped
    group          number of the group that each tensor belongs to, -1 for none
    place          position of each tensor's top row (its group's, or its own) in the order of the first level
    readable       whether each tensor's values can be given
    share          part of each tensor's bytes that the file holds, 0 to 1
    """

    tensors: tuple[weightmap.Tensor, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    lowered: tuple[str, ...]
    types: tuple[str, ...]
    groups: tuple[str, ...]
    group: Ints
    place: Ints
    nbytes: Ints
    counts: NDArray[np.float64]
    share: NDArray[np.float64]
    readable: NDArray[np.bool_]
    rank: Ints
    by_name: Ints
    by_type: Ints
    numbers: Mapping[int, int] = field(repr=False)

    def status(self, number: int) -> str:
        """Status of one tensor, as a word."""
        return STATUSES[int(self.rank[number])]

    def number_of(self, tensor: weightmap.Tensor | None) -> int | None:
        """The tensor's number, or None where it is none of this model."""
        return self.numbers.get(id(tensor)) if tensor is not None else None


def build_outline(tensors: Sequence[weightmap.Tensor], sizes: Mapping[str, int | None]) -> Outline:
    """Lay out the tensors of a model. `sizes` gives the bytes of each of its files, None for one that is not there."""
    raw = [tensor.name for tensor in tensors]
    groups = groups_of(raw)
    order = {row: position for position, row in enumerate(top_order(raw, groups))}
    group_names = sorted({g for g in groups if g is not None}, key=lambda g: order[g])
    group_number = {name: number for number, name in enumerate(group_names)}
    names = tuple(weightmap.printable(name) for name in raw)
    kinds = tuple(weightmap.printable(tensor.type.name) for tensor in tensors)
    readable = [tensor.problem is None for tensor in tensors]
    states = [str(tensor.status) if whole else "error" for tensor, whole in zip(tensors, readable, strict=True)]
    return Outline(
        tensors=tuple(tensors),
        names=names,
        labels=tuple(
            name if group is None else weightmap.printable(original[len(group) + 1 :])
            for name, original, group in zip(names, raw, groups, strict=True)
        ),
        lowered=tuple(name.lower() for name in names),
        types=kinds,
        groups=tuple(weightmap.printable(name) for name in group_names),
        group=np.array([-1 if g is None else group_number[g] for g in groups], dtype=np.int64),
        place=np.array([order[r if g is None else g] for r, g in zip(raw, groups, strict=True)], dtype=np.int64),
        nbytes=np.array([min(tensor.nbytes, 2**62) for tensor in tensors], dtype=np.int64),
        counts=np.array([float(tensor.count) for tensor in tensors], dtype=np.float64),
        share=np.array([_share(tensor, sizes) for tensor in tensors], dtype=np.float64),
        readable=np.array(readable, dtype=bool),
        rank=np.array([RANKS[state] for state in states], dtype=np.int64),
        by_name=_positions(sorted(range(len(raw)), key=lambda i: natural_key(raw[i]))),
        by_type=_type_positions(kinds),
        numbers={id(tensor): number for number, tensor in enumerate(tensors)},
    )


def status_of(tensor: weightmap.Tensor) -> str:
    """The status to show: that of the findings, and error where the values cannot be given.

    Of many tensors past the end of a file one finding speaks for all, so that their own status alone is not enough.
    """
    return "error" if tensor.problem is not None else str(tensor.status)


def mark_of(tensor: weightmap.Tensor, scanning: bool) -> str:
    """The status to show in a row: while values are looked at, what seems well is unfinished until its turn has come."""
    status = status_of(tensor)
    return "unchecked" if scanning and status == "ok" and not tensor.values_checked else status


def _share(tensor: weightmap.Tensor, sizes: Mapping[str, int | None]) -> float:
    held = sizes.get(tensor.path)
    if held is None:
        return 0.0 if tensor.path in sizes else 1.0
    if tensor.nbytes <= 0:
        return 1.0
    return min(1.0, max(0.0, (held - tensor.offset) / tensor.nbytes))


def _positions(order: Sequence[int]) -> Ints:
    positions = np.empty(len(order), dtype=np.int64)
    positions[np.array(order, dtype=np.int64)] = np.arange(len(order))
    return positions


def _type_positions(kinds: Sequence[str]) -> Ints:
    number = {kind: position for position, kind in enumerate(sorted(set(kinds), key=natural_key))}
    return np.array([number[kind] for kind in kinds], dtype=np.int64)
