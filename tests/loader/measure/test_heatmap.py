import math
from fractions import Fraction

import numpy as np
import pytest
from support.blocks import decoded, finite_blocks
from support.elements import of_type, plain

from weightmap.errors import Cancelled
from weightmap.measure import heatmap as module
from weightmap.measure.heatmap import edges, heatmap
from weightmap.types.registry import by_name


def expected(matrix, row_edges, column_edges, reduction):
    """Cell by cell, the plain way."""
    shape = (len(row_edges) - 1, len(column_edges) - 1)
    cells, bad = np.full(shape, np.nan), np.zeros(shape, bool)
    for i in range(shape[0]):
        for j in range(shape[1]):
            cell = matrix[row_edges[i] : row_edges[i + 1], column_edges[j] : column_edges[j + 1]].astype(np.float64)
            finite = cell[np.isfinite(cell)]
            bad[i, j] = finite.size < cell.size
            if finite.size:
                cells[i, j] = {
                    "max_abs": lambda f: f.max() if f.max() >= -f.min() else f.min(),
                    "mean": np.mean,
                    "rms": lambda f: np.sqrt(np.mean(f**2)),
                }[reduction](finite)
    return cells, bad


def check(got, matrix, reduction, rel=1e-6):
    cells, bad = expected(matrix, got.row_edges, got.column_edges, reduction)
    np.testing.assert_allclose(got.cells, cells, rtol=rel, atol=1e-12)
    assert np.array_equal(got.bad, bad)
    assert got.bad.dtype == np.bool_


@pytest.mark.parametrize("reduction", ["max_abs", "mean", "rms"])
@pytest.mark.parametrize("size", [(1, 1), (4, 3), (17, 40), (100, 100), (7, 64)])
@pytest.mark.parametrize("chunk", [32, 100, 1 << 17])
def test_every_element_counts(monkeypatch, reduction, size, chunk):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", chunk)
    matrix = np.random.default_rng(1).standard_normal((50, 64)).astype("<f4")
    matrix[3, 5], matrix[10, 11], matrix[20:30, 20:30] = np.nan, -np.inf, np.nan
    got = heatmap(plain(matrix), *size, reduction=reduction, threads=2)
    assert got.exact is True
    assert got.sampled is None
    assert got.cells.shape == (min(size[0], 50), min(size[1], 64))
    assert got.cells.dtype == np.float32
    assert (got.row_edges[0], got.row_edges[-1], got.column_edges[0], got.column_edges[-1]) == (0, 50, 0, 64)
    check(got, matrix, reduction)


@pytest.mark.parametrize("reduction", ["mean", "rms"])
@pytest.mark.parametrize("chunk", [32, 64 * 7, 1 << 17])
@pytest.mark.parametrize("exponents", [(600, 600), (-800, -800), (-1074, 1023), (1020, 1023), (0, 0), (-700, 2)])
def test_doubles_of_any_size_have_a_mean_and_a_root_mean_square(monkeypatch, reduction, chunk, exponents):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", chunk)
    monkeypatch.setattr("weightmap.reading.elements.LEAST", chunk)
    random = np.random.default_rng(4)
    matrix = np.ldexp(random.uniform(0.5, 1, (50, 64)), random.integers(exponents[0], exponents[1] + 1, (50, 64)))
    matrix[:10] *= -1
    matrix[20:40, :20] = 0
    matrix[45, 5], matrix[10, 11] = np.nan, -np.inf
    got = heatmap(plain(matrix), 9, 7, reduction=reduction, threads=2)
    for i, j in np.ndindex(9, 7):
        rows, columns = (slice(*edges[n : n + 2]) for edges, n in ((got.row_edges, i), (got.column_edges, j)))
        values = [Fraction(value) for value in matrix[rows, columns].ravel().tolist() if math.isfinite(value)]
        if reduction == "mean":
            scale = max(1, *map(abs, values)) if exponents[0] > 0 else max(map(abs, values))
            assert abs(Fraction(got.cells[i, j]) * len(values) - sum(values)) <= scale * len(values) / 10**13
        else:
            square = sum(value * value for value in values) / len(values)
            found = Fraction(got.cells[i, j]) ** 2
            assert abs(found - square) <= square / 10**13 + Fraction(2) ** (-2 * 1074)


