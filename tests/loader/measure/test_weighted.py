"""Weighted errors against the plain sums, element by element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.elements import plain

from weightmap.measure.error import measure_errors
from weightmap.measure.weighted import Importance, WeightedSums
from weightmap.types.workspace import Workspace


def sides(shape, seed=1):
    rng = np.random.default_rng(seed)
    r = rng.standard_normal(shape).astype(np.float32)
    return r + rng.standard_normal(shape).astype(np.float32) * np.float32(0.1), r


def expected(q, r, weights):
    """(rmse, relative rmse, sqnr) of arrays (experts, rows, columns) and weights (experts, columns)."""
    w = np.broadcast_to(weights[:, None, :], q.shape)
    kept = np.isfinite(q) & np.isfinite(r)
    q, r, w = (each[kept].astype(np.float64) for each in (q, r, w))
    ee, rr = (w * (q - r) ** 2).sum(), (w * r * r).sum()
    return math.sqrt(ee / w.sum()), math.sqrt(ee / rr), 10 * math.log10(rr / ee)


@pytest.mark.parametrize(("experts", "rows", "columns"), [(1, 7, 64), (4, 5, 37), (3, 1, 1), (1, 1, 500), (2, 40, 96)])
@pytest.mark.parametrize("chunk", [64, 1000])
@pytest.mark.parametrize("threads", [1, 2])
def test_chunks_of_any_length_add_up(monkeypatch, experts, rows, columns, chunk, threads):
    monkeypatch.setattr("weightmap.measure.error_sums.CHUNK", chunk)
    monkeypatch.setattr("weightmap.reading.elements.LEAST", chunk)
    monkeypatch.setattr("weightmap.measure.weighted._STEP", 300)
    q, r = sides((experts, rows, columns))
    weights = np.random.default_rng(5).random((experts, columns)) ** 4
    sums = WeightedSums(Importance(weights, rows))
    measure_errors(plain(q), plain(r), threads=threads, also=sums.add)
    found = sums.result()
    assert (found.rmse, found.relative_rmse, found.sqnr_db) == pytest.approx(expected(q, r, weights), rel=1e-12)


def test_equal_weights_give_the_measures_without():
    q, r = sides((30, 50))
    sums = WeightedSums(Importance(np.full((1, 50), 3.5), 30))
    found = measure_errors(plain(q), plain(r), also=sums.add)
    assert sums.result().relative_rmse == pytest.approx(found.relative_rmse, rel=1e-6)
    assert sums.result().rmse == pytest.approx(found.rmse, rel=1e-6)


def test_threads_change_no_bit():
    q, r = sides((1200, 1000))
    results = set()
    for threads in (1, 2, 3):
        sums = WeightedSums(Importance(np.random.default_rng(1).random((1, 1000)), 1200))
        measure_errors(plain(q), plain(r), threads=threads, also=sums.add)
        results.add(sums.result())
    assert len(results) == 1


def test_each_value_is_counted_once_though_the_percentile_takes_a_second_pass(monkeypatch):
    monkeypatch.setattr("weightmap.measure.tail.KEPT_AT_MOST", 8)
    q, r = sides((100, 40))
    weights = np.random.default_rng(5).random((1, 40))
    sums = WeightedSums(Importance(weights, 100))
    measure_errors(plain(q), plain(r), also=sums.add)
    assert sums.result().rmse == pytest.approx(expected(q[None], r[None], weights)[0], rel=1e-12)


def test_what_is_not_finite_is_left_out_with_its_weight():
    q, r = sides((2, 6, 8))
    q[0, 0, 0], r[1, 2, 3], q[1, 5, 7] = np.nan, np.inf, -np.inf
    weights = np.arange(1.0, 17).reshape(2, 8)
    sums = WeightedSums(Importance(weights, 6))
    sums.add(0, q.reshape(-1), r.reshape(-1), Workspace())
    assert sums.result().rmse == pytest.approx(expected(q, r, weights)[0], rel=1e-12)


def test_no_error_and_no_reference():
    q, _ = sides((3, 4))
    same = WeightedSums(Importance(np.ones((1, 4)), 3))
    same.add(0, q.reshape(-1), q.reshape(-1), Workspace())
    assert (same.result().rmse, same.result().relative_rmse, same.result().sqnr_db) == (0, 0, None)
    zeros = WeightedSums(Importance(np.ones((1, 4)), 3))
    zeros.add(0, q.reshape(-1), np.zeros(12, np.float32), Workspace())
    assert zeros.result().rmse > 0
    assert (zeros.result().relative_rmse, zeros.result().sqnr_db) == (None, None)
