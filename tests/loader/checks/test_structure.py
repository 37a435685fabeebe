"""Single tensors: what makes one unreadable, and how little is said about many of them."""

from __future__ import annotations

import json
import struct

import pytest
from support.build import gguf, safetensors
from support.sources import MemorySource

import weightmap
from weightmap import wording
from weightmap.checks import structure
from weightmap.checks.extent import unreadable
from weightmap.checks.structure import suspects
from weightmap.findings import MANY
from weightmap.formats import gguf as gguf_format
from weightmap.formats import safetensors as safetensors_format

KEYS = [("general.architecture", "str", "llama")]


def check(layout):
    return structure.check(layout, suspects(layout))


def gguf_layout(tensors, cut=None, **options):
    return gguf_format.parse(MemorySource(gguf(KEYS, tensors, **options)[:cut]))


def safetensors_layout(data):
    return safetensors_format.parse(MemorySource(data, "x.safetensors"))


def said(findings):
    return [(one.code, str(one.severity), one.tensor) for one in findings]


def f32(name, count):
    return (name, (count,), 0, b"\0" * (4 * count))


def test_sound_tensors_are_no_suspects():
    layout = gguf_layout([f32("a", 3), ("q", (2, 64), 8, b"\0" * 136), ("s", (), 0, b"\0" * 4)])
    assert suspects(layout) == []
    assert check(layout) == []
    assert [unreadable(layout, record) for record in layout.records] == [None] * 3


def test_one_suspect_among_many_of_its_kind():
    many = [f32(f"a{i}", 8) for i in range(40)]
    whole, cut = gguf_layout(many), gguf_layout(many, cut=-4)
    assert whole.columns.names == tuple(f"a{i}" for i in range(40))
    assert suspects(whole) == []
    assert suspects(cut) == [cut.records[-1]]
    entries = [(f"a{i}", "F32", (8,), b"\0" * 32) for i in range(40)]
    layout = safetensors_layout(safetensors([*entries, ("b", "F32", (8,), b"\0" * 24)]))
    assert suspects(layout) == [layout.records[-1]]


def test_an_empty_tensor_is_readable_wherever_it_lies():
    layout = gguf_layout([f32("a", 1), ("empty", (0, 32), 8, b"")], final_padding=False)
    assert layout.records[1].nbytes == 0
    assert check(layout) == []


def test_a_truncated_file_names_the_cut_tensor_and_counts_the_rest():
    tensors = [f32(f"t{i}", 64) for i in range(200)]
    whole = gguf_layout(tensors)
    cut = whole.records[50].offset + 100
    found = check(gguf_layout(tensors, cut))
    assert said(found) == [("truncated", "error", "t50"), ("truncated", "error", None)]
    first, rest = found
    assert f"{whole.records[50].offset + 256:,}" in first.message
    assert f"{cut:,}" in first.message
    assert "156 bytes are missing" in first.message
    assert "150 of 200 tensors are affected" in first.message
    assert "149 more tensors, from t51 on" in rest.message
    assert rest.expected == f"a file of {whole.records[-1].offset + 256:,} bytes"


def test_a_wrong_offset_is_not_a_truncation():
    layout = gguf_layout([f32("a", 8), f32("b", 8), f32("c", 8)], offsets=[0, 4096, 64])
    (found,) = check(layout)
    assert (found.code, found.tensor) == ("out_of_bounds", "b")
    assert "4,096" in found.message
    assert f"{layout.parts[0].size:,}" in found.message
    wrapped = gguf_layout([f32("a", 8), f32("b", 8)], offsets=[0, (1 << 64) - 32])
    assert said(check(wrapped)) == [("out_of_bounds", "error", "b")]
    assert "18,446,744,073,709,551,584" in check(wrapped)[0].message


@pytest.mark.parametrize(
    "shape",
    [(1 << 32, 1 << 32), ((1 << 63) + 1,), (1 << 40, 1 << 40, 0), (0, 1 << 40, 1 << 40), (1 << 62, 2)],
)
def test_shapes_that_overflow(shape):
    layout = gguf_layout([f32("ok", 8), ("evil", shape, 0, b"")])
    assert said(check(layout)) == [("size_overflow", "error", "evil")]
    assert wording.shape(shape) in check(layout)[0].message  # as everywhere: 4,294,967,296 × 4,294,967,296
    assert unreadable(layout, layout.records[0]) is None


def test_rows_that_are_no_whole_number_of_blocks():
    layout = gguf_layout([("bad", (4, 896), 12, b"\0" * 2016), f32("ok", 8)])
    (found,) = check(layout)
    assert (found.code, found.tensor, found.expected, found.found) == (
        "block_misfit",
        "bad",
        "a multiple of 256",
        "896",
    )


def test_unknown_types_are_said_of_each_tensor():
    layout = gguf_layout([("x", (32,), 200, b"\0" * 64), f32("ok", 8), ("y", (32,), 4, b"\0" * 64)])
    found = check(layout)
    assert said(found) == [("unsupported_type", "error", "x"), ("unsupported_type", "error", "y")]
    assert "200" in found[0].message
    assert "Q4_2" in found[1].message


def test_findings_of_one_kind_are_counted_where_there_are_many():
    found = check(gguf_layout([(f"x{i}", (32,), 200, b"\0" * 32) for i in range(MANY + 30)]))
    assert len(found) == MANY
    assert found[-1].message.endswith("30 more are like this.")


