"""The four parts of a file: what a header that breaks off leaves unknown is neither whole nor empty."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors

from tensorloupe.items.bytemap import GAP, HEADER
from tensorloupe.items.summary import Summary, updated
from tensorloupe.opening.contents import read

TENSORS = [(name, (64,), 0, bytes(range(256))) for name in "abc"]
KEYS = [("general.architecture", "str", "none"), ("x.first", "u32", 7), ("x.last", "str", "kkkk")]


def shown(path: Path, data: bytes) -> tuple[Summary, list[int]]:
    path.write_bytes(data)
    contents = read(str(path), lambda done, total: True)
    try:
        findings = contents.model.findings
        return updated(contents.summary, contents.model, findings, "off"), contents.stretches.kind.tolist()
    finally:
        contents.close()


def parts(summary: Summary) -> list[tuple[str, str]]:
    return [(part.status, part.said) for part in summary.parts]


def test_metadata_that_break_off_leave_the_rest_unreached(tmp_path: Path) -> None:
    data = gguf(KEYS, TENSORS)
    at = data.index(b"x.last") + 6
    summary, kinds = shown(tmp_path / "m.gguf", data[:at] + struct.pack("<I", 77) + data[at + 4 :])
    header, *rest = parts(summary)
    assert header == ("ok", "GGUF v3, little-endian")
    assert rest == [("error", "2 keys, then it breaks off"), ("unchecked", "not reached"), ("unchecked", "not reached")]
    assert summary.nothing == "The header breaks off before its tensors."
    assert kinds == [HEADER, GAP]


def test_a_table_that_breaks_off_promises_no_size(tmp_path: Path) -> None:
    data = gguf(KEYS, TENSORS)
    summary, kinds = shown(tmp_path / "m.gguf", data[: data.index(struct.pack("<QcI", 1, b"c", 1)) + 4])
    assert parts(summary)[1:] == [
        ("info", "3 keys, all complete"),
        ("error", "2 entries, then it breaks off"),
        ("error", "not located"),
    ]
    assert summary.promised == summary.size and kinds == [HEADER]
    assert summary.trouble is not None and summary.trouble.sentence.startswith(
        "The file ends inside the name of tensor"
    )


def test_a_count_that_cannot_be_leaves_the_table_unreached(tmp_path: Path) -> None:
    data = gguf(KEYS, TENSORS)
    summary, _ = shown(tmp_path / "m.gguf", data[:8] + struct.pack("<Q", 2**40) + data[16:])
    assert [status for status, _ in parts(summary)] == ["error", "ok", "unchecked", "unchecked"]


@pytest.mark.parametrize("start", ["metadata", "data"])
def test_a_file_that_begins_anew_is_at_fault_where_it_does(tmp_path: Path, start: str) -> None:
    values = np.random.default_rng(1).normal(size=512).astype("<f4").tobytes()
    data = gguf(KEYS, [(name, (512,), 0, values) for name in "abc"])
    cut = data.index(b"x.last") + 14 if start == "metadata" else len(data) - 1000
    states = parts(shown(tmp_path / "m.gguf", data[:cut] + data)[0])
    faulty = [number for number, (status, _) in enumerate(states) if status == "error"]
    assert faulty == [1 if start == "metadata" else 3]


def test_weights_without_values_are_a_matter_of_the_data(tmp_path: Path) -> None:
    empty = [(f"model.layers.{n}.mlp.up_proj.weight", "F32", (0,), b"") for n in range(3)]
    data = safetensors([*empty, ("model.norm.weight", "F32", (8,), bytes(range(32)))])
    assert parts(shown(tmp_path / "m.safetensors", data)[0])[2:] == [
        ("ok", "4 entries, all complete"),
        ("warning", "32 B, 1 warning"),
    ]


def test_the_only_tensor_is_said_as_one(tmp_path: Path) -> None:
    trouble = shown(tmp_path / "m.gguf", gguf(KEYS, TENSORS[:1])[:-100])[0].trouble
    assert trouble is not None
    assert trouble.consequence == "0 of 1 tensor is whole and can be read. 1 is cut or missing."
