"""Split GGUF: opened from any part, with parts missing, of other models, or under other names."""

from __future__ import annotations

import pytest
from support.build import gguf, safetensors
from support.sets import opened, part, said, split


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_split_opens_from_any_part(tmp_path, number):
    paths = split(tmp_path)
    layout = opened(paths[number])
    assert layout.path == str(paths[number])
    assert [p.path for p in layout.parts] == [str(path) for path in paths]
    assert [(r.name, r.part) for r in layout.records] == [("a", 0), ("b", 1), ("c", 1), ("d", 2)]
    assert layout.metadata["x.only"] == 1
    assert layout.metadata["split.no"] == 0
    assert layout.problems == ()


def test_a_missing_part_is_named_and_the_others_stay(tmp_path):
    paths = split(tmp_path)
    paths[1].unlink()
    layout = opened(paths[0])
    assert said(layout) == [("missing_shard", "error", paths[1].name)]
    assert "2 of 4 tensors" in layout.problems[0].message
    assert [(r.name, r.part) for r in layout.records] == [("a", 0), ("d", 2)]


def test_many_missing_parts_are_counted(tmp_path):
    path = tmp_path / "m-00001-of-40000.gguf"
    path.write_bytes(part(1, 40000, ["a"], 9))
    layout = opened(path)
    assert len(layout.problems) == 6
    assert "39,994 more parts" in layout.problems[-1].message


def test_parts_that_do_not_belong_together(tmp_path):
    paths = split(tmp_path, total=6)
    assert said(opened(paths[0])) == [("shard_mismatch", "error", paths[0].name)]
    paths = split(tmp_path)
    paths[2].write_bytes(part(3, 3, ["d"], 4, no=0))
    assert said(opened(paths[0])) == [("shard_mismatch", "error", paths[2].name)]
    paths[2].write_bytes(b"")
    assert said(opened(paths[0])) == [("empty_file", "error", paths[2].name)]
    paths[2].write_bytes(safetensors([]))
    assert said(opened(paths[0])) == [("shard_mismatch", "error", paths[2].name)]


def test_parts_of_different_models(tmp_path):
    paths = split(tmp_path)
    paths[2].write_bytes(part(3, 3, ["d"], 9))
    layout = opened(paths[0])
    assert said(layout) == [("shard_mismatch", "error", paths[2].name)]
    assert layout.problems[0].message.startswith(
        f"split.tensors.count is 9 in {paths[2].name} and 4 in {paths[0].name}"
    )


def test_names_that_contradict_the_metadata(tmp_path):
    renamed = tmp_path / "my-model.gguf"
    renamed.write_bytes(part(1, 2, ["a"], 2))
    assert said(opened(renamed)) == [("missing_shard", "error", "my-model.gguf")]
    whole = tmp_path / "m-00001-of-00013.gguf"
    whole.write_bytes(gguf())
    assert said(opened(whole)) == [("shard_mismatch", "warning", whole.name)]
    one = tmp_path / "m-00001-of-00001.gguf"
    one.write_bytes(gguf())
    assert said(opened(one)) == []
