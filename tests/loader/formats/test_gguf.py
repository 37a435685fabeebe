"""GGUF headers of every version and byte order parse to the same records; broken ones give what was read and say why."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from support.build import gguf
from support.sources import MemorySource

import weightmap
from weightmap.errors import CorruptWeightError, TruncatedFileError, UnsupportedFormatError
from weightmap.findings import Severity
from weightmap.formats.gguf import parse

KEYS = [("general.architecture", "str", "llama"), ("general.alignment", "u32", 64), ("x.f", "f64", 0.5)]
TENSORS = [
    ("a", (3, 2), 0, np.arange(6, dtype="<f4").tobytes()),
    ("b.weight", (2, 64), 8, b"\x01" * 136),
    ("scalar", (), 0, b"\0\0\0\0"),
]


def layout_of(data: bytes):
    return parse(MemorySource(data))


def codes(layout):
    return [problem.code for problem in layout.problems]


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_in_both_byte_orders(version, big_endian):
    data = gguf(KEYS, TENSORS, version=version, alignment=64, big_endian=big_endian)
    layout = layout_of(data)
    assert (layout.format, layout.version, layout.alignment) == ("gguf", version, 64)
    assert layout.byte_order == ("big" if big_endian else "little")
    assert dict(layout.metadata) == {"general.architecture": "llama", "general.alignment": 64, "x.f": 0.5}
    start = layout.parts[0].data_start
    assert start % 64 == 0
    assert [(r.name, r.shape, r.type.name, r.offset - start, r.nbytes) for r in layout.records] == [
        ("a", (3, 2), "F32", 0, 24),
        ("b.weight", (2, 64), "Q8_0", 64, 136),
        ("scalar", (), "F32", 64 * 4, 4),
    ]
    assert data[layout.records[1].offset :][:136] == b"\x01" * 136
    for record in layout.records:
        assert data[record.entry + (4 if version == 1 else 8) :].startswith(record.name.encode())
    assert codes(layout) == ["old_version"] * (version < 3) + ["big_endian"] * big_endian


def test_version_1_is_louder_than_2():
    assert layout_of(gguf(version=1)).problems[0].severity is Severity.WARNING
    assert layout_of(gguf(version=2)).problems[0].severity is Severity.INFO


def test_a_version_of_the_future_is_shown_but_not_located():
    layout = layout_of(gguf(KEYS[:1], TENSORS, version=4))
    assert codes(layout) == ["unsupported_version"]
    assert [record.name for record in layout.records] == ["a", "b.weight", "scalar"]
    assert not layout.parts[0].located


@pytest.mark.parametrize("version", [0, 100, 0x10000 * 101])
def test_a_senseless_version_is_refused(version):
    with pytest.raises(UnsupportedFormatError) as caught:
        layout_of(b"GGUF" + struct.pack("<IQQ", version, 0, 0))
    assert caught.value.code == "unsupported_version"


def test_a_swapped_magic_is_said_and_read_on():
    layout = layout_of(b"FUGG" + gguf(KEYS[:1], TENSORS, big_endian=True)[4:])
    assert codes(layout) == ["byte_swapped_magic", "big_endian"]
    assert len(layout.records) == 3


@pytest.mark.parametrize("size", [4, 20, 23])
def test_too_short_for_a_header(size):
    with pytest.raises(TruncatedFileError, match=f"{size} bytes"):
        layout_of(gguf()[:size])


def test_every_cut_of_a_header_shows_what_came_before():
    data = gguf([*KEYS, ("x.list", "arr", ("str", ["one", "two"]))], TENSORS, alignment=64)
    whole = layout_of(data)
    for size in range(24, whole.parts[0].header_end):
        layout = layout_of(data[:size])
        assert layout.problems, size
        assert layout.problems[-1].severity is Severity.ERROR
        assert not layout.parts[0].located
        keys = [key for key in whole.metadata if whole.metadata.entry(key).offset < size]
        assert list(layout.metadata) in (keys, keys[:-1])
        part = layout.parts[0]
        assert (part.breaks_in, part.counted) == (
            "tensors" if len(layout.metadata) == len(whole.metadata) else "metadata",
            3,
        )
        assert part.header_end == layout.problems[-1].offset <= size
    assert (whole.parts[0].breaks_in, whole.parts[0].counted) == (None, None)


def test_a_cut_in_the_tensor_table_names_the_tensor():
    data = gguf(KEYS[:1], TENSORS)
    place = data.index(b"b.weight")
    problem = layout_of(data[: place + 15]).problems[-1]
    assert problem.code == "truncated"
    assert "tensor 2 of 3" in problem.message
    assert problem.tensor == "b.weight"


@pytest.mark.parametrize(
    ("tensors", "keys", "code"),
    [(1 << 63, 0, "bad_count"), (0xFFFFFFFF, 0, "bad_count"), (0, 1 << 63, None), (0, 1 << 40, None)],
)
def test_counts_are_compared_with_the_file(tensors, keys, code):
    data = b"GGUF" + struct.pack("<IQQ", 3, tensors, keys) + b"\0" * 100
    if code is None:
        with pytest.raises(CorruptWeightError) as caught:
            layout_of(data)
        assert caught.value.code == "bad_count"
    else:
        assert codes(layout_of(data)) == [code]


@pytest.mark.parametrize(
    "value", [("u32", 0), ("u32", 33), ("i32", -32), ("str", "32"), ("u64", 1 << 62), ("f32", 32.0)]
)
def test_a_senseless_alignment_leaves_the_metadata(value):
    layout = layout_of(gguf([KEYS[0], ("general.alignment", *value)], TENSORS))
    assert codes(layout) == ["bad_alignment"]
    assert layout.problems[0].severity is Severity.ERROR
    assert layout.metadata["general.architecture"] == "llama"
    assert not layout.parts[0].located


def test_a_small_alignment_is_read_with_a_warning():
    layout = layout_of(gguf([KEYS[0], ("general.alignment", "u32", 4)], TENSORS, alignment=4))
    assert [(p.code, p.severity) for p in layout.problems] == [("bad_alignment", Severity.WARNING)]
    assert layout.parts[0].located


def test_too_many_dimensions_end_the_table():
    data = gguf(KEYS[:1], [("nine", (1,) * 9, 0, b"\0" * 4)])
    assert len(layout_of(data).records[0].shape) == 9
    bad = bytearray(data)
    place = data.index(b"nine") + 4
    bad[place : place + 4] = b"\xff" * 4
    problem = layout_of(bytes(bad)).problems[-1]
    assert (problem.code, problem.tensor, problem.found) == ("too_many_dims", "nine", "4,294,967,295")


def test_a_type_without_a_decoder_takes_the_room_up_to_the_next():
    layout = layout_of(gguf(KEYS[:1], [("x", (32,), 200, b"\0" * 96), TENSORS[0]]))
    assert (layout.records[0].type.known, layout.records[0].nbytes) == (False, 96)


@pytest.mark.parametrize(("nbytes", "known"), [(18, True), (50, False)])
def test_a_number_with_two_meanings_is_trusted_where_it_fits(nbytes, known):
    layout = layout_of(gguf(KEYS[:1], [("x", (64,), 42, b"\0" * nbytes), TENSORS[0]]))
    assert layout.records[0].type.known is known
    assert layout.records[1].type.known


def test_a_cut_file_does_not_make_a_proven_type_doubtful():
    data = gguf(KEYS[:1], [("x", (64,), 42, b"\0" * 18), ("y", (128,), 42, b"\0" * 36)], final_padding=False)
    layout = layout_of(data[:-10])
    assert [record.type.name for record in layout.records] == ["Q2_0", "Q2_0"]


@pytest.mark.parametrize("big_endian", [False, True])
def test_a_version_in_the_other_byte_order_than_the_rest(big_endian):
    data = bytearray(gguf(KEYS, TENSORS, alignment=64, big_endian=big_endian))
    data[4:8] = data[4:8][::-1]
    with pytest.raises(
        CorruptWeightError, match="In the other byte order these are 3: the version is in one"
    ) as caught:
        layout_of(bytes(data))
    assert caught.value.code == "bad_count"


@pytest.mark.parametrize(("cut", "place"), [(0.5, "metadata entry"), (0.97, "tensor")])
def test_a_header_that_turns_into_zeros_is_said_to_do_so(tmp_path, cut, place):
    keys = [(f"key.{number}", "u32", 7) for number in range(400)]
    whole = gguf(keys, [(f"t{number}", (2,), 0, b"12345678") for number in range(9)])
    kept = int(whole.index(b"12345678") * cut)
    (tmp_path / "model.gguf").write_bytes(whole[:kept] + bytes(len(whole) - kept + 9000))
    with weightmap.open(tmp_path / "model.gguf", cache=False) as model:
        (found,) = [one for one in model.findings if one.severity == "error"]
        assert found.code == "zeroed"
        assert kept - 8 <= found.offset <= kept
        assert f"turns into zeros at byte {found.offset:,}: {place} " in found.message
        assert "empty_name" not in [one.code for one in model.findings]
