"""Statistics of a weight of a checkpoint beside numpy's, on all its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint

import weightmap
from weightmap.companions.base import Values


def same(found: weightmap.Statistics, values: np.ndarray) -> None:
    """The statistics are those of the values, which are float32."""
    numbers = values[np.isfinite(values)].astype(np.float64)
    assert found.count == values.size
    assert found.nan == np.isnan(values).sum()
    assert found.inf == np.isinf(values).sum()
    assert found.zeros == np.count_nonzero(values == 0)
    assert (found.min, found.max) == (numbers.min(), numbers.max())
    assert found.mean == pytest.approx(numbers.mean(), abs=1e-7 * numbers.std())
    assert found.std == pytest.approx(numbers.std(), rel=1e-7)
    assert found.histogram.edges is not None
    places = np.searchsorted(found.histogram.edges[1:-1], numbers, side="right")
    assert np.array_equal(found.histogram.counts, np.bincount(places, minlength=256))


def opened(folder: Path, tensors: dict[str, Any]) -> tuple[weightmap.Statistics, np.ndarray, Values]:
    with weightmap.open(checkpoint(folder, tensors)) as model:
        weight = model.composed["a.weight"]
        elements = weight.elements()
        values = weight.array()
        found = weight.statistics(threads=2)
        limits = float(found.min or 0) / 2, float(found.max or 0) / 2
        between = weight.histogram(50, limits)
        assert between.edges is not None
        inside = values[np.isfinite(values)].astype(np.float64)
        assert between.below == np.count_nonzero(inside < limits[0])
        assert int(between.counts.sum()) == np.count_nonzero((inside >= limits[0]) & (inside <= limits[1]))
        return found, values, elements
