"""The converter's transforms, a small class each: what it does to the order, the shape or the values of a tensor.

A step turns a View into another one, lazily, or gives None where the shape does not fit. Shapes are numpy's; "rows" are
the second-last axis of a tensor with two axes or more, and the elements of a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weightmap.pairing.lazy import Edited, Indices, Part, Transposed
from weightmap.pairing.view import View, reordered, taken


class Step(Protocol):
    """One transform; `label` is how a table of pairs names it."""

    @property
    def label(self) -> str: ...
    def apply(self, view: View) -> View | None: ...


@dataclass(frozen=True, slots=True)
class Transpose:
    """The last two axes swapped."""

    label: str = "T"

    def apply(self, view: View) -> View | None:
        if len(view.shape) < 2:
            return None
        *batch, rows, columns = view.shape
        shape = (*batch, columns, rows)
        return View(Transposed(view.elements, rows, columns, shape), shape)


@dataclass(frozen=True, slots=True)
class Experts:
    """A matrix whose rows are those of `count` experts, one after the other, seen as a stack of them."""

    count: int

    @property
    def label(self) -> str:
        return f"S({self.count})"

    def apply(self, view: View) -> View | None:
        if len(view.shape) != 2 or not self.count or view.shape[0] % self.count:
            return None
        return View(view.elements, (self.count, view.shape[0] // self.count, view.shape[1]))


@dataclass(frozen=True, slots=True)
class RopeRows:
    """Rows of each head reordered for the rotary embedding: from two halves to pairs, or back (`undo`)."""

    heads: int
    undo: bool = False

    @property
    def label(self) -> str:
        return f"{'undo ' if self.undo else ''}P({self.heads})"

    def apply(self, view: View) -> View | None:
        rows = view.shape[0] if view.shape else 0
        if not rows or len(view.shape) > 2 or rows % (2 * self.heads) or rows == 2 * self.heads:
            return None
        half = rows // self.heads // 2
        index = np.arange(rows, dtype=np.int64)
        axes = (half, 2) if self.undo else (2, half)
        return reordered(view, index.reshape(self.heads, *axes).swapaxes(1, 2).reshape(-1))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows start:stop:step, `of` so many equal parts; in each matrix of a stack."""

    part: int
    of: int
    interleaved: bool = False

    @property
    def label(self) -> str:
        return f"rows[{self.part}::{self.of}]" if self.interleaved else f"rows {self.part + 1}/{self.of}"

    def apply(self, view: View) -> View | None:
        axis = max(len(view.shape) - 2, 0)
        rows = view.shape[axis] if view.shape else 0
        if not rows or rows % self.of:
            return None
        return taken(view, axis, _part(rows, self.part, self.of, self.interleaved))


@dataclass(frozen=True, slots=True)
class LastAxis:
    """A part of the last axis of a tensor with two axes or more: biases of stacked experts."""

    part: int
    of: int
    interleaved: bool = False

    @property
    def label(self) -> str:
        return f"columns[{self.part}::{self.of}]" if self.interleaved else f"columns {self.part + 1}/{self.of}"

    def apply(self, view: View) -> View | None:
        if len(view.shape) < 2 or not view.shape[-1] or view.shape[-1] % self.of:
            return None
        return taken(view, len(view.shape) - 1, _part(view.shape[-1], self.part, self.of, self.interleaved))


@dataclass(frozen=True, slots=True)
class RowRange:
    """`count` rows from `start` on: one of fused queries, keys and values, or what is left of cut positions."""

    start: int
    count: int

    @property
    def label(self) -> str:
        return f"rows {self.start}:{self.start + self.count}"

    def apply(self, view: View) -> View | None:
        if not view.shape or self.start + self.count > view.shape[0] or self.count < 1:
            return None
        shape = (self.count, *view.shape[1:])
        return View(Part(view.elements, shape, self.start * prod(view.shape[1:])), shape)


@dataclass(frozen=True, slots=True)
class Frame:
    """Position `at` of the third axis of a five-dimensional kernel: one moment of a video's patches."""

    at: int

    @property
    def label(self) -> str:
        return f"[:,:,{self.at}]"

    def apply(self, view: View) -> View | None:
        if len(view.shape) != 5 or self.at >= view.shape[2]:
            return None
        return taken(view, 2, np.array([self.at], np.int64))


@dataclass(frozen=True, slots=True)
class Shift:
    """A constant added to every value, in float32 as the converter does."""

    amount: float
    label: str

    def apply(self, view: View) -> View | None:
        amount = np.float32(self.amount)

        def add(values: NDArray[Any]) -> None:
            np.add(values, amount, out=values)

        return _edited(view, add)


@dataclass(frozen=True, slots=True)
class NegativeExp:
    """Minus the exponential, in float32: what a state space's A_log stands for."""

    label: str = "-exp"

    def apply(self, view: View) -> View | None:
        return _edited(view, _negative_exp)


@dataclass(frozen=True, slots=True)
class NegativeLog:
    """The logarithm of minus the values: `-exp` undone."""

    label: str = "undo -exp"

    def apply(self, view: View) -> View | None:
        return _edited(view, _negative_log)


@dataclass(frozen=True, slots=True)
class Chain:
    """Steps one after the other."""

    steps: tuple[Step, ...]

    @property
    def label(self) -> str:
        return ",".join(step.label for step in self.steps) or "="

    def apply(self, view: View) -> View | None:
        for step in self.steps:
            following = step.apply(view)
            if following is None:
                return None
            view = following
        return view


def _part(size: int, part: int, of: int, interleaved: bool) -> Indices:
    if interleaved:
        return np.arange(part, size, of, dtype=np.int64)
    return np.arange(part * (size // of), (part + 1) * (size // of), dtype=np.int64)


def _edited(view: View, edit: Callable[[NDArray[Any]], None]) -> View | None:
    if view.elements.value.kind != "f":
        return None
    return View(Edited(view.elements, edit), view.shape)


def _negative_exp(values: NDArray[Any]) -> None:
    with np.errstate(all="ignore"):
        np.exp(values, out=values)
        np.negative(values, out=values)


def _negative_log(values: NDArray[Any]) -> None:
    with np.errstate(all="ignore"):
        np.negative(values, out=values)
        np.log(values, out=values)
