"""safetensors headers: strict about JSON, tolerant of entries that make no sense."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from support.build import safetensors
from support.sources import MemorySource

from weightmap.errors import CorruptWeightError, TruncatedFileError
from weightmap.findings import MANY, Severity
from weightmap.formats.safetensors import LARGEST_HEADER, parse

F4 = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


def layout_of(header: str | bytes, data: bytes = b"\0" * 64):
    text = header if isinstance(header, bytes) else header.encode()
    return parse(MemorySource(struct.pack("<Q", len(text)) + text + data, "x.safetensors"))


def entry(**changed):
    fields = {**F4, **changed}
    return json.dumps({"before": F4, "t": {k: v for k, v in fields.items() if v is not ...}, "after": F4})


def codes(layout):
    return [problem.code for problem in layout.problems]


def test_records_stand_as_the_header_says():
    data = safetensors(
        [
            ("a", "F32", (2, 3), np.arange(6, dtype="<f4").tobytes()),
            ("é/b", "BF16", (), b"\0\0"),
            ("c", "U8", (0,), b""),
        ],
        {"format": "pt", "ü": "1"},
    )
    layout = parse(MemorySource(data))
    start = layout.parts[0].data_start
    assert [(r.name, r.shape, r.type.name, r.offset - start, r.nbytes) for r in layout.records] == [
        ("a", (2, 3), "F32", 0, 24),
        ("é/b", (), "BF16", 24, 2),
        ("c", (0,), "U8", 26, 0),
    ]
    assert dict(layout.metadata) == {"format": "pt", "ü": "1"}
    assert [data[r.entry : r.entry + 1 + len(r.name.encode())] for r in layout.records] == [
        b'"a',
        '"é/b'.encode(),
        b'"c',
    ]
    assert layout.problems == ()


@pytest.mark.parametrize(
    "header",
    [
        b"\xff\xfe{}",
        "\ufeff{}",
        "{}\0",
        "{} {}",
        "[]",
        '"text"',
        "null",
        "{",
        '{"a":NaN}',
        "{'a':1}",
        '{"a":1,}',
        "{/* */}",
        '{"a":' * 50_000,
        "[" * 200_000,
        '{"a":' + "9" * 5000 + "}",
        b'{"a\xc3":1}',
    ],
    ids=range(16),
)
def test_what_is_no_json_object_is_refused(header):
    with pytest.raises(CorruptWeightError) as caught:
        layout_of(header)
    assert caught.value.code == "bad_header"


@pytest.mark.parametrize(
    ("length", "kind", "code"),
    [
        (0, CorruptWeightError, "bad_header"),
        (1, CorruptWeightError, "bad_header"),
        (132_095_296, TruncatedFileError, "truncated"),
        ((1 << 64) - 1, CorruptWeightError, "bad_header"),
    ],
)
def test_a_senseless_header_length_names_it_and_the_size(length, kind, code):
    with pytest.raises(kind) as caught:
        parse(MemorySource(struct.pack("<Q", length) + b'{"a":1}' + b" " * 65))
    assert (caught.value.code, f"{length:,}" in str(caught.value), "80 bytes" in str(caught.value)) == (
        code,
        True,
        True,
    )


def test_a_header_above_the_limit_is_not_read():
    class Large(MemorySource):
        def read(self, offset, nbytes):
            assert nbytes <= 8
            return super().read(offset, nbytes)

    source = Large(struct.pack("<Q", LARGEST_HEADER + 1) + b"{}")
    source.size = 1 << 40
    with pytest.raises(CorruptWeightError, match="100,000,001"):
        parse(source)


@pytest.mark.parametrize(
    ("header", "code", "word"),
    [
        (entry(dtype=...), "missing_field", "dtype"),
        (entry(shape=...), "missing_field", "shape"),
        (entry(data_offsets=...), "missing_field", "data_offsets"),
        (entry(dtype=3), "bad_header", "number"),
        (entry(shape=["1"]), "bad_shape", 'is ["1"], not'),
        (entry(shape=[True]), "bad_shape", "is [true], not"),
        (entry(shape=[1.0]), "bad_shape", "1.0"),
        (entry(shape=[-1]), "bad_shape", "-1"),
        (entry(shape=[1 << 64]), "bad_shape", str(1 << 64)),
        (entry(shape=None), "bad_shape", "is null, not"),
        (entry(shape={}), "bad_shape", "is an object, not"),
        (entry(data_offsets=[4, 0]), "bad_offsets", "[4, 0]"),
        (entry(data_offsets=[0, 4, 8]), "bad_offsets", "[0, 4, 8]"),
        (entry(data_offsets=[0.0, 4.0]), "bad_offsets", "4.0"),
        (entry(data_offsets=[False, 4]), "bad_offsets", "are [false, 4], not"),
        (json.dumps({"before": F4, "t": "a note", "after": F4}), "bad_header", "str"),
        (json.dumps({"before": F4, "t\ud800": F4, "after": F4}), "bad_header", "surrogate"),
    ],
)
def test_an_entry_without_sense_is_left_out_and_said(header, code, word):
    layout = layout_of(header)
    assert codes(layout) == [code]
    assert layout.problems[0].severity is Severity.ERROR
    assert word in layout.problems[0].message
    assert [record.name for record in layout.records] == ["before", "after"]


def test_a_number_beyond_all_numbers_is_told_in_plain_words():
    with pytest.raises(CorruptWeightError, match=r"not valid JSON: a number has thousands of digits"):
        layout_of('{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,' + "9" * 5000 + "]}}")


def test_doubled_names_are_kept():
    text = json.dumps(F4)
    layout = layout_of(f'{{"a":{text},"a":{json.dumps({**F4, "data_offsets": [4, 8]})}}}')
    assert [(r.name, r.offset - layout.parts[0].data_start) for r in layout.records] == [("a", 0), ("a", 4)]
    twice = layout_of('{"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}}')
    assert codes(twice) == ["duplicate_key"]


def test_white_space_around_the_object():
    assert codes(layout_of(f'  \n{{"a":{json.dumps(F4)}}}')) == ["header_start"]
    assert codes(layout_of(json.dumps({"a": F4}, indent=2) + "\r\n\t  ")) == []


@pytest.mark.parametrize(
    ("value", "severity", "metadata"),
    [
        ("{}", None, {}),
        ("null", Severity.WARNING, {}),
        ("3", Severity.WARNING, {}),
        ("[]", Severity.WARNING, {}),
        ('"x"', Severity.WARNING, {}),
        ('{"a":"x","n":3}', Severity.ERROR, {"a": "x", "n": 3}),
        ('{"a":"x","o":{"b":1}}', Severity.ERROR, {"a": "x", "o": (("b", 1),)}),
    ],
)
def test_metadata_of_other_kinds_harms_no_tensor(value, severity, metadata):
    layout = layout_of(f'{{"__metadata__":{value},"a":{json.dumps(F4)}}}')
    assert [(p.code, p.severity) for p in layout.problems] == ([] if severity is None else [("bad_metadata", severity)])
    assert dict(layout.metadata) == metadata
    assert len(layout.records) == 1


def test_a_tensor_with_the_reserved_name():
    layout = layout_of(json.dumps({"__metadata__": F4, "a": F4}))
    assert (codes(layout), [r.name for r in layout.records]) == (["reserved_name"], ["a"])


def test_an_unknown_dtype_hits_only_its_tensor():
    layout = layout_of(entry(dtype="F8_E3M4"))
    assert [(r.name, r.type.known, r.type.name) for r in layout.records if not r.type.known] == [
        ("t", False, "F8_E3M4")
    ]
    assert len(layout.records) == 3


def test_agrees_with_the_reference_on_what_opens(tmp_path):
    safe_open = pytest.importorskip("safetensors").safe_open
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors([("b", "F16", (2, 2), b"\0" * 8), ("a", "I64", (1,), b"\0" * 8)], {"k": "v"}))
    with safe_open(path, "np") as file:
        theirs = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    ours = parse(MemorySource(path.read_bytes()))
    assert {record.name: record.shape for record in ours.records} == theirs


def test_many_odd_entries_are_counted():
    header = "{" + ",".join(f'"t{number}":1' for number in range(1000)) + "}"
    layout = parse(MemorySource(len(header).to_bytes(8, "little") + header.encode()))
    assert [problem.code for problem in layout.problems] == ["bad_header"] * MANY
    assert layout.problems[-1].message.endswith("980 more are like this.")


@pytest.mark.parametrize("pair", ['"k":"\\ud800"', '"\\udc00":"v"'])
def test_half_a_character_in_the_metadata_is_a_warning(pair):
    layout = layout_of(f'{{"__metadata__":{{{pair}}},"a":{json.dumps(F4)}}}')
    assert [(p.code, p.severity) for p in layout.problems] == [("bad_metadata", Severity.WARNING)]
    assert [record.name for record in layout.records] == ["a"]


@pytest.mark.parametrize("header", ['{"a":"b', '{"a\0'])
def test_where_the_json_ends_is_said_once(header):
    with pytest.raises(CorruptWeightError, match=r"not valid JSON: [a-z ]+[a-z] at character \d"):
        layout_of(header)


@pytest.mark.parametrize("behind", ["", '"dtype":"F32"}}'])
def test_a_header_that_turns_into_zeros_is_said_to_do_so(behind):
    with pytest.raises(CorruptWeightError, match=r"turns into zeros at byte 14, 6 bytes behind") as caught:
        layout_of('{"a":{' + "\0" * 40 + behind)
    assert (caught.value.code, caught.value.offset) == ("zeroed", 14)


def test_zeros_behind_a_whole_header_are_not_what_cut_it():
    with pytest.raises(CorruptWeightError, match="not valid JSON: extra data"):
        layout_of('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}' + "\0" * 40)
