from __future__ import annotations

import numpy as np

import weightmap
from tensorloupe.plots.distribution import distribution


def spread_of(values: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    counts, edges = np.histogram(values, bins)
    return edges, counts


def test_limits_hold_at_least_the_share_asked_for() -> None:
    values = np.random.default_rng(3).normal(size=20_000)
    spread = distribution(*spread_of(values, 4000))
    low, high = spread.lower(0.001), spread.upper(0.999)
    outside = np.count_nonzero((values < low) | (values > high))
    assert 30 <= outside <= 40
    limit = spread.symmetric(0.99)
    assert 190 <= np.count_nonzero(np.abs(values) > limit) <= 200


def test_few_values_are_all_inside() -> None:
    spread = distribution(*spread_of(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 8160))
    assert (spread.lower(0.001), spread.upper(0.999)) == (1.0, 5.0)
    assert spread.symmetric(0.99) == 5.0


def test_a_core_gives_the_detail_that_outliers_hide() -> None:
    values = np.concatenate((np.random.default_rng(4).normal(size=50_000), [1e30]))
    coarse = distribution(*spread_of(values, 1000))
    counts, edges = np.histogram(values, 1000, (-4.0, 4.0))
    below, above = int((values < -4).sum()), int((values > 4).sum())
    joined = coarse.joined(weightmap.Histogram(edges, counts, below, above))
    assert joined.total == 50_001
    assert abs(joined.symmetric(0.99) - np.quantile(np.abs(values), 0.99)) < 0.02
    assert (np.diff(joined.at) >= 0).all() and (np.diff(joined.below) >= 0).all()


def test_nothing_finite_has_no_spread() -> None:
    assert distribution(None, np.zeros(4, np.int64)).total == 0
