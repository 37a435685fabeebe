"""Holes of a file that tensors lie in: told without a look at values, but for zeros that good files have."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.holes import PAGE, pages_of_zeros

import weightmap
from weightmap.source.file import FileSource

ROWS = np.random.default_rng(5).normal(0, 0.02, (256, 128)).astype("<f4")  # 128 KiB
NAMES = [f"blk.{n}.ffn_up.weight" for n in range(4)]


def dug(path, tensors, *pieces, kind=0):
    """A file in which pieces, (name, first page, pages of the tensor's bytes) were never written."""
    metadata = [("general.architecture", "str", "llama"), ("general.alignment", "u32", PAGE)]
    data = gguf(metadata, [(name, array.shape, kind, array.tobytes()) for name, array in tensors], alignment=PAGE)
    path.write_bytes(data)
    with weightmap.open(path) as model:
        offsets = {name: model.tensors[name].offset for name, _ in tensors}
    begins = [(offsets[name] + first * PAGE, offsets[name] + (first + pages) * PAGE) for name, first, pages in pieces]
    path.unlink()
    with open(path, "wb") as file:
        at = 0
        for begin, end in sorted(begins):
            file.write(data[at:begin])
            file.seek(end)
            at = end
        file.write(data[at:])
        file.truncate(len(data))
    return offsets


@pytest.fixture
def path(tmp_path, monkeypatch):
    pages_of_zeros(monkeypatch)
    return tmp_path / "model.gguf"


def told(path):
    return [one for one in weightmap.validate(path).findings if one.severity != "info"]


def test_a_piece_that_never_arrived(path):
    offsets = dug(path, [(name, ROWS) for name in NAMES], (NAMES[1], 3, 20), (NAMES[2], 0, 5))
    [one] = told(path)
    assert (one.code, one.tensor, one.offset) == ("zeroed_stretch", NAMES[1], offsets[NAMES[1]] + 3 * PAGE)
    assert f"{25 * PAGE:,} bytes of 2 tensors were never written" in one.message
    assert one.found == f"{25 * PAGE:,} bytes in holes"


@pytest.mark.parametrize(
    ("first", "pages"),
    [((1, 3, 20), (2, 0, 5)), ((1, 0, 64), (3, 4, 4)), ((2, 8, 56), (0, 2, 3)), ((1, 3, 20), (3, 0, 32))],
)
def test_a_look_at_values_says_no_more_of_it(path, first, pages):
    dug(path, [(name, ROWS) for name in NAMES], *((NAMES[n], *piece) for n, *piece in (first, pages)))
    looked = [one for one in weightmap.validate(path, values=True).findings if one.severity != "info"]
    assert looked == told(path) and len(looked) == 1


@pytest.mark.parametrize(("pages", "many"), [(15, 0), (16, 1)])
def test_a_piece_is_worth_a_word_from_64_kib_on(path, pages, many):
    dug(path, [(name, ROWS) for name in NAMES], (NAMES[1], 3, pages))
    assert len(told(path)) == many


def test_one_tensor_that_never_arrived_behind_the_end_of_another(path):
    offsets = dug(path, [(name, ROWS) for name in NAMES], (NAMES[0], 26, 38))
    [one] = told(path)
    assert (one.tensor, one.offset) == (NAMES[0], offsets[NAMES[0]] + 26 * PAGE)
    assert f"{38 * PAGE:,} bytes of 2 tensors were never written" in one.message


def test_pieces_of_biases_and_of_integers_may_be_zero(path):
    dug(
        path,
        [(NAMES[0], ROWS), ("blk.0.attn_q.bias", ROWS.reshape(-1)), (NAMES[1], ROWS)],
        ("blk.0.attn_q.bias", 3, 20),
    )
    assert told(path) == []
    i32 = 26
    dug(path, [(name, ROWS.view("<i4")) for name in NAMES], (NAMES[1], 3, 20), kind=i32)
    assert told(path) == []


def test_zeros_and_nan_elsewhere_are_told_beside_it(path):
    odd = ROWS.copy()
    odd[0, 0] = np.nan
    tensors = [(NAMES[0], odd), *((name, ROWS) for name in NAMES[1:])]
    dug(path, tensors, (NAMES[1], 3, 20))
    looked = [one.code for one in weightmap.validate(path, values=True).findings if one.severity != "info"]
    assert looked == ["zeroed_stretch", "non_finite"]


def test_tensors_that_never_arrived(path):
    offsets = dug(path, [(name, ROWS) for name in NAMES], (NAMES[1], 0, 64))
    [one] = told(path)
    assert (one.tensor, one.offset) == (NAMES[1], offsets[NAMES[1]])
    assert f"{64 * PAGE:,} bytes of 2 tensors were never written" in one.message


def test_a_tensor_in_a_hole_of_its_own_is_named_beside_another(path):
    offsets = dug(path, [(name, ROWS) for name in NAMES], (NAMES[0], 0, 32), (NAMES[2], 3, 20))
    [one] = told(path)
    assert (one.tensor, one.offset) == (NAMES[0], offsets[NAMES[0]])
    assert f"{52 * PAGE:,} bytes of 2 tensors were never written" in one.message
    assert [found.message for found in weightmap.validate(path, values=True).findings if found.severity != "info"] == [
        one.message
    ]


def test_two_tensors_of_zeros_may_be_left_out_of_a_copy_each(path):
    dug(path, [(name, ROWS) for name in NAMES], (NAMES[0], 0, 32), (NAMES[2], 0, 32))
    assert told(path) == []
    looked = [one for one in weightmap.validate(path, values=True).findings if one.severity != "info"]
    assert [(one.code, one.tensor) for one in looked] == [("all_zero", NAMES[0]), ("all_zero", NAMES[2])]


def test_zeros_by_nature_in_a_hole_of_their_own_are_no_part_of_it(path):
    bias = "blk.9.attn_q.bias"
    dug(path, [*((name, ROWS) for name in NAMES), (bias, np.zeros(32768, "<f4"))], (bias, 0, 32), (NAMES[1], 3, 20))
    [one] = told(path)
    assert f"{20 * PAGE:,} bytes of 1 tensor were never written" in one.message


def test_a_file_that_ends_in_a_hole_says_so_once(path):
    dug(path, [(name, ROWS) for name in NAMES], (NAMES[2], 8, 56))
    [one] = told(path)
    assert f"{56 * PAGE:,} bytes of 2 tensors were never written" in one.message


@pytest.mark.parametrize(
    ("name", "first", "pages"),
    [
        ("blk.0.ffn_up.weight", 0, 32),  # one tensor of zeros
        ("token_embd.weight", 16, 16),  # rows of tokens that nothing uses
        ("blk.0.ffn_up.weight", 2, 10),  # few bytes
    ],
)
def test_zeros_that_a_copy_left_out(path, name, first, pages):
    dug(path, [("a.weight", ROWS), (name, ROWS), ("z.weight", ROWS)], (name, first, pages))
    assert told(path) == []


@pytest.mark.parametrize("edge", [0, 1])
def test_a_tensor_of_zeros_ends_within_blocks_that_a_copy_keeps(path, edge):
    nothing = np.zeros(1 << 17, np.uint8)
    nothing[0] = edge  # else it is no tensor of zeros, and the hole in it a loss
    parts = [("a.weight", ROWS.tobytes()[:5000]), ("b.weight", nothing.tobytes()), ("c.weight", ROWS.tobytes()[:5000])]
    data = safetensors([(name, "F16", (len(part) // 2,), part) for name, part in parts])
    begin = len(data) - 5000 - len(nothing)
    first, last = -(-begin // PAGE) * PAGE, (len(data) - 5000) // PAGE * PAGE
    path = path.with_name("model.safetensors")
    with open(path, "wb") as file:
        file.write(data[:first])
        file.seek(last)
        file.write(data[last:])
    with closing(FileSource(path)) as source:
        assert source.holes(0, len(data)) == [(first, last)] and begin < first
    assert [one.tensor for one in told(path)] == (["b.weight"] if edge else [])


def test_what_reads_as_no_zeros_is_no_hole(path, monkeypatch):
    dug(path, [(name, ROWS) for name in NAMES])
    monkeypatch.setattr(FileSource, "holes", lambda self, start, stop: [(start, stop)])
    assert told(path) == []
    dug(path, [(NAMES[0], np.zeros_like(ROWS)), *((name, ROWS) for name in NAMES[1:])])
    assert told(path) == []  # it begins with zeros, and ends with others
