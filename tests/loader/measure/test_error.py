"""Errors against numpy's float64, whatever the types, the size, the threads and the values."""

import math

import libgguf
import numpy as np
import pytest
from support.stored import stored

from weightmap.errors import Cancelled
from weightmap.measure import tail
from weightmap.measure.error import measure_errors
from weightmap.reading.elements import CHUNK, SHARES


def expected(q, r):
    q, r = np.asarray(q, np.float64).ravel(), np.asarray(r, np.float64).ravel()
    e = q - r
    power, noise = np.dot(r, r), np.dot(e, e)
    return {
        "rmse": math.sqrt(noise / e.size),
        "relative_rmse": math.sqrt(noise / power),
        "sqnr_db": 10 * math.log10(power / noise),
        "max_abs_error": np.abs(e).max(),
        "p99": np.percentile(np.abs(e), 99),
        "cosine": np.dot(q, r) / math.sqrt(np.dot(q, q) * power),
        "bias": e.mean(),
        "scale": np.dot(q, r) / power,
    }


def check(found, want, tolerance=1e-7):
    for name, value in want.items():
        scale = {"bias": want["rmse"], "sqnr_db": max(abs(value), 1)}.get(name, abs(value))
        assert abs(getattr(found, name) - value) <= tolerance * scale, name


def pair(folder, q, r, kinds=("F32", "F32")):
    return stored(folder, "q", q, kinds[0]), stored(folder, "r", r, kinds[1])


@pytest.mark.parametrize("count", [1, 2, 99, 100, 101, 5000, 70_001, 700_003])
def test_all_measures_of_float32(tmp_path, count):
    random = np.random.default_rng(count)
    r = random.standard_normal(count).astype(np.float32)
    q = r + random.standard_t(3, count).astype(np.float32) * np.float32(0.1)
    found = measure_errors(*pair(tmp_path, q, r))
    assert (found.count, found.nonfinite, found.identical) == (count, 0, False)
    check(found, expected(q, r), 1e-12)


def test_many_values_are_squared_in_float32(tmp_path, monkeypatch):
    monkeypatch.setattr("weightmap.measure.error_sums._EXACT", 1000)
    random = np.random.default_rng(8)
    r = random.standard_normal(700_003).astype(np.float32)
    q = r + random.standard_t(3, 700_003).astype(np.float32) * np.float32(0.1)
    check(measure_errors(*pair(tmp_path, q, r)), expected(q, r))


def test_values_that_are_not_finite_among_many(tmp_path, monkeypatch):
    monkeypatch.setattr("weightmap.measure.error_sums._EXACT", 1000)
    random = np.random.default_rng(9)
    r = random.standard_normal(1_200_003).astype(np.float32)
    q = r + random.standard_normal(1_200_003).astype(np.float32) * np.float32(0.1)
    q[5], r[600_000], q[-1] = np.inf, np.nan, np.nan
    found = measure_errors(*pair(tmp_path, q, r))
    assert (found.nonfinite, found.disagreeing) == (3, 3)
    keep = np.isfinite(q) & np.isfinite(r)
    check(found, expected(q[keep], r[keep]))


def test_two_sides_are_read_no_more_at_a_time_than_one(tmp_path, monkeypatch):
    """Both lie in memory at once, so a side that likes twice as much when it is read alone does not get that."""
    monkeypatch.setattr("weightmap.reading.elements.StoredElements.chunk", lambda _: 2 * CHUNK)
    r = np.zeros(2 * SHARES * CHUNK, np.float32)
    sides = pair(tmp_path, r, r)
    read = []
    measure_errors(*sides, also=lambda start, q, r, work: read.append(len(q)))
    assert set(read) == {CHUNK}


def test_doubles_lose_nothing(tmp_path):
    random = np.random.default_rng(2)
    r = random.standard_normal(200_000)
    q = r + random.standard_normal(200_000) * 1e-12
    check(measure_errors(*pair(tmp_path, q, r, ("F64", "F64"))), expected(q, r), 1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1e-22, 1e18, 1e30])
def test_values_whose_squares_leave_float32(tmp_path, scale):
    random = np.random.default_rng(3)
    r = (random.standard_normal(10_000) * scale).astype(np.float32)
    q = r * np.float32(1.25)
    check(measure_errors(*pair(tmp_path, q, r)), expected(q, r))


def test_a_quantized_tensor_of_many_chunks(tmp_path):
    random = np.random.default_rng(4)
    r = random.standard_normal((1500, 1024)).astype(np.float32)
    blocks = libgguf.quantize_rows(r, 12)
    q = libgguf.dequantize_rows(blocks, 12)
    sides = stored(tmp_path, "q", blocks, "Q4_K", r.shape), stored(tmp_path, "r", r)
    check(measure_errors(*sides), expected(q, r))
    assert measure_errors(*sides, threads=1) == measure_errors(*sides, threads=3)


