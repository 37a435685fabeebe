"""Length fields between strings, one by one: which are no ASCII, and what of them lies in a piece that is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from weightmap.source import lengths
from weightmap.source.lengths import ASCII, blank, long_ones


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("at_once", [1, 2, 1 << 16])
def test_long_ones_are_those_of_128_bytes_and_more(monkeypatch: pytest.MonkeyPatch, width: int, at_once: int) -> None:
    monkeypatch.setattr(lengths, "AT_ONCE", at_once)
    sizes = np.array([0, ASCII - 1, ASCII, 3, ASCII + 1, 9000, 1])
    places = np.concatenate([[7], 7 + np.cumsum(sizes + width)])
    assert long_ones(places, width).tolist() == places[[2, 4, 5]].tolist()
    assert long_ones(places[:2], width).tolist() == long_ones(places[:1], width).tolist() == []


@pytest.mark.parametrize("width", [4, 8])
def test_what_lies_in_a_piece_is_blanked_and_nothing_else(width: int) -> None:
    places = np.array([3, 40, 80])
    for at in range(100):
        for size in (1, 2, width, 30):
            out = np.full(size, 7, np.uint8)
            blank(places, width, at, out)
            inside = [any(place <= at + n < place + width for place in places) for n in range(size)]
            assert out.tolist() == [0 if zero else 7 for zero in inside]
