"""The walk over string arrays finds the same places as stepping one by one, whatever the strings are made of."""

from __future__ import annotations

import itertools
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sources import MemorySource

from weightmap.source.strings import ASCII, walk

ODD = [
    b"",
    b"a",
    b"x" * 127,
    b"x" * 128,
    b"y" * 250,
    b"\0",
    b"\0" * 7,
    b"\0" * 30,
    b"\x01" + b"\0" * 7,
    b"x" * 255,
    b"x" * 256,
    b"x" * 257,
    b"\xff" * 600,
]


def encoded(items, length="<Q"):
    return b"".join(struct.pack(length, len(item)) + item for item in items)


def texts(data, starts):
    places = starts.places.tolist()
    return [data[starts.base + a + starts.width : starts.base + b] for a, b in itertools.pairwise(places)]


@given(
    st.lists(st.one_of(st.sampled_from(ODD), st.binary(max_size=20)), max_size=80),
    st.sampled_from(["<Q", ">Q", "<I", ">I"]),
    st.integers(0, 9),
    st.sampled_from([b"", b"\0" * 40, b"tail\0\0\0\0\0\0\0\0"]),
)
@settings(max_examples=150)
def test_gives_every_string(items, length, before, after):
    data = b"z" * before + encoded(items, length) + after
    starts = walk(MemorySource(data), before, len(items), length)
    assert starts.failed is None
    assert starts.end == len(data) - len(after)
    assert texts(data, starts) == items
    assert not starts.short or all(len(item) < ASCII for item in items)


@given(st.lists(st.sampled_from(ODD), min_size=1, max_size=40), st.data())
@settings(max_examples=100)
def test_names_the_string_that_is_cut_off(items, data):
    whole = encoded(items)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    starts = walk(MemorySource(cut), 0, len(items), "<Q")
    assert starts.failed is not None
    complete = len(starts.places) - 1
    assert texts(cut, starts) == items[:complete]
    assert starts.failed == len(encoded(items[:complete]))


@pytest.mark.parametrize(
    "items",
    [
        [b"token %d" % i for i in range(60_000)],
        [b""] * 100_000,
        [b"", b"a"] * 40_000,
        [b"\0" * 20] * 30_000,
        [b"long " * 60] * 3_000,
        [b"x" * 700_000, b"", b"y" * 300_000, b"z"],
    ],
    ids=["tokens", "empty", "empty and short", "zeros", "long", "longer than a window"],
)
def test_reads_across_windows(items):
    data = encoded(items)
    source = MemorySource(data)
    starts = walk(source, 0, len(items), "<Q")
    assert texts(data, starts) == items
    assert source.bytes_read <= 2 * len(data)
