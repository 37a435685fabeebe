"""Transforms that know of heads: fused queries, keys and values, latent attention, linear attention.

Formulas as row indices of the source, one per row of the target: nothing but rows (or columns) moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightmap.pairing.steps import RowRange, Transpose
from weightmap.pairing.view import View, reordered, taken


@dataclass(frozen=True, slots=True)
class GroupedQKV:
    """Falcon's rows: for each group of heads its queries, one key, one value; gathered to all queries, keys, values."""

    heads: int
    groups: int

    @property
    def label(self) -> str:
        return f"F({self.heads},{self.groups})"

    def apply(self, view: View) -> View | None:
        each = self.heads // self.groups + 2
        rows = view.shape[0] if view.shape else 0
        if not rows or self.heads % self.groups or rows % (each * self.groups):
            return None
        index = np.arange(rows, dtype=np.int64).reshape(self.groups, each, -1)
        parts = (index[:, : each - 2], index[:, each - 2], index[:, each - 1])
        return reordered(view, np.concatenate([part.reshape(-1) for part in parts]))


@dataclass(frozen=True, slots=True)
class InterleavedQKV:
    """Rows of (head, query or key or value, width), as in BLOOM and GPT-NeoX, gathered to queries, keys, values."""

    heads: int

    @property
    def label(self) -> str:
        return f"B({self.heads})"

    def apply(self, view: View) -> View | None:
        rows = view.shape[0] if view.shape else 0
        if not rows or rows % (3 * self.heads):
            return None
        index = np.arange(rows, dtype=np.int64).reshape(self.heads, 3, -1)
        return reordered(view, index.swapaxes(0, 1).reshape(-1))


@dataclass(frozen=True, slots=True)
class LatentPart:
    """One part of `kv_b_proj`, rows (head, key part and value part): the keys of each head transposed, or the values."""

    heads: int
    key: int
    value: int
    keys: bool

    @property
    def label(self) -> str:
        return "KB" if self.keys else "VB"

    def apply(self, view: View) -> View | None:
        each = self.key + self.value
        if len(view.shape) != 2 or view.shape[0] != self.heads * each:
            return None
        index = np.arange(view.shape[0], dtype=np.int64).reshape(self.heads, each)
        chosen = index[:, : self.key] if self.keys else index[:, self.key :]
        part = reordered(view, chosen.reshape(-1))
        stacked = View(part.elements, (self.heads, chosen.shape[1], view.shape[1]))
        return Transpose().apply(stacked) if self.keys else stacked


@dataclass(frozen=True, slots=True)
class ValueHeads:
    """Value heads of linear attention from (key head, r) to (r, key head), each `width` rows, or columns; those before
    `first` stay.
    """

    key_heads: int
    value_heads: int
    width: int
    first: int = 0
    columns: bool = False

    @property
    def label(self) -> str:
        kind = "columns" if self.columns else "rows"
        return f"{'q;k;' if self.first else ''}V tile {kind}({self.width})"

    def apply(self, view: View) -> View | None:
        axis = len(view.shape) - 1 if self.columns else 0
        moved = self.value_heads * self.width
        if not view.shape or (self.columns and not axis) or view.shape[axis] != self.first + moved:
            return None
        index = np.arange(moved, dtype=np.int64).reshape(self.key_heads, -1, self.width).swapaxes(0, 1).reshape(-1)
        return taken(view, axis, np.concatenate([np.arange(self.first, dtype=np.int64), self.first + index]))


@dataclass(frozen=True, slots=True)
class LinearQKVZ:
    """Rows of `in_proj_qkvz`, for each key head its query, key, values and gates: all but the gates, or the gates."""

    key_heads: int
    key: int
    values: int
    gates: bool

    @property
    def label(self) -> str:
        return "qkvz->z" if self.gates else "qkvz->q;k;v"

    def apply(self, view: View) -> View | None:
        each = 2 * self.key + 2 * self.values
        if not view.shape or view.shape[0] != self.key_heads * each:
            return None
        index = np.arange(view.shape[0], dtype=np.int64).reshape(self.key_heads, each)
        cuts = np.split(index, [self.key, 2 * self.key, 2 * self.key + self.values], axis=1)
        chosen = cuts[3:] if self.gates else cuts[:3]
        return reordered(view, np.concatenate([cut.reshape(-1) for cut in chosen]))


def shares(heads: int, groups: int, rows: int) -> tuple[int, int, int] | None:
    """Rows of queries, keys and values in a fused tensor of so many rows, all heads being equally wide."""
    if heads < 1 or groups < 1 or rows % (heads + 2 * groups):
        return None
    width = rows // (heads + 2 * groups)
    return heads * width, groups * width, groups * width


def share(which: int, sizes: tuple[int, int, int]) -> RowRange:
    """The rows of queries (0), keys (1) or values (2) in a fused tensor."""
    return RowRange(sum(sizes[:which]), sizes[which])
