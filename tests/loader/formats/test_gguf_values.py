"""Metadata values of GGUF: every kind comes back as it was written, arrays are read when looked at."""

from __future__ import annotations

import numpy as np
import pytest
from support.build import gguf
from support.sources import MemorySource

from weightmap.formats.gguf import parse

SCALARS = [
    ("u8", 255),
    ("i8", -128),
    ("u16", 65535),
    ("i16", -32768),
    ("u32", 1 << 31),
    ("i32", -5),
    ("f32", 0.5),
    ("bool", True),
    ("str", "b\u00e9 \u65e5"),
    ("u64", (1 << 64) - 1),
    ("i64", -(1 << 63)),
    ("f64", 1e-300),
]
NUMBERS = {
    "u8": np.uint8,
    "i8": np.int8,
    "u16": np.uint16,
    "i16": np.int16,
    "u32": np.uint32,
    "i32": np.int32,
    "f32": np.float32,
    "u64": np.uint64,
    "i64": np.int64,
    "f64": np.float64,
}


def metadata(*entries, big_endian=False):
    layout = parse(MemorySource(gguf(entries, big_endian=big_endian)))
    assert [p.code for p in layout.problems] == ["big_endian"] * big_endian
    return layout.metadata


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize(("kind", "value"), SCALARS)
def test_scalars_are_plain_python_values(kind, value, big_endian):
    values = metadata(("k", kind, value), ("after", "u8", 7), big_endian=big_endian)
    assert values["k"] == value
    assert type(values["k"]) is type(value)
    assert values.entry("k").kind == kind
    assert values["after"] == 7


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("kind", NUMBERS)
def test_number_arrays_are_read_only_native_arrays(kind, big_endian):
    values = metadata(("k", "arr", (kind, [0, 1, 100])), ("after", "u8", 7), big_endian=big_endian)
    array = values["k"]
    assert array.dtype == NUMBERS[kind]
    assert array.dtype.isnative
    assert array.tolist() == [0, 1, 100]
    assert not array.flags.writeable
    assert (values.entry("k").kind, values["after"]) == (f"{kind}[]", 7)


def test_bool_arrays_are_bools():
    array = metadata(("k", "arr", ("bool", [True, False, True])))["k"]
    assert array.dtype == bool
    assert array.tolist() == [True, False, True]


@pytest.mark.parametrize("big_endian", [False, True])
def test_string_arrays_decode_on_demand(big_endian):
    words = [f"w{i}" * (i % 40) for i in range(9000)]
    strings = metadata(("k", "arr", ("str", words)), ("after", "u8", 7), big_endian=big_endian)["k"]
    assert len(strings) == 9000
    assert (strings[0], strings[8999], strings[-1], strings[-9000]) == ("", words[-1], words[-1], "")
    assert strings == words
    assert list(strings) == words
    for index in (
        slice(5, 9),
        slice(9, 5, -1),
        slice(None, None, -700),
        slice(3, 3),
        slice(-3, None),
        slice(0, 100, 7),
    ):
        assert strings[index] == words[index]
    with pytest.raises(IndexError):
        strings[9000]
    assert "w5" * 5 in strings


def test_strings_keep_bytes_that_are_not_utf8():
    source = MemorySource(gguf([("k", "arr", ("str", [b"\xff", "é".encode()]))]))
    strings = parse(source).metadata["k"]
    assert [text.encode("utf-8", "surrogateescape") for text in strings] == [b"\xff", "é".encode()]


def test_opening_does_not_read_number_arrays():
    source = MemorySource(gguf([("k", "arr", ("u8", [0] * 3_000_000)), ("after", "u8", 7)]))
    values = parse(source).metadata
    assert source.bytes_read < 1_000_000
    assert (values["after"], len(values["k"])) == (7, 3_000_000)


def test_arrays_of_arrays_keep_their_structure():
    nested = ("arr", [("str", ["a"]), ("u8", []), ("f32", [1.5])])
    values = metadata(("k", "arr", nested), ("after", "u8", 7))
    assert [list(item) for item in values["k"]] == [["a"], [], [1.5]]
    assert (values.entry("k").kind, values["after"]) == ("mixed[][]", 7)
    assert metadata(("k", "arr", ("arr", [("i32", [1]), ("i32", [2])]))).entry("k").kind == "i32[][]"


@pytest.mark.parametrize(("depth", "code"), [(8, None), (9, "nesting_too_deep"), (3000, "nesting_too_deep")])
def test_nesting_has_a_limit(depth, code):
    value = b"\x09\0\0\0" + b"\x01" + b"\0" * 7
    data = gguf([("before", "u8", 1)])
    head = bytearray(data)
    head[16] = 2
    entry = (
        b"\x01" + b"\0" * 7 + b"k" + b"\x09\0\0\0" + value * (depth - 1) + b"\0\0\0\0" + b"\x01" + b"\0" * 7 + b"\x2a"
    )
    layout = parse(MemorySource(bytes(head) + entry))
    assert [p.code for p in layout.problems] == ([] if code is None else [code])
    assert layout.metadata["before"] == 1
    if code is None:
        value = layout.metadata["k"]
        for _ in range(depth - 1):
            (value,) = value
        assert value.tolist() == [42]


@pytest.mark.parametrize(("kind", "element"), [(13, b""), (99, b""), (9, b"\x0d\0\0\0" + b"\x01" + b"\0" * 7)])
def test_an_unknown_kind_ends_the_metadata(kind, element):
    data = bytearray(gguf([("before", "u8", 1)]))
    data[16] = 2
    data += b"\x01" + b"\0" * 7 + b"k" + bytes([kind, 0, 0, 0]) + element + b"\0" * 40
    layout = parse(MemorySource(bytes(data)))
    assert [(p.code, p.key) for p in layout.problems] == [("unknown_kv_type", "k")]
    assert dict(layout.metadata) == {"before": 1}


def test_a_key_that_stands_twice_gives_the_first_and_keeps_both():
    values = metadata(("k", "u8", 1), ("k", "str", "two"))
    assert (len(values), values["k"], list(values)) == (1, 1, ["k"])
    assert [(entry.kind, entry.read()) for entry in values.entries] == [("u8", 1), ("str", "two")]


def test_no_time_goes_into_hundreds_of_thousands_of_arrays():
    many = ("arr", [("u8", [])] * 70_000)
    [problem] = parse(MemorySource(gguf([("k", "arr", many)]))).problems
    assert (problem.code, problem.key) == ("bad_length", "k")
