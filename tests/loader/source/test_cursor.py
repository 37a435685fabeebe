"""The cursor gives what stands in the file, says where it stopped, and never reads past the end."""

from __future__ import annotations

import struct

import pytest
from support.sources import MemorySource

from weightmap.errors import CorruptWeightError, TruncatedFileError
from weightmap.source.cursor import LONGEST_NAME, Cursor


def test_reads_fields_in_both_byte_orders_and_widths():
    little = Cursor(MemorySource(struct.pack("<IQ2s", 7, 8, b"ok")))
    assert (little.u32("a"), little.length("b"), little.take(2, "c"), little.remaining) == (7, 8, b"ok", 0)
    big = Cursor(MemorySource(struct.pack(">II", 7, 8)))
    big.arrange(big_endian=True, wide=False)
    assert (big.u32("a"), big.length("b"), big.position) == (7, 8, 8)


def test_reads_in_windows_that_cover_what_is_asked_for():
    data = bytes(range(256)) * 4096
    source = MemorySource(data)
    cursor = Cursor(source, 5)
    assert cursor.take(10, "a") == data[5:15]
    assert source.bytes_read < len(data) // 2
    assert cursor.take(600_000, "b") == data[15:600_015]
    assert cursor.skip(1000, "c") == 600_015
    assert cursor.take(3, "d") == data[601_015:601_018]


def test_text_keeps_bytes_that_are_not_utf8():
    cursor = Cursor(MemorySource(struct.pack("<Q", 4) + b"a\xff\xc3\xa9"))
    text = cursor.text("the value")
    assert text == "a\udcff\u00e9"
    assert text.encode("utf-8", "surrogateescape") == b"a\xff\xc3\xa9"


def test_a_cut_says_what_where_and_how_much():
    cursor = Cursor(MemorySource(b"123456", "cut.gguf"))
    cursor.place, cursor.number, cursor.count, cursor.key = "metadata entry", 2, 9, "general.name"
    cursor.skip(3, "something")
    with pytest.raises(TruncatedFileError) as caught:
        cursor.u32("the value type")
    error = caught.value
    assert (error.code, error.path, error.offset, error.key) == ("truncated", "cut.gguf", 3, "general.name")
    assert "the value type of metadata entry 2 of 9" in error.finding.message
    assert (error.finding.expected, error.finding.found) == ("4 bytes", "3 bytes")
    assert cursor.position == 3


@pytest.mark.parametrize(("length", "longest"), [(1 << 63, 1 << 28), (5000, 1 << 28), (LONGEST_NAME + 1, LONGEST_NAME)])
def test_a_length_without_room_is_refused_before_anything_is_read(length, longest):
    source = MemorySource(struct.pack("<Q", length) + b"abc")
    with pytest.raises(CorruptWeightError) as caught:
        Cursor(source).text("the name", longest)
    assert caught.value.code == "bad_length"
    assert f"{length:,}" in str(caught.value)
    assert source.bytes_read <= 11


def test_a_short_length_past_the_end_is_a_cut():
    with pytest.raises(TruncatedFileError):
        Cursor(MemorySource(struct.pack("<Q", 20) + b"abc")).text("the name")
