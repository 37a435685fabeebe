"""Rectangles of a matrix, in pieces and runs, and tall rectangles of what is stored turned round."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.stored import stored

from weightmap.companions.integers import bands, matrix
from weightmap.companions.integers.bands import Bands
from weightmap.companions.integers.matrix import Matrix, clusters, matrices
from weightmap.companions.packing.stored import byte_rows
from weightmap.types.workspace import Workspace


class Counted(Matrix):
    """Each element is its own flat index; notes the rectangles it was asked for."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__(shape)
        self.asked: list[tuple[int, int]] = []

    def tile(self, rows, left, right, out, work) -> None:
        self.asked.append((len(rows), right - left))
        out[...] = rows[:, None] * self.width + np.arange(left, right)

    def layers(self):
        return {}

    def explain(self, flat: int):
        return []


@pytest.mark.parametrize("piece", [4, 50, 1 << 18])
def test_ranges_and_runs(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(matrix, "PIECE", piece)
    of = Counted((3, 7, 11))
    for start, stop in ((0, 231), (5, 6), (3, 40), (11, 33), (220, 231), (10, 12)):
        out = np.empty(stop - start, np.float32)
        of.read(start, stop, out, Workspace())
        assert np.array_equal(out, np.arange(start, stop))
    for starts, length in (
        (np.arange(2, 231, 11), 5),  # the same columns of every row
        (np.arange(0, 231, 3), 1),  # other columns of each row
        (np.array([1, 4, 9, 12, 15, 20, 34, 37, 42]), 2),  # several runs, the same of three rows
        (np.array([9, 20]), 4),  # beyond the end of a row
        (np.array([0, 110]), 33),  # several rows
    ):
        out = np.empty((len(starts), length), np.float32)
        of.gather(starts, length, out, Workspace())
        assert np.array_equal(out, starts[:, None] + np.arange(length))
    assert all(rows * columns <= max(piece, 1) for rows, columns in of.asked)


def test_pieces_have_a_multiple_of_rows_where_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "PIECE", 66)
    of = Counted((15, 11))
    of.tall = 4
    out = np.empty(of.count, np.float32)
    of.read(0, of.count, out, Workspace())
    assert of.asked == [(4, 11), (4, 11), (4, 11), (3, 11)]
    of.tall = 8  # more than a piece has
    of.asked.clear()
    of.read(0, of.count, out, Workspace())
    assert of.asked == [(6, 11), (6, 11), (3, 11)]
    wide = Counted((4096, 14336))
    assert wide.chunk() == 36 * 14336
    wide.tall = 16
    assert wide.chunk() == 64 * 14336  # twice as many values
    assert Counted((512, 1024)).chunk() == 128 * 1024


def test_rows_part_into_matrices_and_clusters() -> None:
    rows = np.array([0, 1, 4, 9, 10, 11, 27])
    assert [(m, local.tolist()) for m, _, local in matrices(rows, 10)] == [(0, [0, 1, 4, 9]), (1, [0, 1]), (2, [7])]
    assert [rows[run].tolist() for run in clusters(rows, 1)] == [[0, 1], [4], [9, 10, 11], [27]]
    assert [rows[run].tolist() for run in clusters(rows, 5)] == [[0, 1, 4, 9, 10, 11], [27]]


@pytest.mark.parametrize("near", [0, 1 << 12])
def test_bytes_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, near: int) -> None:
    monkeypatch.setattr("weightmap.companions.packing.stored.NEAR", near)
    monkeypatch.setattr("weightmap.companions.packing.stored.SPAN", 64)
    values = np.random.default_rng(1).integers(0, 256, (40, 30), np.uint8)
    of = stored(tmp_path, "t", values, "U8")
    for rows in (np.arange(40), np.array([3]), np.array([1, 2, 7, 30, 39])):
        for left, right in ((0, 30), (4, 9)):
            found = byte_rows(of, rows * 30 + left, right - left, Workspace(), "bytes")
            assert np.array_equal(found, values[rows, left:right])
            apart = np.zeros((len(rows), 50), np.uint8)[:, : right - left]
            byte_rows(of, rows * 30 + left, right - left, Workspace(), "bytes", apart)
            assert np.array_equal(apart, values[rows, left:right])


def test_bands_of_a_stack_give_any_rectangle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bands, "BUDGET", 640)
    monkeypatch.setattr(bands, "NARROW", 64)
    values = np.random.default_rng(1).integers(0, 256, (3, 25, 200), np.uint8)
    of = Bands(stored(tmp_path, "t", values, "U8"), 200, 25)
    for which in range(3):
        for first, last, begin, end in ((0, 25, 0, 200), (3, 20, 60, 70), (9, 12, 0, 64), (24, 25, 199, 200)):
            found = of.take(which, first, last, begin, end, Workspace(), "band")
            assert np.array_equal(found, values[which, first:last, begin:end])
