"""The walk over string arrays finds the same places as stepping one by one, whatever the strings are made of."""

from __future__ import annotations

import itertools
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sources import MemorySource

from weightmap.source import strings
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


WORDS = ["", "a", "é", "▁the", "ह", "😀", "\0", "x" * 127, "x" * 128, "é" * 70, "ह" * 90, "y" * 300]
BROKEN = [b"\xc3", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"a" * 127 + b"\xc3", b"\xff", b"\x80"]


@pytest.fixture(params=[(64, 40), (100, 400), (700, 400)], ids=str)
def small_windows(monkeypatch, request):
    monkeypatch.setattr(strings, "WINDOW", request.param[0])
    monkeypatch.setattr(strings, "LONG", request.param[1])


def decodes(word):
    return word == word.decode("utf-8", "ignore").encode()


@pytest.mark.usefixtures("small_windows")
@given(
    st.lists(st.sampled_from(WORDS).map(str.encode), max_size=30),
    st.lists(st.sampled_from(BROKEN), max_size=1),
    st.lists(st.sampled_from(WORDS).map(str.encode), max_size=30),
    st.sampled_from(["<Q", ">Q", "<I", ">I"]),
)
@settings(max_examples=200)
def test_nothing_that_is_not_utf8_is_called_proven(before, broken, behind, length):
    items = [*before, *broken, *behind]
    data = encoded(items, length)
    starts = walk(MemorySource(data), 0, len(items), length)
    assert texts(data, starts) == items
    assert all(map(decodes, items[: starts.proven]))


@pytest.mark.parametrize("count", [1, 2, 9, 300])
@pytest.mark.parametrize("word", WORDS)
def test_all_that_is_utf8_is_proven_where_it_is_short(monkeypatch, word, count):
    monkeypatch.setattr(strings, "WINDOW", 1000)
    items = [word.encode()] * count
    assert walk(MemorySource(encoded(items)), 0, count, "<Q").proven == count


def test_what_is_long_is_proven_up_to_the_first_that_leads_out_of_its_window(monkeypatch):
    monkeypatch.setattr(strings, "WINDOW", 1000)
    items = [b"short"] * 50 + [b"long" * 400] + [b"short"] * 50
    assert walk(MemorySource(encoded(items)), 0, len(items), "<Q").proven == 0
    items = [b"short"] * 100 + items
    assert 0 < walk(MemorySource(encoded(items)), 0, len(items), "<Q").proven <= 150


def test_no_more_is_proven_than_the_walk_should_wait_for(monkeypatch):
    monkeypatch.setattr(strings, "WINDOW", 1000)
    monkeypatch.setattr(strings, "PROVED", 5000)
    items = [b"ten letter"] * 3000
    proven = walk(MemorySource(encoded(items)), 0, len(items), "<Q").proven
    assert 5000 <= proven * 18 < 6000
    source = MemorySource(encoded(items))
    source.mapped = False
    assert walk(source, 0, len(items), "<Q").proven == 0
