"""The four parts of a file: what a header that breaks off leaves unknown is neither whole nor empty."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors

from tensorloupe.items import fileparts, roles
from tensorloupe.items.arrangement import SIZE
from tensorloupe.items.bytemap import HEADER, UNREAD
from tensorloupe.items.summary import Summary, updated
from tensorloupe.items.treecells import tensor_cell
from tensorloupe.items.types import TypesTable
from tensorloupe.items.wording import describe
from tensorloupe.opening.contents import read
from tensorloupe.views.facts import storage_section

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


def test_each_finding_is_placed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed = []
    place = fileparts._place
    monkeypatch.setattr(fileparts, "_place", lambda finding, broke: placed.append(finding) or place(finding, broke))
    tensors = [(f"t.{n}", (64,), 0, bytes(256)) for n in range(3)]
    path = tmp_path / "cut.gguf"
    path.write_bytes(gguf(KEYS, tensors)[:-300])
    contents = read(str(path), lambda done, total: True)
    try:
        findings = contents.model.findings
        assert findings and updated(contents.summary, contents.model, findings, "off").parts[-1].status == "error"
    finally:
        contents.close()
    assert sorted(map(id, placed)) == sorted(map(id, findings))


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
    assert kinds == [HEADER, UNREAD]


def test_a_table_that_breaks_off_promises_no_size(tmp_path: Path) -> None:
    data = gguf(KEYS, TENSORS)
    summary, kinds = shown(tmp_path / "m.gguf", data[: data.index(struct.pack("<QcI", 1, b"c", 1)) + 4])
    assert parts(summary)[1:] == [
        ("info", "3 keys, all complete"),
        ("error", "2 of 3 entries, then it breaks off"),
        ("error", "not located"),
    ]
    assert summary.promised == summary.size and kinds == [HEADER, UNREAD]
    assert (summary.counted, summary.totals.tensors, summary.totals.unlocated, summary.totals.share) == (3, 2, 2, 0)
    assert summary.trouble is not None and summary.trouble.sentence.startswith(
        "The file ends inside the name of tensor"
    )


def test_a_key_and_a_tensor_whose_names_are_cut_are_told_apart(tmp_path: Path) -> None:
    data = gguf(KEYS, TENSORS)
    key, tensor = data.index(b"x.last") + 3, data.index(struct.pack("<QcI", 1, b"a", 1)) + 4
    faulty = [[s for s, _ in parts(shown(tmp_path / "m.gguf", data[:at])[0])].index("error") for at in (key, tensor)]
    assert faulty == [1, 2]


@pytest.mark.parametrize("behind", [b"", b"\xff" * 4096], ids=["cut", "spoilt"])
def test_tensors_behind_a_header_that_breaks_off_are_nowhere(tmp_path: Path, behind: bytes) -> None:
    data = gguf(KEYS, TENSORS)
    path = tmp_path / "m.gguf"
    path.write_bytes(data[: data.index(struct.pack("<QcI", 1, b"c", 1)) + 4] + behind)
    contents = read(str(path), lambda done, total: True)
    try:
        outline, end = contents.outline, contents.model.parts[0].header_end
        assert outline.located.tolist() == [False, False] and outline.share.tolist() == [0, 0]
        assert tensor_cell(outline, 0, SIZE, 0, False, "error") == "not located"
        assert "bytes 1" not in describe(outline.tensors[0]) and "256 bytes" in describe(outline.tensors[0])
        (mark,) = contents.stretches.breaks
        assert (mark.byte, mark.position, mark.said) == (end, end, "the header breaks off here")
        assert next(one for one in contents.model.findings if one.severity == "error").offset == end
        facts = {row.label: row.value for row in storage_section(outline.tensors[0]).rows}
        assert facts["file offset"] == "not known" and facts["bytes"] == "256"
        table = TypesTable(None)
        table.show_rows(contents.summary.types)
        cells = [table.index(0, column).data() for column in range(6)]
        assert cells == ["F32", "2", "–", "–", "512 B", "not located"]
        assert table.index(0, 5).data(roles.SHARES) is None and not table.index(0, 3).data(roles.WRONG)
    finally:
        contents.close()


def test_a_count_that_cannot_be_leaves_the_table_unreached(tmp_path: Path) -> None:
    data = gguf(KEYS, TENSORS)
    summary, _ = shown(tmp_path / "m.gguf", data[:8] + struct.pack("<Q", 2**40) + data[16:])
    assert [status for status, _ in parts(summary)] == ["error", "ok", "unchecked", "unchecked"]


@pytest.mark.parametrize("start", ["metadata", "data"])
def test_a_file_that_begins_anew_is_at_fault_where_it_does(tmp_path: Path, start: str) -> None:
    values = np.random.default_rng(1).normal(size=512).astype("<f4").tobytes()
    data = gguf(KEYS, [(name, (512,), 0, values) for name in "abc"])
    cut = data.index(b"x.last") + 14 if start == "metadata" else len(data) - 1000
    summary, _ = shown(tmp_path / "m.gguf", data[:cut] + data)
    states = parts(summary)
    faulty = [number for number, (status, _) in enumerate(states) if status == "error"]
    assert faulty == [1 if start == "metadata" else 3] and summary.begins == ((0, cut),)


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
