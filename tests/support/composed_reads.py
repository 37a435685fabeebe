"""One composed weight read in every way that there is, which all have to agree."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import weightmap


def every_way(folder: Path, name: str, status: str = "ok") -> np.ndarray:
    """All values of a weight of a checkpoint, after parts of them were read in other ways."""
    with weightmap.open(folder) as model:
        weight = model.composed[name]
        values = weight.array()
        assert weight.status == status, weight.findings
        same(weight, values)
        return values


def same(weight: weightmap.Composed, values: np.ndarray) -> None:
    """Slices, pictures, statistics and explanations against all values."""
    assert values.shape == weight.shape
    flat, width = values.reshape(-1), values.shape[-1]
    at = tuple(n // 2 for n in values.shape[:-2])
    for rows, columns in (
        (slice(None), slice(3, 9)),
        (slice(1, None, 2), slice(None)),
        (slice(2, 3), slice(0, None, 5)),
    ):
        assert np.array_equal(weight[(*at, rows, columns)], values[(*at, rows, columns)])
    assert np.array_equal(weight[..., 1], values[..., 1])
    assert np.array_equal(weight.heatmap(*values.shape[-2:], index=at).cells, values[at])
    found = weight.statistics()
    assert (found.min, found.max, found.count) == (values.min(), values.max(), values.size)
    assert found.zeros == np.count_nonzero(values == 0)
    for index in (0, width + 1, flat.size - 1):
        assert np.float32(weight.explain(index)[-1][1]) == flat[index]
    layers = weight.layers()
    assert weight.layer("codes").shape == values.shape
    assert weight.layer("codes").array().shape == values.shape
    assert all(weight.layer(one).array().size == layer.count for one, layer in layers.items())
