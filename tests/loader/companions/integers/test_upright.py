"""Scales and zeros that lie turned are those of numpy's transpose, from whichever rows and groups, in sections and in stacks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.packing import words
from support.stored import stored

from weightmap.companions.integers import upright
from weightmap.companions.integers.packed import Along
from weightmap.companions.integers.upright import TurnedGrid, TurnedZeros
from weightmap.companions.packing.shelf import Shelf
from weightmap.types.workspace import Workspace

STACK, GROUPS, ROWS = 3, 5, 88
WANTED = [range(STACK * ROWS), range(7, 9), range(60, 200), (0, 1, 2, 50, 87, 88, 180, 263), (100,)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Sections of some rows, turned a few at a time, and a shelf that has not room for all."""
    shelf = Shelf(1500)
    monkeypatch.setattr(upright, "SHELF", shelf)
    monkeypatch.setattr(upright, "ROOM", 600)
    monkeypatch.setattr(upright, "AT_ONCE", 40)
    return shelf


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("rows", WANTED)
def test_scales(tmp_path: Path, rows: range | tuple[int, ...], kind: type[np.floating]) -> None:
    values = np.random.default_rng(1).standard_normal((STACK, GROUPS, ROWS)).astype(kind)
    grid = TurnedGrid(stored(tmp_path, "t", values, "F16" if kind is np.float16 else "F32"), GROUPS, ROWS)
    wanted = values.astype(np.float32).swapaxes(1, 2).reshape(-1, GROUPS)[list(rows)]
    for first, last in ((0, GROUPS), (2, 4)):
        found = grid.read(np.array(rows, np.int64), first, last, Workspace(), "t")
        assert found.dtype == np.float32
        assert np.array_equal(found, wanted[:, first:last])


@pytest.mark.parametrize("rows", WANTED)
def test_zeros(tmp_path: Path, rows: range | tuple[int, ...]) -> None:
    codes = np.random.default_rng(2).integers(0, 16, (STACK * GROUPS, ROWS), np.uint8)
    packed = words(codes, 4)
    zeros = TurnedZeros(Along(stored(tmp_path, "t", packed, "I32"), 4, packed.shape[1] * 4), GROUPS, ROWS)
    wanted = codes.reshape(STACK, GROUPS, ROWS).swapaxes(1, 2).reshape(-1, GROUPS)[list(rows)]
    for first, last in ((0, GROUPS), (2, 4)):
        assert np.array_equal(
            zeros.read(np.array(rows, np.int64), first, last, Workspace(), "t"), wanted[:, first:last]
        )


def test_the_shelf_is_kept_within_its_room(tmp_path: Path, small: Shelf) -> None:
    values = np.ones((STACK, GROUPS, ROWS), np.float32)
    grid = TurnedGrid(stored(tmp_path, "t", values, "F32"), GROUPS, ROWS)
    grid.read(np.arange(STACK * ROWS), 0, GROUPS, Workspace(), "t")
    assert 0 < sum(place.buffer.nbytes for place in small._places.values()) <= 1500
