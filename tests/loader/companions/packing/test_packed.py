"""Nibbles of many bytes, which are looked up two bytes at a time, against the table of one nibble."""

from __future__ import annotations

import numpy as np
import pytest

from weightmap.companions.packing import packed
from weightmap.companions.packing.packed import Nibbles, codebook, e2m1, lowered, signed
from weightmap.types.workspace import Workspace

BOOK = np.random.default_rng(1).standard_normal(16).astype(np.float32)


@pytest.mark.parametrize("count", [1, 7, 8, 9, 70_001])
@pytest.mark.parametrize(
    "type", [e2m1(), e2m1(high=True), signed(), lowered(), codebook(BOOK)], ids=lambda one: one.name
)
def test_every_nibble(monkeypatch: pytest.MonkeyPatch, type: Nibbles, count: int) -> None:
    monkeypatch.setattr(packed, "MANY", 8)
    blocks = np.random.default_rng(count).integers(0, 256, (count, 1), np.uint8)
    order = [blocks >> 4, blocks & 15] if type.high else [blocks & 15, blocks >> 4]
    room = np.full(2 * count + 4, np.nan, np.float32)
    for shift in (0, 2):  # also where no item of two bytes is aligned
        type.decode(blocks, room[shift : shift + 2 * count].reshape(count, 2), Workspace())
        assert np.array_equal(room[shift : shift + 2 * count], type.numbers[np.concatenate(order, axis=1).reshape(-1)])
        assert np.isnan(room[shift + 2 * count :]).all()
