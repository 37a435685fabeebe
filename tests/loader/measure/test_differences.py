"""Errors as elements: pictures, histograms and worst rows of them are those of the array of errors."""

import numpy as np
import pytest
from support.stored import stored

from weightmap.measure.differences import Differences, worst_rows
from weightmap.measure.heatmap import heatmap
from weightmap.measure.histogram import histogram


@pytest.fixture
def sides(tmp_path):
    random = np.random.default_rng(1)
    r = random.standard_normal((300, 700)).astype(np.float32)
    q = r + random.standard_normal((300, 700)).astype(np.float32) * np.float32(0.1)
    q[17] += 3
    q[201] *= -1
    return q, r, stored(tmp_path, "q", q), stored(tmp_path, "r", r)


def test_a_heatmap_of_errors(sides):
    q, r, *elements = sides
    found = heatmap(Differences(*elements), 10, 7, reduction="rms")
    cells = np.sqrt(((q - r).astype(np.float64) ** 2).reshape(10, 30, 7, 100).mean(axis=(1, 3)))
    assert np.allclose(found.cells, cells, rtol=1e-5)
    window = heatmap(Differences(*elements), 20, 20, rows=(5, 15), columns=(100, 110))
    assert np.array_equal(window.cells, (q - r)[5:15, 100:110])


def test_a_histogram_of_errors(sides):
    q, r, *elements = sides
    found = histogram(Differences(*elements), 64, (-1.0, 1.0))
    e = q - r
    assert np.array_equal(found.counts, np.histogram(e, 64, (-1, 1))[0])
    assert (found.below, found.above) == (int((e < -1).sum()), int((e > 1).sum()))


def test_the_worst_rows(sides):
    q, r, *elements = sides
    rows = worst_rows(*elements, 3)
    e = (q - r).astype(np.float64)
    per_row = np.sqrt((e**2).mean(axis=1))
    assert [row.row for row in rows] == np.argsort(-per_row)[:3].tolist()
    assert rows[0].row == 17
    assert rows[0].rmse == pytest.approx(per_row[17])
    relative = per_row[201] / np.sqrt((r[201].astype(np.float64) ** 2).mean())
    assert rows[1].relative_rmse == pytest.approx(relative)


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_too_wide_to_be_held_give_the_same(sides, monkeypatch, threads):
    _, _, *elements = sides
    held = [worst_rows(*elements, 5), worst_rows(*elements, 5, width=2100)]
    monkeypatch.setattr("weightmap.measure.differences.WIDE", 100)
    monkeypatch.setattr("weightmap.measure.differences.CHUNK", 500)
    monkeypatch.setattr("weightmap.reading.elements.LEAST", 500)
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 500)
    for width, want in zip((None, 2100), held, strict=True):
        found = worst_rows(*elements, 5, width=width, threads=threads)
        assert [row.row for row in found] == [row.row for row in want]
        for a, b in zip(found, want, strict=True):
            assert (a.rmse, a.relative_rmse) == pytest.approx((b.rmse, b.relative_rmse), rel=1e-12)


def test_rows_of_a_vector_are_its_elements(tmp_path):
    r = np.arange(1, 6, dtype=np.float32)
    q = r.copy()
    q[3] = 0
    rows = worst_rows(stored(tmp_path, "q", q), stored(tmp_path, "r", r), 1)
    assert [(row.row, row.rmse, row.relative_rmse) for row in rows] == [(3, 4.0, 1.0)]


def test_infinite_on_both_sides_is_no_error(tmp_path):
    q = np.array([np.inf, np.nan, 1, np.nan], np.float32)
    r = np.array([np.inf, np.nan, 0, 0], np.float32)
    errors = histogram(Differences(stored(tmp_path, "q", q), stored(tmp_path, "r", r)), 2, (0.0, 1.0))
    assert (errors.counts.tolist(), errors.nan) == ([2, 1], 1)


def test_other_counts_are_a_mistake(tmp_path):
    with pytest.raises(ValueError, match="cannot be compared"):
        Differences(stored(tmp_path, "q", np.ones(3, np.float32)), stored(tmp_path, "r", np.ones(4, np.float32)))
