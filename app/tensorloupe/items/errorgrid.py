"""The errors of a whole model at a glance: the grid of layers and roles, a cell per pair, coloured by a measure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from tensorloupe.items.errors import MARKS, VERDICTS, WORDS, Errors
from tensorloupe.items.layergrid import Grid, GridModel, depths, is_minor
from tensorloupe.items.measures import BY_KEY, Measure
from tensorloupe.style import text

NORMAL, MOST = 1.25, 5.0  # × expected: up to the first the lightest colour, from the second on the darkest
_WRONG = VERDICTS.index("wrong")


def strength(errors: Errors, measure: Measure) -> NDArray[np.float64]:
    """How deep each pair's colour is, (pairs,) 0 to 1 and NaN for none; 1 is the worst."""
    values = errors.values[measure.key].copy()
    if measure.key == "ratio":
        scaled = (np.log(np.maximum(values, NORMAL)) - np.log(NORMAL)) / (np.log(MOST) - np.log(NORMAL))
        wrong = (errors.rank == _WRONG) & ~(scaled >= 1)
        return np.where(wrong, 1.0, np.minimum(scaled, 1.0))
    return depths(np.abs(values) if measure.worse == 0 else values, measure.spread, measure.worse)


def ends(errors: Errors, measure: Measure) -> tuple[str, str]:
    """What the lightest and the deepest colour stand for."""
    if measure.key == "ratio":
        return "normal", f"{MOST:.0f} {text.TIMES} and more"
    values = errors.values[measure.key]
    values = np.abs(values[np.isfinite(values)]) if measure.worse == 0 else values[np.isfinite(values)]
    if measure.spread:
        values = values[values > 0]
    if not values.size:
        return "", ""
    shown = [measure.shown(float(value)) for value in (values.min(), values.max())]
    return (shown[1], shown[0]) if measure.worse < 0 else (shown[0], shown[1])


class ErrorGridModel(GridModel):
    """A Grid for a table view, coloured by one measure."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.errors: Errors | None = None
        self.measure = BY_KEY["ratio"]

    def show_errors(self, errors: Errors | None) -> None:
        """Show another comparison."""
        self.beginResetModel()
        self.errors = errors
        self.grid = Grid(()) if errors is None else errors.layout(Grid)
        self._measure()
        self.endResetModel()

    def show_measure(self, key: str) -> None:
        """Colour by another measure."""
        self.measure = BY_KEY[key]
        self.refresh()

    def quiet_columns(self) -> frozenset[int]:
        """The columns of norms and biases in which every measured cell is identical: there is nothing to see in them."""
        errors, cells = self.errors, self.grid.cells
        if errors is None:
            return frozenset()
        loud = VERDICTS.index("identical")
        minor = (at for at, role in enumerate(self.grid.columns) if is_minor(role))
        return frozenset(at for at in minor if (errors.rank[cells[:, at][cells[:, at] >= 0]] <= loud).all())

    def refresh(self) -> None:
        """Take in what was measured since."""
        self._measure()
        self.tell()

    def _measure(self) -> None:
        self.depth = np.zeros(0) if self.errors is None else strength(self.errors, self.measure)

    def status(self, number: int) -> str:
        """The mark of the verdict."""
        assert self.errors is not None
        return MARKS[self.errors.verdict(number)]

    def said(self, number: int) -> str:
        """Tensor, verdict and measure."""
        errors = self.errors
        assert errors is not None
        value = errors.values[self.measure.key][number]
        said = "" if np.isnan(value) else f", {self.measure.words} {self.measure.shown(float(value))}"
        return f"{errors.names[number]}: {WORDS[errors.verdict(number)]}{said}"

    def short(self, number: int) -> str:
        """The measure in a few letters; nothing where it has no value or says nothing."""
        errors = self.errors
        assert errors is not None
        value = errors.values[self.measure.key][number]
        if np.isnan(value):
            return ""
        if self.measure.key == "ratio":
            return "=" if value == 0 else f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else "> 99"
        return self.measure.shown(float(value)).removesuffix(" dB").removesuffix(" %")
