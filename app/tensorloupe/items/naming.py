"""Tensor names as the tree needs them: in natural order, and with the layer that they belong to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from heapq import merge

_DIGITS = re.compile(r"(\d+)")
_RUN = 1 << 11  # names sorted at a time
_LAYER = re.compile(r"^(?:[^.]+\.)*?\d+(?=\.)")

NaturalKey = tuple[tuple[int, int, str], ...]


def natural_key(name: str) -> NaturalKey:
    """Sort key in which blk.2 comes before blk.10. Case counts only where nothing else tells two names apart.

    Numbers stay text, the longer the larger: Python refuses to make one of thousands of digits.
    """
    parts: list[tuple[int, int, str]] = []
    for position, piece in enumerate(_DIGITS.split(name)):
        if position % 2:
            digits = piece.lstrip("0")
            parts.append((0, len(digits), f"{digits} {piece}"))
        elif piece:
            parts.append((1, 0, piece.lower()))
    parts.append((2, 0, name))
    return tuple(parts)


def natural_order(names: Sequence[str]) -> list[int]:
    """Places of the names in natural order. In short runs, which are merged: no other thread has a turn while one is sorted."""
    keys = [natural_key(name) for name in names]
    runs = [range(at, min(at + _RUN, len(keys))) for at in range(0, len(keys), _RUN)]
    return list(merge(*(sorted(run, key=keys.__getitem__) for run in runs), key=keys.__getitem__))


def groups_of(names: Sequence[str]) -> list[str | None]:
    """The group of each name, or None for a name that stands alone.

    A name with a number among its parts belongs to what ends in its first number: blk.3, encoder.layer.3. Of the others,
    those that differ in the last part only, such as output_norm.weight and output_norm.bias, make a group.
    """
    groups: list[str | None] = []
    for name in names:
        layer = _LAYER.match(name)
        groups.append(layer.group() if layer else None)
    stems = [name.rpartition(".")[0] if group is None else "" for name, group in zip(names, groups, strict=True)]
    shared = {stem for stem, times in Counter(stems).items() if stem and times > 1}
    return [stem if group is None and stem in shared else group for stem, group in zip(stems, groups, strict=True)]


def top_order(names: Sequence[str], groups: Sequence[str | None]) -> list[str]:
    """The rows of the first level, groups and lone names, in the order of the file, but numbered groups together.

    blk.0 to blk.17 stand where the first of them stands in the file, in natural order, whatever the header's order is.
    """
    families: dict[str, set[str]] = {}
    for name, group in zip(names, groups, strict=True):
        row = name if group is None else group
        families.setdefault(row if group is None else _DIGITS.sub("#", row), set()).add(row)
    return [row for rows in families.values() for row in sorted(rows, key=natural_key)]