def test_what_is_not_finite_is_left_out_and_counted(tmp_path):
    random = np.random.default_rng(5)
    r = random.standard_normal(300_000).astype(np.float32)
    q = r + np.float32(0.01)
    q[[0, 200_000]], r[[7, 200_000]] = np.nan, np.nan
    q[9] = r[9] = np.inf
    q[11], r[11] = np.inf, -np.inf
    found = measure_errors(*pair(tmp_path, q, r))
    assert (found.count, found.nonfinite, found.disagreeing) == (300_000, 5, 3)
    keep = np.isfinite(q) & np.isfinite(r)
    check(found, expected(q[keep], r[keep]))


def test_nothing_finite(tmp_path):
    nan = np.full(40, np.nan, np.float32)
    found = measure_errors(*pair(tmp_path, nan, nan))
    assert (found.nonfinite, found.rmse, found.p99, found.cosine, found.identical) == (40, None, None, None, True)
    other = measure_errors(*pair(tmp_path, nan, np.ones(40, np.float32)))
    assert (other.disagreeing, other.identical, other.relative_rmse) == (40, False, None)


def test_equal_tensors_have_no_ratio(tmp_path):
    r = np.random.default_rng(6).standard_normal(150_000).astype(np.float32)
    found = measure_errors(*pair(tmp_path, r, r))
    assert found.identical
    assert (found.rmse, found.relative_rmse, found.sqnr_db, found.max_abs_error, found.p99) == (0, 0, None, 0, 0)
    assert (found.cosine, found.bias, found.scale) == (1.0, 0.0, 1.0)


def test_a_reference_of_zeros_has_no_relative_error(tmp_path):
    zeros = np.zeros(1000, np.float32)
    found = measure_errors(*pair(tmp_path, zeros + np.float32(0.5), zeros))
    assert (found.rmse, found.relative_rmse, found.sqnr_db, found.cosine, found.scale) == (0.5, None, None, None, None)
    assert measure_errors(*pair(tmp_path, zeros, zeros)).identical


def test_zeros_against_a_reference(tmp_path):
    r = np.random.default_rng(7).standard_normal(1000).astype(np.float32)
    found = measure_errors(*pair(tmp_path, np.zeros_like(r), r))
    assert found.relative_rmse == pytest.approx(1.0)
    assert (found.cosine, found.scale) == (None, 0.0)


def test_no_elements(tmp_path):
    nothing = np.empty(0, np.float32)
    found = measure_errors(*pair(tmp_path, nothing, nothing))
    assert (found.count, found.rmse, found.identical) == (0, None, True)


def test_a_percentile_that_the_sample_misjudges_takes_another_pass(tmp_path):
    r = np.zeros(1 << 20, np.float32)
    q = np.zeros_like(r)
    q[: 1 << 14] = np.linspace(1, 2, 1 << 14)  # 1.6 % are errors: the sampled runs see one or none
    q[-1] = 5
    found = measure_errors(*pair(tmp_path, q, r))
    assert found.p99 == np.percentile(q, 99)
    assert found.max_abs_error == 5


@pytest.mark.parametrize("kept", [0, 10])
def test_a_tensor_too_large_to_keep_its_largest_errors(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(tail, "KEPT_AT_MOST", kept)
    random = np.random.default_rng(8)
    r = random.standard_normal(200_000).astype(np.float32)
    q = r + random.standard_normal(200_000).astype(np.float32)
    found = measure_errors(*pair(tmp_path, q, r))
    check(found, expected(q, r))
    zero = measure_errors(*pair(tmp_path, r, r))
    assert (zero.p99, zero.max_abs_error) == (0, 0)


def test_integers_against_floats(tmp_path):
    q = np.arange(-100, 100, dtype=np.int8)
    r = q.astype(np.float32) + np.float32(0.25)
    found = measure_errors(*pair(tmp_path, q, r, ("I8", "F32")))
    assert (found.rmse, found.bias, found.max_abs_error) == (0.25, -0.25, 0.25)


def test_progress_and_cancelling(tmp_path):
    r = np.ones(600_000, np.float32)
    seen = []
    measure_errors(*pair(tmp_path, r, r), threads=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (600_000, 600_000)
    assert seen == sorted(seen)
    with pytest.raises(Cancelled):
        measure_errors(*pair(tmp_path, r, r), progress=lambda done, total: False)


def test_different_counts_are_a_mistake(tmp_path):
    with pytest.raises(ValueError, match="5 elements cannot be compared with 4"):
        measure_errors(*pair(tmp_path, np.ones(5, np.float32), np.ones(4, np.float32)))
