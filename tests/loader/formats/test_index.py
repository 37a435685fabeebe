"""An index and its shards: that they agree, that it never leads out of its folder, that a broken one is refused."""

from __future__ import annotations

import json
import os

import pytest
from support.build import gguf, safetensors
from support.sets import opened, said, shards

from weightmap.errors import CorruptWeightError
from weightmap.formats.sets import open_layout


def test_an_index_opens_its_shards(tmp_path):
    index = shards(tmp_path, {"a": "odd.safetensors", "b": "other.safetensors", "c": "odd.safetensors"})
    layout = opened(index)
    assert (layout.format, layout.path, layout.problems) == ("safetensors", str(index), ())
    assert [(r.name, os.path.basename(layout.parts[r.part].path)) for r in layout.records] == [
        ("a", "odd.safetensors"),
        ("c", "odd.safetensors"),
        ("b", "other.safetensors"),
    ]


def test_an_index_and_its_shards_disagree(tmp_path):
    index = shards(tmp_path, {"a": "1.safetensors", "b": "2.safetensors"})
    (tmp_path / "2.safetensors").write_bytes(safetensors([("z", "F32", (1,), b"\0" * 4)]))
    assert said(opened(index)) == [
        ("index_mismatch", "error", "2.safetensors"),
        ("index_mismatch", "warning", "2.safetensors"),
    ]
    (tmp_path / "2.safetensors").unlink()
    layout = opened(index)
    assert said(layout) == [("missing_shard", "error", "2.safetensors")]
    assert "1 of 2 tensors" in layout.problems[0].message
    index = shards(tmp_path, {"a": "1.safetensors"}, metadata={"total_size": 999})
    assert said(opened(index)) == [("index_mismatch", "warning", index.name)]
    index = shards(tmp_path, {"a": "1.safetensors"}, metadata={"total_size": 4.0})
    assert said(opened(index)) == []


@pytest.mark.parametrize(
    "file", ["../secret.safetensors", "/etc/passwd", "C:\\x", "sub\\..\\..\\x", "", ".", "a\0b", 3]
)
def test_an_index_never_leads_out_of_its_folder(tmp_path, file):
    (tmp_path / "secret.safetensors").write_bytes(safetensors([("s", "F32", (1,), b"\0" * 4)]))
    folder = tmp_path / "model"
    folder.mkdir()
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"s": file}}))
    with pytest.raises(CorruptWeightError) as caught:
        open_layout(str(index))
    assert caught.value.code == "index_mismatch"
    (folder / "own.safetensors").write_bytes(safetensors([("o", "F32", (1,), b"\0" * 4)]))
    index.write_text(json.dumps({"weight_map": {"s": file, "o": "own.safetensors"}}))
    layout = opened(index)
    assert said(layout) == [("index_mismatch", "error", index.name)]
    assert [record.name for record in layout.records] == ["o"]


@pytest.mark.parametrize(
    "text", ['{"weight_map": []}', '{"weight_map": {', '{"weight_map": {}}', '{"a": "weight_map", "weight_map": 3}']
)
def test_a_broken_index_is_refused(tmp_path, text):
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(text)
    with pytest.raises(CorruptWeightError) as caught:
        open_layout(str(index))
    assert caught.value.code == "bad_header"


def test_a_lone_shard_says_so(tmp_path):
    path = tmp_path / "model-00001-of-00002.safetensors"
    path.write_bytes(safetensors([("a", "F32", (1,), b"\0" * 4)]))
    assert said(opened(path)) == [("lone_shard", "info", path.name)]


def test_names_of_files_are_shown_as_what_they_are(tmp_path):
    index = shards(tmp_path, {"a": "1.safetensors"})
    index.write_text(json.dumps({"weight_map": {"a": "1.safetensors", "b": "x\u202e.safetensors"}}))
    [found] = opened(index).problems
    assert found.message == "x\\u202e.safetensors cannot be read: 1 of 2 tensors is out of reach."


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "empty_file"), (b"<html></html>", "html"), (gguf(), "shard_mismatch"), (b"\x90" + bytes(7), "truncated")],
)
def test_a_part_that_cannot_be_read_is_one_finding_with_what_is_lost(tmp_path, content, code):
    index = shards(tmp_path, {"a": "1.safetensors", "b": "2.safetensors", "c": "2.safetensors"})
    (tmp_path / "2.safetensors").write_bytes(content)
    layout = opened(index)
    assert said(layout) == [(code, "error", "2.safetensors")]
    assert layout.problems[0].message.endswith(" 2 of 3 tensors are out of reach.")
    assert (layout.absent, layout.partial) == (("b", "c"), True)
    (tmp_path / "1.safetensors").unlink()
    assert said(opened(index)) == [(code, "error", "2.safetensors"), ("missing_shard", "error", "1.safetensors")]
