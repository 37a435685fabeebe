from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.tensors import stored

from tensorloupe.views.counting import count_values, outside, window
from tensorloupe.views.summary import Summaries, is_whole, sampled_values, summarize


def go_on(done: int, total: int) -> bool:
    return True


def test_limits_come_from_exact_counts(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(200, 300)).astype(np.float32)
    summary = summarize(stored(tmp_path, values), go_on)
    assert summary.finite == 60_000
    assert summary.range == (float(values.min()), float(values.max()))
    low, high = summary.central(0.998)
    assert 100 <= np.count_nonzero((values < low) | (values > high)) <= 120
    assert summary.central(1.0) == summary.range
    assert 550 <= np.count_nonzero(np.abs(values) > summary.symmetric(0.99)) <= 600


def test_one_far_value_does_not_hide_the_rest(tmp_path: Path) -> None:
    values = np.random.default_rng(2).normal(size=(100, 1000)).astype(np.float32)
    values[3, 4] = 1e38
    summary = summarize(stored(tmp_path, values), go_on)
    assert summary.symmetric(0.99) == pytest.approx(float(np.quantile(np.abs(values), 0.99)), rel=0.01)


@pytest.mark.parametrize("limits", [(-1.0, 1.0), (-0.5, 2.0)])
def test_counts_equal_numpy(tmp_path: Path, limits: tuple[float, float]) -> None:
    values = np.random.default_rng(3).normal(size=(64, 96)).astype(np.float32)
    tensor = stored(tmp_path, values)
    summary = summarize(tensor, go_on)
    counted = count_values(tensor, summary, limits, 129, None, go_on)
    assert counted.bins.count % 2 == 1
    expected, _ = np.histogram(values.astype(np.float64), counted.bins.edges)
    assert counted.histogram.counts.tolist() == expected.tolist()
    beyond = int(((values < limits[0]) | (values > limits[1])).sum())
    assert counted.outside == beyond == outside(tensor, limits, go_on)
    edge = counted.bins.nearest_edge(0.7)
    assert counted.beyond((-edge, edge)) == int(((values < -edge) | (values >= edge)).sum())


def test_the_window_shows_some_of_what_is_outside(tmp_path: Path) -> None:
    summary = summarize(stored(tmp_path, np.linspace(-10, 10, 1000)), go_on)
    shown = window(summary, (-1.0, 1.0), 257, False)
    assert shown.span.lo == pytest.approx(-1.32, abs=0.02) and shown.span.hi == pytest.approx(1.32, abs=0.02)
    assert window(summary, summary.range, 257, False).span.hi == pytest.approx(10, abs=0.1)


def test_whole_numbers_are_known(tmp_path: Path) -> None:
    assert is_whole(stored(tmp_path, np.zeros((2, 2), np.int8)))
    assert is_whole(stored(tmp_path, np.zeros((2, 2), np.bool_)))
    assert not is_whole(stored(tmp_path, np.zeros((2, 2), np.float16)))


def test_a_sample_spreads_over_the_tensor(tmp_path: Path) -> None:
    values = np.arange(1200, dtype=np.float32).reshape(10, 12, 10)
    assert sorted(sampled_values(stored(tmp_path, values)).tolist()) == values.reshape(-1).tolist()
    assert sampled_values(stored(tmp_path, np.array([1.0, np.nan, np.inf]))).tolist() == [1.0]
    assert sampled_values(stored(tmp_path, np.zeros((0, 4), np.float32))).size == 0
    assert sampled_values(stored(tmp_path, np.array(3.5, np.float32))).tolist() == [3.5]


def test_summaries_belong_to_one_tensor(tmp_path: Path) -> None:
    kept = Summaries()
    first, second = (stored(tmp_path, np.full(4, n, np.float32)) for n in (1, 2))
    kept.put(first, summarize(first, go_on))
    assert kept.get(first) is not None and kept.get(second) is None
    kept.clear()
    assert kept.get(first) is None
