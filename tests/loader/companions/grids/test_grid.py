"""Grids of scales against the scale of each element, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from weightmap.companions.grids.grid import Grid, in_blocks, in_groups, one_for_all, per_leading

STACK = (2, 3, 4, 6)


def matrices(grid: Grid, shape: tuple[int, ...]) -> np.ndarray:
    """The scale of each element: (matrices, rows, columns)."""
    count = int(np.prod(shape))
    return np.array([grid.flat(element) for element in range(count)]).reshape(-1, *(1, 1, *shape)[-2:])


def shared(scales: np.ndarray, tall: int, wide: int) -> bool:
    """Whether rectangles of this size, from the first element of each matrix on, each have one scale of their own."""
    rows, columns = np.arange(scales.shape[1]) // tall, np.arange(scales.shape[2]) // wide
    places = rows[:, None] * (columns[-1] + 1) + columns
    for matrix in scales:
        pairs = {*zip(places.ravel().tolist(), matrix.ravel().tolist(), strict=True)}
        if not len(pairs) == len({place for place, _ in pairs}) == len({scale for _, scale in pairs}):
            return False
    return True


@pytest.mark.parametrize(
    ("shape", "grid", "over"),
    [
        ((4, 6), one_for_all((4, 6)), (4, 6)),
        (STACK, one_for_all(STACK), (4, 6)),
        (STACK, per_leading(STACK, 1), (4, 6)),
        (STACK, per_leading(STACK, 2), (4, 6)),
        (STACK, per_leading(STACK, 3), (1, 6)),
        ((6,), one_for_all((6,)), (1, 6)),
        ((), one_for_all(()), (1, 1)),
        (STACK, in_groups(STACK, 2), (1, 2)),
        (STACK, in_groups(STACK, 4), (1, 4)),
        (STACK, in_groups(STACK, 9), (1, 6)),
        (STACK, in_blocks(STACK, 2, 3), (2, 3)),
        (STACK, in_blocks(STACK, 3, 4), (3, 4)),
        (STACK, in_blocks(STACK, 9, 9), (4, 6)),
        (STACK, Grid(24, 8, 6, 6), (4, 6)),  # a scale for two matrices
        (STACK, Grid(24, 12, 6, 6), (4, 6)),  # for three
    ],
)
def test_how_many_rows_and_columns_share_a_scale(shape: tuple[int, ...], grid: Grid, over: tuple[int, int]) -> None:
    assert grid.over(shape) == over
    assert shared(matrices(grid, shape), *over)


@pytest.mark.parametrize(
    "grid",
    [
        Grid(24, 3, 6, 6),
        Grid(24, 6, 6, 6),
        Grid(24, 2, 6, 3),
        Grid(24, 12, 6, 4),
        Grid(48, 1, 3, 3),
        Grid(12, 1, 12, 12),
    ],
)
def test_scales_that_run_on_over_the_ends_of_rows_or_matrices_have_no_rectangles(grid: Grid) -> None:
    assert grid.over(STACK) is None


def test_no_weight_has_no_groups() -> None:
    assert in_groups((0, 6), 2).over((0, 6)) == (0, 2)
    assert per_leading((3, 0, 0), 1).over((3, 0, 0)) is not None
