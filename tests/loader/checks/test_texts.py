"""Which strings of an array are not UTF-8: those that Python's decoder refuses, wherever they lie in what is judged at once."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sources import MemorySource

from weightmap.checks import texts
from weightmap.formats.gguf_values import StringArray
from weightmap.source import lengths, strings, utf8
from weightmap.source.strings import walk
from weightmap.source.utf8 import Utf8

GOOD = ["", "a", "é", "▁the", "ह", "😀", "\0", "x" * 127, "x" * 128, "é" * 70, "ह" * 90, "y" * 300]
BAD = [
    b"\xc3",
    b"\xe0\x9f\xbf",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"a" * 127 + b"\xc3",
    b"\xff",
    b"\x80",
    b"\xe2\x96" * 90,
]


def array(words, length="<Q", before=3):
    data = b"z" * before + b"".join(struct.pack(length, len(word)) + word for word in words) + b"tail"
    source = MemorySource(data)
    return StringArray(source, walk(source, before, len(words), length))


def refused(words):
    bad = []
    for index, word in enumerate(words):
        try:
            word.decode()
        except UnicodeDecodeError:
            bad.append(index)
    return bad


@pytest.fixture(
    params=[(1 << 18, 0), (64, 1 << 22), (200, 300)], ids=["judged here", "judged in the walk", "some in each"]
)
def small_pieces(monkeypatch, request):
    monkeypatch.setattr(strings, "WINDOW", request.param[0])
    monkeypatch.setattr(strings, "PROVED", request.param[1])
    monkeypatch.setattr(utf8, "CHUNK", 64)
    monkeypatch.setattr(lengths, "AT_ONCE", 4)


@pytest.mark.usefixtures("small_pieces")
@given(
    st.lists(st.one_of(st.sampled_from(GOOD).map(str.encode), st.sampled_from(BAD)), max_size=40),
    st.sampled_from(["<Q", ">Q", "<I", ">I"]),
)
@settings(max_examples=300)
def test_names_the_strings_that_do_not_decode(words, length):
    assert texts.not_utf8(array(words, length), Utf8()) == refused(words)


@pytest.mark.parametrize("length", [128, 130, 191, 200])
def test_a_length_does_not_end_the_character_that_breaks_off_before_it(length):
    words = [b"the end \xc3", b"x" * length, b"y"]
    assert texts.not_utf8(array(words), Utf8()) == [0]


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("before", range(56))
def test_a_character_that_breaks_off_at_the_end_of_a_piece(before):
    words = [b"x" * before, b"ab\xe2\x96", b"y" * 50, b"z" * 150, "▁".encode() * 60]
    assert texts.not_utf8(array(words), Utf8()) == [1]


@pytest.mark.usefixtures("small_pieces")
def test_what_is_unsound_is_read_twice_and_no_more():
    words = [b"\xff" * 5_000, *[b"\xff"] * 300, b"fine"]
    refused_ones = array(words)
    refused_ones.source.bytes_read = 0
    assert texts.not_utf8(refused_ones, Utf8()) == list(range(301))
    assert refused_ones.source.bytes_read <= 2 * refused_ones.source.size


def test_no_lengths_are_compared_where_the_walk_met_none_that_counts():
    assert array([b"x" * 127, b"", b"y"] * 9).starts.short
    assert not array([b"x" * 128, b"", b"y"] * 9).starts.short
    assert not array([b"y", b"", b"x" * 128]).starts.short
    assert not array([b"y"] * 9 + [b"x" * 400_000]).starts.short
    behind = struct.pack("<I", 200) + bytes(60)  # what a longer string would begin with
    data = b"".join(struct.pack("<Q", 3) + b"abc" for _ in range(900)) + behind * 9
    assert walk(MemorySource(data), 0, 900, "<Q").short


def test_one_judge_takes_texts_of_any_size():
    judge = Utf8()
    for words in ([], [b""], [b"\xc3"], [b"abc"] * 90_000, [b"abc"], [b"abc"] * 90_000 + [b"\xc3"], [b"\xc3\xa9"]):
        assert texts.not_utf8(array(words), judge) == refused(words)