def test_tensors_without_a_place_are_unreadable_for_the_header_s_reason():
    layout = gguf_format.parse(MemorySource(gguf([("general.alignment", "u32", 33)], [f32("a", 8)])))
    problem = unreadable(layout, layout.records[0])
    assert (problem.code, problem.tensor, problem.key) == ("bad_alignment", "a", "general.alignment")
    assert said(check(layout)) == []


@pytest.mark.parametrize(
    ("dtype", "shape", "nbytes", "code"),
    [
        ("F32", (1000, 1000), 4, "size_mismatch"),
        ("F32", (2,), 16, "size_mismatch"),
        ("F4", (3,), 2, "size_mismatch"),
        ("F4", (2, 3), 3, None),
        ("F6_E2M3", (4,), 3, None),
        ("F6_E2M3", (3,), 3, "size_mismatch"),
        ("F32", (0, 5), 0, None),
        ("F32", (1 << 32, 1 << 32), 4, "size_overflow"),
        ("NEW", (2,), 8, "unsupported_dtype"),
    ],
)
def test_safetensors_extents_against_shapes(dtype, shape, nbytes, code):
    layout = safetensors_layout(safetensors([("t", dtype, shape, b"\0" * nbytes)]))
    assert said(check(layout)) == ([] if code is None else [(code, "error", "t")])
    if code == "size_mismatch":
        assert (
            f"({dtype}, {wording.shape(shape)})" in check(layout)[0].message
            or "whole number" in check(layout)[0].message
        )


def test_a_safetensors_file_without_its_data():
    data = safetensors([("b", "F32", (8,), b"\0" * 32), ("a", "F32", (8,), b"\0" * 32)])
    found = check(safetensors_layout(data[:-64]))
    assert said(found) == [("truncated", "error", "b"), ("truncated", "error", None)]
    assert "64 bytes are missing altogether" in found[1].message


def test_five_dimensions_and_none_at_all():
    found = check(gguf_layout([("conv", (1, 1, 1, 1, 2), 0, b"\0" * 8)]))
    assert said(found) == [("too_many_dims", "warning", "conv")]
    assert said(check(gguf_layout([]))) == [("no_tensors", "info", None)]


def test_five_dimensions_are_nothing_special_in_safetensors():
    patches = [("visual.patch_embed.proj.weight", "BF16", (2, 3, 2, 1, 1), b"\0" * 24)]
    assert check(safetensors_layout(safetensors(patches))) == []
    many = [("x", "U8", (1,) * 33, b"\0")]
    assert said(check(safetensors_layout(safetensors(many)))) == [("too_many_dims", "error", "x")]


def test_an_alignment_that_moves_all_data_past_the_end_is_one_cause(tmp_path):
    keys = [("general.architecture", "str", "none"), ("general.alignment", "u32", 1 << 30)]
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(keys, [(name, (8,), 0, b"\0" * 32) for name in "abcdefgh"], alignment=32))
    with weightmap.open(path) as model:
        found = [one for one in model.findings if one.severity == "error"]
    assert [(one.code, one.tensor, one.key) for one in found] == [
        ("truncated", "a", "general.alignment"),
        ("truncated", None, None),
    ]
    assert "By general.alignment, 1,073,741,824, the data begin at byte 1,073,741,824." in found[0].message


def test_a_table_that_cannot_be_read_on_is_not_judged_by_the_architecture(tmp_path):
    keys = [
        ("general.architecture", "str", "llama"),
        ("llama.embedding_length", "u32", 8),
        ("llama.block_count", "u32", 1),
    ]
    names = ["token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight"]
    data = bytearray(gguf(keys, [(name, (8,), 0, b"\xff" * 96) for name in names]))
    data[data.index(names[0].encode()) + len(names[0])] = 17  # dimensions
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with weightmap.open(path) as model:
        assert {one.code for one in model.findings} == {"bad_length", "too_many_dims"}


def test_bits_per_weight_are_those_of_the_type_where_the_size_does_not_fit(tmp_path):
    header = {
        "w": {"dtype": "F16", "shape": [4], "data_offsets": [0, 4]},
        "x": {"dtype": "F9", "shape": [4], "data_offsets": [4, 8]},
    }
    text = json.dumps(header).encode()
    path = tmp_path / "m.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"\0" * 8)
    with weightmap.open(path) as model:
        assert [tensor.bits_per_weight for tensor in model.records] == [16, 8]
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(tensors=[("w", (2, 33), 8, b"\1" * 136)]))
    with weightmap.open(path) as model:
        assert model.records[0].status == "error"
        assert model.records[0].bits_per_weight == 8.5


@pytest.mark.parametrize(("apart", "code"), [(None, "zeroed"), (240, "bad_length")])
def test_names_read_from_a_table_that_makes_no_sense_are_not_judged(tmp_path, apart, code):
    tensors = [(f"blk.{n}.w", (8,), 0, b"\xff" * 32) for n in range(300)]
    data = bytearray(gguf(KEYS, tensors))
    data[4096:8192] = bytes(4096)  # a lost page, which could be read as a hundred tensors without a name
    for at in range(4096 + 240, 8192, apart) if apart else ():
        data[at] = 1
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with weightmap.open(path) as model:
        assert [one.code for one in model.findings if one.severity != "info"] == [code]
