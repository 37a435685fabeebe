"""Layers by roles: where each tensor stands in the table that shows a whole model at a glance."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from weightmap.comparison import PairError
from weightmap.wording import natural

_LAYER = re.compile(r"((?:[^.]+\.)*?\d+)\.(.+)", re.DOTALL)
MOST_LAYERS, MOST_ROLES = 200, 40


@dataclass(frozen=True, slots=True)
class Grid:
    """`cells[layer, role]`, both as indices, is a pair; `single` are those that belong to no layer.

    quiet    roles left out because all their tensors are identical
    left_out how many pairs found no room
    """

    layers: tuple[str, ...]
    roles: tuple[str, ...]
    cells: dict[tuple[int, int], PairError]
    single: tuple[PairError, ...]
    quiet: tuple[str, ...] = ()
    left_out: int = 0


def arranged(pairs: Iterable[PairError]) -> Grid:
    """The pairs by layer and role. What differs counts: a role whose tensors are all identical has no column."""
    placed: dict[str, dict[str, PairError]] = {}  # by role, by layer
    single = []
    for pair in pairs:
        name = pair.tensor.partition(" + ")[0]
        if (found := _LAYER.fullmatch(name)) is None:
            single.append(pair)
        else:
            placed.setdefault(found[2].removesuffix(".weight"), {}).setdefault(found[1], pair)
    quiet = [role for role, column in placed.items() if all(pair.identical for pair in column.values())]
    roles = [role for role in placed if role not in quiet][:MOST_ROLES]
    layers = sorted({layer for role in roles for layer in placed[role]}, key=natural)[:MOST_LAYERS]
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (layers, roles))
    cells = {
        (rows[layer], columns[role]): pair for role in roles for layer, pair in placed[role].items() if layer in rows
    }
    shown = sum(len(column) for role, column in placed.items() if role not in quiet)
    loud = tuple(pair for pair in single if not pair.identical)[: 2 * MOST_ROLES]
    return Grid(tuple(layers), tuple(roles), cells, loud, tuple(quiet), shown - len(cells))