@pytest.mark.parametrize("name", ["Q4_0", "Q6_K", "F16", "BF16", "BOOL", "I8"])
@pytest.mark.parametrize("window", [((0, 12), (0, 512)), ((3, 9), (100, 301)), ((5, 6), (7, 8)), ((0, 12), (31, 33))])
def test_windows_of_stored_types(name, window):
    type = by_name(name)
    blocks = finite_blocks(type, 12 * 512 // type.elements)
    matrix = decoded(type, blocks).reshape(12, 512)
    (top, bottom), (left, right) = window
    got = heatmap(of_type(type, (12, 512), blocks), 6, 50, rows=(top, bottom), columns=(left, right))
    assert (got.row_edges[0], got.row_edges[-1]) == (top, bottom)
    assert (got.column_edges[0], got.column_edges[-1]) == (left, right)
    with np.errstate(all="ignore"):
        check(got, matrix, "max_abs")


def test_a_window_no_larger_than_the_picture_gives_single_elements():
    matrix = np.random.default_rng(2).standard_normal((40, 96)).astype("<f4")
    got = heatmap(plain(matrix), 64, 64, rows=(4, 20), columns=(30, 90))
    assert np.array_equal(got.cells, matrix[4:20, 30:90])
    assert got.row_edges.tolist() == list(range(4, 21))


def test_the_sign_of_the_largest_stays():
    got = heatmap(plain(np.array([[1, -3], [2, -2]], "<f4")), 2, 1)
    assert got.cells.tolist() == [[-3], [2]]


@pytest.mark.parametrize(("shape", "index"), [((2, 3, 4, 5), (1, 2)), ((2, 3, 4, 5), (-1, 0)), ((3, 4, 5), (1,))])
def test_leading_axes_are_picked_by_index(shape, index):
    values = np.arange(np.prod(shape), dtype="<f4").reshape(shape)
    assert np.array_equal(heatmap(plain(values), 9, 9, index=index).cells, values[index])


def test_fewer_axes():
    assert heatmap(plain(np.arange(7, dtype="<f4")), 9, 9).cells.tolist() == [[0, 1, 2, 3, 4, 5, 6]]
    assert heatmap(plain(np.array(2.5, "<f4")), 9, 9).cells.tolist() == [[2.5]]


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0)])
def test_nothing_to_show(shape):
    got = heatmap(plain(np.empty(shape, np.float32)), 4, 4)
    assert got.cells.size == 0
    assert got.exact


def test_doubles_and_wide_integers_keep_their_magnitude():
    assert heatmap(plain(np.array([[1e300, -2e300]])), 1, 1).cells.tolist() == [[-2e300]]
    assert heatmap(plain(np.array([[1e-310]])), 1, 1).cells.tolist() == [[1e-310]]
    assert heatmap(plain(np.array([[2**53, 5]])), 1, 1).cells.tolist() == [[float(2**53)]]


def test_complex_values_show_their_magnitude():
    assert heatmap(plain(np.array([[3 + 4j]], np.complex64)), 1, 1).cells.tolist() == [[5]]


@pytest.mark.parametrize("sample", [1, 3, 4, 1000])
def test_a_sample_reads_some_rows_and_says_so(sample):
    matrix = np.random.default_rng(3).standard_normal((64, 32)).astype("<f4")
    elements = plain(matrix)
    got = heatmap(elements, 16, 8, sample=sample)
    every = min(sample, 4)
    assert got.exact is (every == 1)
    assert got.sampled == (None if every == 1 else f"1 of every {every} rows")
    read = np.full(matrix.shape, np.nan)
    read[::every] = matrix[::every]
    np.testing.assert_array_equal(got.cells, expected(read, got.row_edges, got.column_edges, "max_abs")[0])
    assert sum(length for _, length in elements.source.ranges) <= matrix.nbytes


def test_a_fast_sample_reads_a_bounded_share(monkeypatch):
    monkeypatch.setattr(module, "FAST", 1000)
    got = heatmap(plain(np.ones((1000, 10), np.float32)), 4, 4, sample="fast")
    assert got.sampled == "1 of every 10 rows"
    assert not np.isnan(got.cells).any()
    assert heatmap(plain(np.ones((90, 10), np.float32)), 4, 4, sample="fast").exact


def test_edges_are_nearly_equal_and_rise():
    assert edges(0, 10, 4).tolist() == [0, 2, 5, 7, 10]
    assert edges(5, 8, 10).tolist() == [5, 6, 7, 8]
    assert edges(3, 3, 10).tolist() == [3]


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"rows": (0, 9)}, ValueError, "does not lie within"),
        ({"rows": (3, 2)}, ValueError, "does not lie within"),
        ({"columns": (-1, 2)}, ValueError, "does not lie within"),
        ({"index": (0,)}, ValueError, "needs 0 indices"),
        ({"reduction": "median"}, ValueError, "reduction must be one of"),
        ({"sample": 0}, ValueError, "sample must be"),
    ],
)
def test_what_cannot_be(options, kind, text):
    with pytest.raises(kind, match=text):
        heatmap(plain(np.ones((4, 4), np.float32)), 2, 2, **options)
    with pytest.raises(ValueError, match="at least one cell"):
        heatmap(plain(np.ones((4, 4), np.float32)), 0, 2)
    with pytest.raises(IndexError):
        heatmap(plain(np.ones((2, 4, 4), np.float32)), 2, 2, index=(2,))


def test_progress_reaches_its_total_and_cancels(monkeypatch):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 64)
    elements, seen = plain(np.ones((50, 32), np.float32)), []
    heatmap(elements, 4, 4, progress=lambda *at: seen.append(at))
    assert seen[-1] == (1600, 1600)
    with pytest.raises(Cancelled):
        heatmap(elements, 4, 4, progress=lambda *_: False)


def test_a_size_is_an_integer():
    with pytest.raises(TypeError):
        heatmap(plain(np.zeros((4, 4), np.float32)), 2.5, 2)
