"""A model at a glance without any reference: the grid of its layers and roles, coloured by what is known of each tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

import weightmap
from tensorloupe.items.layergrid import Grid, GridModel, depths
from tensorloupe.items.outline import Outline
from tensorloupe.style import text

MOST_LONE = 24  # tensors outside of layers that get a row each; where there are more, the grid is of the layers alone


@dataclass(frozen=True, slots=True)
class Colouring:
    """A number of each tensor that a grid of layers is coloured by.

    words   what it is, in a menu and in a sentence
    shown   the number as text
    values  the numbers of a grid, NaN where one is not known: float64, in the order of its tensors
    read    whether they come from the values of the tensors, and not from the file's header
    spread  whether colours run over its logarithm
    """

    key: str
    words: str
    shown: Callable[[float], str]
    values: Callable[[Layers], NDArray[np.float64]]
    read: bool = False
    spread: bool = True


def _largest(s: weightmap.Statistics) -> float | None:
    return None if s.min is None or s.max is None else max(abs(float(s.min)), abs(float(s.max)))


def _zeros(s: weightmap.Statistics) -> float | None:
    return s.zeros / s.count if s.count else None


def _three(value: float) -> str:
    return text.number(value, 3)


def _found(number: Callable[[weightmap.Statistics], float | None]) -> Callable[[Layers], NDArray[np.float64]]:
    """A number of the statistics that are known by now."""

    def values(layers: Layers) -> NDArray[np.float64]:
        known = (layers.found.get(place) for place in range(len(layers.numbers)))
        read = [None if s is None else number(s) for s in known]
        return np.array([np.nan if value is None else float(value) for value in read], dtype=np.float64)

    return values


COLOURINGS: tuple[Colouring, ...] = (
    Colouring("bits", "bits per weight", text.bits, lambda layers: layers.bits, spread=False),
    Colouring("bytes", "bytes", lambda value: text.size(round(value)), lambda layers: layers.of(layers.outline.nbytes)),
    Colouring(
        "values",
        "number of values",
        lambda value: text.count(round(value)),
        lambda layers: layers.of(layers.outline.counts),
    ),
    Colouring("std", "standard deviation", _three, _found(lambda s: s.std), read=True),
    Colouring("largest", "largest value, either sign", _three, _found(_largest), read=True),
    Colouring("zeros", "share of zeros", lambda value: text.percent(value, 1), _found(_zeros), read=True, spread=False),
)
BY_KEY = {colouring.key: colouring for colouring in COLOURINGS}


@dataclass(slots=True)
class Layers:
    """The grid of one model. `numbers` are the outline's, of what stands in it, `bits` the bits per weight of each; `found`
    the statistics known by now.
    """

    outline: Outline
    numbers: tuple[int, ...]
    grid: Grid
    bits: NDArray[np.float64]
    found: dict[int, weightmap.Statistics] = field(default_factory=dict)

    def of(self, column: NDArray[Any]) -> NDArray[np.float64]:
        """What a column of the outline says of what stands in the grid."""
        return column[np.array(self.numbers, dtype=np.int64)].astype(np.float64)


def layers_of(outline: Outline) -> Layers | None:
    """Lay a model out by layer and role; None where it has no layers. Takes a while for many tensors: not on the window's
    thread.
    """
    listed: list[int] = outline.listed.tolist()
    grid = _grid(outline, listed)
    if grid.lone > MOST_LONE:
        inside = set(grid.cells[: len(grid.rows) - grid.lone].ravel().tolist())
        listed = [number for place, number in enumerate(listed) if place in inside]
        grid = _grid(outline, listed)
    if len(grid.rows) == grid.lone:
        return None
    weights = [outline.tensors[number] for number in listed]
    bits = np.array([weight.bits_per_weight if weight.count else np.nan for weight in weights], dtype=np.float64)
    return Layers(outline, tuple(listed), grid, bits)


def _grid(outline: Outline, listed: Sequence[int]) -> Grid:
    return Grid([outline.tensors[number].name for number in listed])


class LayersModel(GridModel):
    """Layers for a table view, coloured by one number of each. `state` gives the status of a tensor by the outline's number."""

    def __init__(self, state: Callable[[int], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.layers: Layers | None = None
        self.colouring = COLOURINGS[0]
        self.values: NDArray[np.float64] = np.zeros(0)

    def show_layers(self, layers: Layers | None) -> None:
        """Show another model, or nothing."""
        self.beginResetModel()
        self.layers = layers
        self.grid = Grid(()) if layers is None else layers.grid
        self._colour()
        self.endResetModel()

    def show_colouring(self, colouring: Colouring) -> None:
        """Colour by another number, or by more that is known of the same."""
        self.colouring = colouring
        self._colour()
        self.tell()

    def ends(self) -> tuple[str, str]:
        """What the lightest and the deepest colour stand for."""
        known = self.values[np.isfinite(self.values)]
        known = known[known > 0] if self.colouring.spread else known
        return (
            (self.colouring.shown(float(known.min())), self.colouring.shown(float(known.max())))
            if known.size
            else ("", "")
        )

    def status(self, number: int) -> str:
        """What was found in the tensor."""
        assert self.layers is not None
        return self._state(self.layers.numbers[number])

    def short(self, number: int) -> str:
        """The number; nothing where it is not known."""
        value = self.values[number]
        return "" if np.isnan(value) else self.colouring.shown(float(value))

    def said(self, number: int) -> str:
        """Name, type, shape and the number."""
        assert self.layers is not None
        outline, at = self.layers.outline, self.layers.numbers[number]
        value = self.short(number)
        known = f", {self.colouring.words} {value}" if value else ""
        return f"{outline.names[at]}: {outline.types[at]}, {text.shape(outline.tensors[at].shape)}{known}"

    def _colour(self) -> None:
        self.values = np.zeros(0) if self.layers is None else self.colouring.values(self.layers)
        self.depth = depths(self.values, self.colouring.spread)
