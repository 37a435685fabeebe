"""Neighbours of positions off a grid, and that the likely ones are enough where values are nearest to their levels."""

from __future__ import annotations

import numpy as np
import pytest

from weightmap.quantize.lattice import lattice
from weightmap.types.workspace import Workspace

GRIDS = [("iq3s", 3), ("iq3xxs", 2), ("iq2s", 1), ("iq2xs", 2), ("iq2xxs", 2)]


def of(neighbours, number):
    rank = neighbours.rank[number]
    return neighbours.points[neighbours.first[rank] : neighbours.first[rank] + neighbours.count[rank]].tolist()


@pytest.mark.parametrize(("name", "shells"), GRIDS)
def test_neighbours_are_all_points_of_the_nearest_shells_in_order(name, shells):
    on = lattice(name, shells)
    assert (
        on.index[(((on.values - 1) / 2) @ on.levels ** np.arange(on.dims)).astype(int)] == np.arange(len(on.values))
    ).all()
    off = np.flatnonzero(on.index < 0)
    for position in np.random.default_rng(4).choice(off, 50, replace=False).tolist():
        at = 2 * (position // on.levels ** np.arange(on.dims) % on.levels) + 1
        far = ((on.values - at) ** 2).sum(axis=1)
        nearest = sorted(set(far.tolist()))[:shells]
        expected = sorted((distance, point) for point, distance in enumerate(far.tolist()) if distance in nearest)
        assert of(on.all, -1 - on.index[position]) == [point for _, point in expected]


@pytest.mark.parametrize(("name", "shells"), GRIDS)
def test_those_that_are_less_likely_lie_behind_another(name, shells):
    on = lattice(name, shells)
    off = np.flatnonzero(on.index < 0)
    for position in np.random.default_rng(5).choice(off, 50, replace=False).tolist():
        at = 2 * (position // on.levels ** np.arange(on.dims) % on.levels) + 1
        every, likely = (of(some, -1 - on.index[position]) for some in (on.all, on.likely))
        assert [point for point in every if point in likely] == likely
        for point in set(every) - set(likely):
            ways = on.values[point] - at, on.values[likely] - at
            assert ((ways[0] * ways[1] >= 0) & (abs(ways[1]) <= abs(ways[0]))).all(axis=1).any()


@pytest.mark.parametrize(("name", "shells"), GRIDS)
def test_the_closest_is_the_first_with_the_least_error(name, shells):
    on, rng = lattice(name, shells), np.random.default_rng(6)
    off = np.flatnonzero(on.index < 0)
    positions = rng.choice(off, 500)
    at = 2 * (positions[:, None] // on.levels ** np.arange(on.dims) % on.levels) + 1
    x = (at + rng.uniform(-0.998, 0.998, at.shape)).astype(np.float32)
    x[:100] = at[:100]  # many neighbours are as near
    weights = rng.choice([0, 0.5, 1, 3], at.shape).astype(np.float32)
    rows, numbers = np.arange(len(x))[::-1], (-1 - on.index[positions])[::-1]
    scales = np.ones(1, np.float32), np.zeros(len(x), np.intp)
    found = [some.closest(numbers, (x, rows), weights, scales, Workspace()).tolist() for some in (on.all, on.likely)]
    assert found[0] == found[1]
    for point, row, number in zip(found[0], rows.tolist(), numbers.tolist(), strict=True):
        errors = []
        for other in of(on.all, number):
            error = np.float32(0)
            for value, weight, near in zip(on.values[other], weights[row], x[row], strict=True):
                error += weight * (value - near) * (value - near)
            errors.append(error)
        assert point == of(on.all, number)[int(np.argmin(errors))]
