"""How tensors lie beside each other."""

from __future__ import annotations

import json
import struct

import pytest
from support.build import gguf, safetensors
from support.sources import MemorySource

from weightmap.checks import check as validated
from weightmap.checks import padding, placement
from weightmap.checks.spans import spans
from weightmap.checks.structure import suspects
from weightmap.formats import gguf as gguf_format
from weightmap.formats import safetensors as safetensors_format

KEYS = [("general.architecture", "str", "llama")]


def of_gguf(tensors, *, extra=b"", room=0, **options):
    data = gguf(KEYS, tensors, **options)
    return gguf_format.parse(MemorySource(data + b"\0" * room + extra))


def of_safetensors(entries, size):
    header = {name: {"dtype": "U8", "shape": [b - a], "data_offsets": [a, b]} for name, a, b in entries}
    text = json.dumps(header).encode()
    return safetensors_format.parse(MemorySource(struct.pack("<Q", len(text)) + text + b"\0" * size))


def check(layout):
    return placement.check(layout, spans(layout, suspects(layout)))


def padded(layout, sources):
    return padding.check(layout, spans(layout, suspects(layout)), sources)


def said(layout):
    return [(one.code, str(one.severity), one.tensor) for one in check(layout)]


def f32(name, count=8):
    return (name, (count,), 0, b"\0" * (4 * count))


def test_a_file_as_writers_make_it_is_silent():
    assert said(of_gguf([f32("a", 3), f32("b", 9), f32("empty", 0), f32("c")])) == []
    assert said(of_gguf([f32("a", 3), f32("b", 9)], final_padding=False)) == []
    assert said(of_safetensors([("b", 3, 7), ("a", 0, 3), ("z", 3, 3)], 7)) == []


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ([0, 96], [("gap", "warning", "b")]),
        ([32, 64], [("gap", "warning", "a")]),
        ([0, 16], [("unaligned_offset", "warning", "b"), ("overlap", "error", "b")]),
        ([0, 36], [("unaligned_offset", "warning", "b"), ("gap", "warning", "b")]),
        ([0, 0], [("overlap", "warning", "b")]),
        ([32, 0], [("tensor_order", "warning", "a")]),
    ],
)
def test_two_tensors_in_gguf(offsets, expected):
    layout = of_gguf([f32("a"), f32("b")], offsets=offsets, room=256)
    assert [one for one in said(layout) if one[0] != "trailing_bytes"] == expected


def test_an_entry_that_stands_twice_is_said_by_its_name_alone():
    tensor = ("a", (8,), 0, b"\0" * 32)
    assert said(of_gguf([tensor, tensor], offsets=[0, 0])) == [("trailing_bytes", "warning", None)]
    assert ("overlap", "warning", "b") in said(of_gguf([tensor, ("b", *tensor[1:])], offsets=[0, 0]))


def test_findings_give_offsets_in_the_data():
    (gap,) = (one for one in check(of_gguf([f32("a"), f32("b")], offsets=[0, 96], room=64)) if one.code == "gap")
    assert (gap.expected, gap.found) == ("32", "96")
    assert "64 bytes before it" in gap.message
    layout = of_gguf([f32("a", 16), f32("b")], offsets=[0, 32])
    overlap = next(one for one in check(layout) if one.code == "overlap")
    assert "a and b share bytes" in overlap.message
    assert overlap.offset == layout.parts[0].data_start + 32


def test_a_tensor_inside_a_longer_one_is_found_behind_others():
    layout = of_gguf([f32("big", 64), f32("b"), f32("c")], offsets=[0, 32, 64], room=128)
    assert [one for one in said(layout) if one[0] == "overlap"] == [
        ("overlap", "error", "b"),
        ("overlap", "error", "c"),
    ]
    assert "big and c" in check(layout)[1].message


def test_a_tensor_that_many_others_begin_in_is_the_one_that_is_wrong():
    names = [f32(name) for name in "bcde"]
    layout = of_gguf([f32("big", 64), *names], offsets=[0, 32, 64, 96, 128], room=128)
    [found] = [one for one in check(layout) if one.code == "overlap"]
    assert (found.severity, found.tensor, found.offset) == ("error", "big", layout.parts[0].data_start)
    assert "takes 256 bytes from offset 0 of the data" in found.message
    assert "and 4 tensors begin within them, b first at 32" in found.message
    assert (found.expected, found.found) == ("at most 32 bytes", "256 bytes")


def test_a_tensor_without_values_behind_one_that_is_cut_off_lies_where_it_should():
    layout = of_safetensors([("a", 0, 8), ("b", 8, 400), ("none", 400, 400)], 20)
    assert [one.code for one in check(layout)] == []


def test_safetensors_forbids_holes():
    assert said(of_safetensors([("a", 0, 16), ("b", 20, 36)], 36)) == [("gap", "error", "b")]
    assert said(of_safetensors([("a", 0, 16), ("b", 12, 28)], 28)) == [("overlap", "error", "b")]


