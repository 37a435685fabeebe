"""A model at a glance without any reference: the grid of its layers and roles, coloured by what is known of each tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

import weightmap
from tensorloupe.items.layergrid import Grid, GridModel, depths
from tensorloupe.items.outline import Outline
from tensorloupe.style import text

MOST_LONE = 24  # tensors outside of layers that get a row each; where there are more, the grid is of the layers alone


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a tensor.

    words  what it is, in a menu and in a sentence
    shown  the number as text
    value  the number, from statistics of all values; None for what the file's header says
    spread whether colours run over its logarithm
    """

    key: str
    words: str
    shown: Callable[[float], str]
    value: Callable[[weightmap.Statistics], float | None] | None = None
    spread: bool = True


def _largest(s: weightmap.Statistics) -> float | None:
    return None if s.min is None or s.max is None else max(abs(float(s.min)), abs(float(s.max)))


def _zeros(s: weightmap.Statistics) -> float | None:
    return s.zeros / s.count if s.count else None


def _three(value: float) -> str:
    return text.number(value, 3)


MEASURES: tuple[Measure, ...] = (
    Measure("bits", "bits per weight", text.bits, spread=False),
    Measure("bytes", "bytes", lambda value: text.size(round(value))),
    Measure("values", "number of values", lambda value: text.count(round(value))),
    Measure("std", "standard deviation", _three, lambda s: s.std),
    Measure("largest", "largest value, either sign", _three, _largest),
    Measure("zeros", "share of zeros", lambda value: text.percent(value, 1), _zeros, spread=False),
)
BY_KEY = {measure.key: measure for measure in MEASURES}


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

    def values(self, measure: Measure) -> NDArray[np.float64]:
        """A measure of each, NaN where it is not known."""
        at = np.array(self.numbers, dtype=np.int64)
        if measure.value is not None:
            known = (self.found.get(place) for place in range(len(at)))
            read = [None if s is None else measure.value(s) for s in known]
            return np.array([np.nan if value is None else float(value) for value in read], dtype=np.float64)
        if measure.key == "bits":
            return self.bits
        column = self.outline.nbytes if measure.key == "bytes" else self.outline.counts
        return column[at].astype(np.float64)


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
    bits = np.array([outline.tensors[number].bits_per_weight for number in listed], dtype=np.float64)
    return Layers(outline, tuple(listed), grid, bits)


def _grid(outline: Outline, listed: Sequence[int]) -> Grid:
    return Grid([outline.tensors[number].name for number in listed])


class LayersModel(GridModel):
    """Layers for a table view, coloured by one measure. `state` gives the status of a tensor by the outline's number."""

    def __init__(self, state: Callable[[int], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.layers: Layers | None = None
        self.measure = MEASURES[0]
        self.values: NDArray[np.float64] = np.zeros(0)

    def show_layers(self, layers: Layers | None) -> None:
        """Show another model, or nothing."""
        self.beginResetModel()
        self.layers = layers
        self.grid = Grid(()) if layers is None else layers.grid
        self._measure()
        self.endResetModel()

    def show_measure(self, measure: Measure) -> None:
        """Colour by another measure, or by more that is known of the same."""
        self.measure = measure
        self._measure()
        self.tell()

    def ends(self) -> tuple[str, str]:
        """What the lightest and the deepest colour stand for."""
        known = self.values[np.isfinite(self.values)]
        known = known[known > 0] if self.measure.spread else known
        return (
            (self.measure.shown(float(known.min())), self.measure.shown(float(known.max()))) if known.size else ("", "")
        )

    def status(self, number: int) -> str:
        """What was found in the tensor."""
        assert self.layers is not None
        return self._state(self.layers.numbers[number])

    def short(self, number: int) -> str:
        """The measure; nothing where it is not known."""
        value = self.values[number]
        return "" if np.isnan(value) else self.measure.shown(float(value))

    def said(self, number: int) -> str:
        """Name, type, shape and the measure."""
        assert self.layers is not None
        outline, at = self.layers.outline, self.layers.numbers[number]
        value = self.short(number)
        known = f", {self.measure.words} {value}" if value else ""
        return f"{outline.names[at]}: {outline.types[at]}, {text.shape(outline.tensors[at].shape)}{known}"

    def _measure(self) -> None:
        self.values = np.zeros(0) if self.layers is None else self.layers.values(self.measure)
        self.depth = depths(self.values, self.measure.spread)
