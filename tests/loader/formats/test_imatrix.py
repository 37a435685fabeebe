"""Importance matrices open as what they are, in both forms; a damaged one says where it breaks off."""

from __future__ import annotations

import random
import struct

import libgguf
import numpy as np
import pytest
from support.build import gguf
from support.imatrix import imatrix
from support.sources import MemorySource

import weightmap
from weightmap.cli import main
from weightmap.errors import WeightFileError
from weightmap.formats.imatrix import MOST_ENTRIES, parse
from weightmap.formats.sniff import sniff

ENTRIES = [("blk.0.attn_q.weight", 4, [8.0, 4.0, 2.0]), ("blk.0.ffn_up.weight", 2, [1.0, 0.5])]


def newer(**keys):
    metadata = [
        ("general.type", "str", "imatrix"),
        ("imatrix.datasets", "arr", ("str", ["wiki.txt"])),
        ("imatrix.chunk_count", "u32", 7),
        ("imatrix.chunk_size", "u32", 512),
    ]
    tensors = []
    for name, calls, values in ENTRIES:
        tensors.append((f"{name}.in_sum2", (1, len(values)), 0, np.array(values, "<f4").tobytes()))
        tensors.append((f"{name}.counts", (1, 1), 0, np.array([calls], "<f4").tobytes()))
    return gguf(metadata, tensors, **keys)


@pytest.fixture(params=["old", "new"])
def path(request, tmp_path):
    path = tmp_path / ("imatrix.dat" if request.param == "old" else "imatrix.gguf")
    path.write_bytes(imatrix(ENTRIES) if request.param == "old" else newer())
    return path


def test_both_forms_are_an_imatrix_and_silent(path):
    with weightmap.open(path) as model:
        assert model.format == "imatrix"
        assert model.status == "ok"
        assert model.findings == ()
        assert model.metadata["imatrix.chunk_count"] == 7
        for name, calls, values in ENTRIES:
            assert model.tensors[f"{name}.in_sum2"].array().reshape(-1).tolist() == values
            assert model.tensors[f"{name}.counts"].array().reshape(-1).tolist() == [calls]
        for tensor in model.tensors.values():
            tensor.check_values()
        assert model.status == "ok"


def test_the_mean_squares_are_those_that_a_quantizer_uses(path):
    expected = libgguf.load_imatrix(path)
    with weightmap.open(path) as model:
        for name, values in expected.items():
            sums, counts = (model.tensors[f"{name}.{part}"].array() for part in ("in_sum2", "counts"))
            assert (sums / counts).reshape(-1).tolist() == values.tolist()


def test_the_commands_work_on_it(path, capsys):
    assert main(["info", str(path)]) == 0
    assert "imatrix" in capsys.readouterr().out
    assert main(["validate", "--values", str(path)]) == 0
    assert main(["stats", str(path), "--tensor", "blk.0.attn_q.weight.in_sum2"]) == 0
    assert "blk.0.attn_q.weight.in_sum2" in capsys.readouterr().out


def test_where_things_lie():
    layout = parse(MemorySource(imatrix(ENTRIES)))
    sums, counts = layout.records[:2]
    assert (sums.offset, sums.nbytes, sums.shape, sums.type.name) == (4 + 4 + 19 + 8, 12, (3,), "F32")
    assert (counts.offset, counts.nbytes, counts.shape, counts.type.name) == (4 + 4 + 19, 4, (1,), "I32")
    assert dict(layout.metadata) == {"imatrix.chunk_count": 7, "imatrix.dataset": "wiki.txt"}


@pytest.mark.parametrize(("chunks", "dataset", "keys"), [(None, None, 0), (7, None, 1), (7, "", 2)])
def test_older_files_end_sooner(chunks, dataset, keys):
    layout = parse(MemorySource(imatrix(ENTRIES, chunks=chunks, dataset=dataset)))
    assert len(layout.metadata) == keys
    assert layout.problems == ()


def test_a_file_cut_in_an_entry_keeps_those_before(tmp_path):
    path = tmp_path / "cut.dat"
    whole = imatrix(ENTRIES, chunks=None, dataset=None)
    path.write_bytes(whole[:-2])
    with weightmap.open(path) as model:
        assert [*model.tensors] == ["blk.0.attn_q.weight.in_sum2", "blk.0.attn_q.weight.counts"]
        assert [found.code for found in model.findings] == ["truncated"]
        (found,) = model.findings
        assert found.tensor == "blk.0.ffn_up.weight"
        assert "the values of entry 2 of 2: 8 bytes were expected" in found.message
        assert model.tensors["blk.0.attn_q.weight.in_sum2"].array().tolist() == [8, 4, 2]


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (imatrix([*ENTRIES, ("x", 1, [])]), "bad_count", "The number of values of entry 3 of 3 is 0"),
        (imatrix([*ENTRIES, ("", 1, [1.0])]), "bad_count", "The length of the name of entry 3 of 3 is 0"),
        (imatrix(ENTRIES, count=3), "truncated", "entry 3 of 3"),
        (imatrix(ENTRIES) + b"\0", "trailing_bytes", "1 bytes after its last entry"),
        (imatrix([*ENTRIES, ("n" * 70_000, 1, [1.0])]), "bad_length", "70,000"),
        (imatrix(ENTRIES, count=MOST_ENTRIES + 1), "bad_count", "1,048,577; 1 to 1,048,576"),
    ],
)
def test_what_is_wrong_is_said_once(data, code, words):
    layout = parse(MemorySource(data))
    assert [problem.code for problem in layout.problems] == [code]
    assert words in layout.problems[0].message


@pytest.mark.parametrize(
    "data",
    [
        imatrix([]),
        imatrix([("x y", 1, [1.0])]),
        imatrix([("x", -1, [1.0])]),
        imatrix([("x", 1, [])]),
        imatrix([("x" * 300, 1, [1.0])]),
        imatrix(ENTRIES, count=MOST_ENTRIES + 1),
        struct.pack("<ii", 1, 1) + b"x" + struct.pack("<ii", 1, 1000),
        imatrix([("x", 1, [1.0])])[:16],
    ],
)
def test_what_is_no_imatrix(data):
    with pytest.raises(WeightFileError) as caught:
        sniff(MemorySource(data, "imatrix.dat"))
    assert caught.value.code in ("unknown_format", "truncated")


def test_a_wrong_ending_is_said(tmp_path):
    path = tmp_path / "imatrix.gguf"
    path.write_bytes(imatrix(ENTRIES))
    with weightmap.open(path) as model:
        assert [found.code for found in model.findings] == ["extension_mismatch"]


def test_no_mutant_breaks_out(tmp_path):
    chance = random.Random(4)
    whole = imatrix(ENTRIES)
    for _ in range(1500):
        data = bytearray(whole[: chance.choice((len(whole), chance.randrange(len(whole))))])
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(max(len(data) - 4, 1))
            data[at : at + 4] = struct.pack("<i", chance.choice((0, 1, -1, 255, 1 << 16, 2**31 - 1, -(2**31))))
        source = MemorySource(bytes(data))
        try:
            layout = parse(source)
        except WeightFileError:
            continue
        assert all(record.offset + record.nbytes <= source.size for record in layout.records)