def test_bytes_of_an_entry_that_cannot_be_used_are_not_blamed_on_others():
    sound = [of_safetensors([("a", 0, 16), ("b", 16, 20), ("c", 20, 36)], 36), of_safetensors([("b", 0, 4)], 4)]
    assert [said(one) for one in sound] == [[], []]
    for entries in ([("a", 0, 16), ("b", 20, 16), ("c", 20, 36)], [("a", 0, 16), ("b", 20, 16)], [("b", 20, 16)]):
        layout = of_safetensors(entries, 36)
        assert [one.code for one in validated(layout)] == ["bad_shape"]
    assert said(of_safetensors([("a", 0, 16), ("b", 20, 16), ("c", 12, 36)], 36)) == [("overlap", "error", "c")]


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, []), (8, []), (20, []), (4, ["gap"]), (21, ["gap"]), (999, ["gap"])]
)
def test_where_a_tensor_without_values_may_lie_in_safetensors(offset, expected):
    found = check(of_safetensors([("a", 0, 8), ("none", offset, offset), ("b", 8, 20)], 20))
    assert [one.code for one in found] == expected
    assert all(one.severity == "warning" and one.tensor == "none" for one in found)


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (of_gguf([f32("a", 1)], extra=b"\0" * 100), [("trailing_bytes", "warning", None)]),
        (of_gguf([]), []),
        (of_gguf([], extra=b"\0" * 40), [("trailing_bytes", "warning", None)]),
        (of_safetensors([("a", 0, 4)], 68), [("trailing_bytes", "warning", None)]),
        (of_safetensors([], 32), [("trailing_bytes", "error", None)]),
        (of_gguf([f32("a"), f32("b")], offsets=[0, 1 << 40], extra=b"\0" * 999), []),
    ],
    ids=range(6),
)
def test_bytes_behind_the_last_tensor(layout, expected):
    assert said(layout) == expected


def test_the_number_of_trailing_bytes():
    (found,) = check(of_gguf([f32("a")], extra=b"\0" * 100))
    assert "100 bytes" in found.message


def test_where_a_misfit_ends_is_not_guessed():
    tensors = [("bad", (2, 33), 8, b"\0" * 70), f32("b")]
    assert said(of_gguf(tensors)) == []


def test_each_part_keeps_its_own_alignment():
    layout = gguf_format.parse(
        MemorySource(gguf([("general.alignment", "u32", 8)], [f32("a", 1), f32("b", 1)], alignment=8))
    )
    assert [record.offset - layout.parts[0].data_start for record in layout.records] == [0, 8]
    assert said(layout) == []


def test_padding_other_than_zero():
    data = bytearray(gguf(KEYS, [f32("a", 1), f32("b", 1), f32("c", 1)]))
    layout = gguf_format.parse(MemorySource(bytes(data)))
    assert padded(layout, [MemorySource(bytes(data))]) == []
    for record in layout.records[:2]:
        data[record.offset + 20] = 1
    (found,) = padded(layout, [MemorySource(bytes(data))])
    assert (found.code, str(found.severity)) == ("nonzero_padding", "info")
    assert "at 2 places" in found.message
    assert padded(layout, [None]) == []
    assert padded(safetensors_format.parse(MemorySource(safetensors([]))), [MemorySource(b"")]) == []


@pytest.mark.parametrize("count", [1, 3, 500])
@pytest.mark.parametrize("odd", [0, 1, 2, 499])
def test_one_odd_padding_among_many_that_are_read_together(count, odd):
    data = bytearray(gguf(KEYS, [(f"t{n}", (count,), 0, b"\1" * 4 * count) for n in range(500)]))
    layout = gguf_format.parse(MemorySource(bytes(data)))
    assert padded(layout, [MemorySource(bytes(data))]) == []
    place = layout.records[odd].offset + 4 * count
    data[place + 1] = 7
    source = MemorySource(bytes(data))
    (found,) = padded(gguf_format.parse(source), [source])
    assert (found.code, found.offset) == ("nonzero_padding", place)


def test_one_byte_is_one_byte_and_no_padding():
    layout = of_gguf([f32("a")], extra=b"\n")
    [found] = check(layout)
    assert found.message == "The file goes on for 1 byte after its last tensor."
    assert padded(layout, [MemorySource(gguf(KEYS, [f32("a")]) + b"\n")]) == []
    [found] = [one for one in check(of_gguf([f32("a"), f32("b")], offsets=[0, 33], room=32)) if one.code == "gap"]
    assert found.message.endswith("The 1 byte before it belongs to no tensor.")


def test_a_tensor_that_is_too_large_leaves_no_gap():
    whole = gguf(KEYS, [f32("a"), f32("b"), f32("c")])
    at = whole.index(struct.pack("<IQ", 1, 8), whole.index(b"b", whole.index(b"a", 60) + 1)) + 4
    layout = gguf_format.parse(MemorySource(whole[:at] + struct.pack("<Q", 1 << 30) + whole[at + 8 :]))
    assert [record.shape for record in layout.records] == [(8,), (1 << 30,), (8,)]
    assert check(layout) == []
    [found] = [one for one in validated(layout) if one.severity == "error"]
    assert (found.code, found.tensor) == ("out_of_bounds", "b")  # what lies behind it is there: the file was not cut


def test_a_tensor_larger_than_any_number_of_bytes_hides_no_other() -> None:
    data = b"\1" * 256
    layout = of_gguf([("a", (64,), 0, data), ("b", (1 << 62,), 0, data), ("c", (64,), 0, data)], offsets=[0, 256, 600])
    assert [(one.code, one.tensor) for one in check(layout)] == [("unaligned_offset", "c")]
