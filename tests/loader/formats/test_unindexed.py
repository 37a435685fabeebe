"""Numbered parts of a safetensors model in a folder that lacks their index."""

from __future__ import annotations

import json
import os

import pytest
from support.build import safetensors
from support.sets import opened, said, shards

import weightmap
from weightmap.errors import MissingFileError, SeveralModelsError
from weightmap.formats.part_names import INDEX_NAME, others_beside, unindexed
from weightmap.formats.sets import find_models


def parts(folder, numbers, count, prefix="model"):
    for number in numbers:
        path = folder / f"{prefix}-{number:05d}-of-{count:05d}.safetensors"
        path.write_bytes(safetensors([(f"{prefix}.{number}", "F32", (2,), b"\0\0\x80\x3f" * 2)]))


def test_parts_without_their_index_are_one_model(tmp_path):
    parts(tmp_path, (1, 2, 3), 3)
    index = tmp_path / "model.safetensors.index.json"
    assert list(find_models(tmp_path)) == [str(index)]
    layout = opened(index)
    assert [record.name for record in layout.records] == ["model.1", "model.2", "model.3"]
    assert said(layout) == [("missing_index", "warning", index.name)]
    assert said(opened(tmp_path)) == [("missing_index", "warning", index.name), ("directory", "info", index.name)]
    with weightmap.open(tmp_path) as model:
        assert model.status == "warning"
        assert "transformers" in model.findings[0].advice
        assert model.reload().tensors["model.3"].array().tolist() == [1, 1]
    assert list(weightmap.load_weights(tmp_path)) == ["model.1", "model.2", "model.3"]


def test_an_index_that_is_there_is_read(tmp_path):
    parts(tmp_path, (1, 2), 2)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {f"model.{n}": f"model-{n:05d}-of-00002.safetensors" for n in (1, 2)}}))
    assert said(opened(index)) == []
    index.write_text("{")
    with pytest.raises(weightmap.CorruptWeightError):
        opened(index)


def test_parts_that_are_not_there_are_named(tmp_path):
    parts(tmp_path, (1, 5), 9)
    layout = opened(tmp_path)
    missing = [one for one in layout.problems if one.code == "missing_shard"]
    assert missing[0].message == "The part model-00002-of-00009.safetensors is not there."
    assert missing[-1].message == "2 more parts are not there, model-00008-of-00009.safetensors first."
    with pytest.raises(MissingFileError):
        weightmap.load_weights(tmp_path)


def test_a_link_that_leads_nowhere_is_a_missing_part(tmp_path):
    parts(tmp_path, (1,), 2)
    (tmp_path / "model-00002-of-00002.safetensors").symlink_to("blob")
    assert said(opened(tmp_path))[1] == ("missing_shard", "error", "model-00002-of-00002.safetensors")


def test_many_parts_that_are_broken_take_few_lines(tmp_path):
    for number in range(1, 101):
        (tmp_path / f"model-{number:05d}-of-00100.safetensors").write_bytes(b"Error")
    found = said(opened(tmp_path))
    assert [code for code, *_ in found] == ["missing_index"] + ["truncated"] * 20 + ["directory"]


def test_names_are_shown_as_what_they_are(tmp_path):
    parts(tmp_path, (1, 2), 2, "m\u202e")
    assert "m\\u202e.safetensors.index.json" in opened(tmp_path).problems[-1].message
    parts(tmp_path, (1, 2), 2, "n")
    with pytest.raises(SeveralModelsError, match=r"m\\u202e\.safetensors"):
        opened(tmp_path)


def test_a_part_that_is_no_model_is_said_beside_the_others(tmp_path):
    parts(tmp_path, (1, 2), 2)
    (tmp_path / "model-00002-of-00002.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\nsize 5\n")
    layout = opened(tmp_path)
    assert [record.name for record in layout.records] == ["model.1"]
    assert ("lfs_pointer", "error", "model-00002-of-00002.safetensors") in said(layout)


def test_families_stay_apart_and_what_is_alone_stands_for_itself(tmp_path):
    parts(tmp_path, (1, 2), 2, "a")
    parts(tmp_path, (1, 2), 2, "b")
    parts(tmp_path, (1,), 2, "lone")
    parts(tmp_path, (1, 2), 2, "two")
    parts(tmp_path, (1,), 3, "two")
    with pytest.raises(SeveralModelsError) as several:
        opened(tmp_path)
    assert [os.path.basename(path) for path in several.value.choices] == [
        "a.safetensors.index.json",
        "b.safetensors.index.json",
        "lone-00001-of-00002.safetensors",
        "two.safetensors.index.json",
        "two-00001-of-00003.safetensors",
    ]


def test_two_sets_under_one_prefix_are_two_models(tmp_path):
    parts(tmp_path, (1, 2), 2)
    parts(tmp_path, (1, 3), 3)
    two, three = (tmp_path / f"model-of-0000{count}.safetensors.index.json" for count in (2, 3))
    assert list(find_models(tmp_path)) == [str(two), str(three)]
    layout = opened(two)
    assert ([record.name for record in layout.records], len(layout.parts)) == (["model.1", "model.2"], 2)
    [note] = layout.problems
    assert (note.code, note.expected) == ("missing_index", "model.safetensors.index.json")
    assert note.message.startswith("No index names these 2 parts: ")
    assert opened(three).problems[0].message.startswith("No index names these 2 of 3 parts: ")
    assert said(opened(three)) == [
        ("missing_index", "warning", three.name),
        ("missing_shard", "error", "model-00002-of-00003.safetensors"),
    ]
    with pytest.raises(MissingFileError):
        opened(tmp_path / "model.safetensors.index.json")


def test_a_set_left_behind_by_another_with_an_index_is_a_model(tmp_path):
    index = shards(tmp_path, {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"})
    parts(tmp_path, (1, 2, 3), 3)
    left = tmp_path / "model-of-00003.safetensors.index.json"
    assert sorted(find_models(tmp_path)) == [str(left), str(index)]
    assert len(opened(left).records) == 3


def test_a_set_beside_the_index_of_one_that_is_gone_is_a_model(tmp_path):
    parts(tmp_path, (1, 2), 2)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"model.1": "model-00001-of-00003.safetensors"}}))
    own = tmp_path / "model-of-00002.safetensors.index.json"
    assert list(find_models(tmp_path)) == [str(own), str(index)]
    assert [record.name for record in opened(own).records] == ["model.1", "model.2"]
    index.write_text("{")  # it may be theirs
    alone = [str(tmp_path / f"model-{n:05d}-of-00002.safetensors") for n in (1, 2)]
    assert list(find_models(tmp_path)) == [*alone, str(index)]


def test_others_lie_beside_a_part_where_no_index_does(tmp_path):
    parts(tmp_path, (1, 2), 2)
    part = str(tmp_path / "model-00001-of-00002.safetensors")
    assert others_beside(part)
    (tmp_path / "model.safetensors.index.json").touch()
    assert not others_beside(part)
    parts(tmp_path, (1,), 2, "alone")
    assert not others_beside(str(tmp_path / "alone-00001-of-00002.safetensors"))


def test_parts_of_which_an_index_names_some_stand_for_themselves(tmp_path):
    named = {"a": "model-00001-of-00004.safetensors", "b": "model-00002-of-00004.safetensors"}
    index = shards(tmp_path, named).rename(tmp_path / "two.safetensors.index.json")
    parts(tmp_path, (3, 4), 4)
    left = [str(tmp_path / f"model-0000{number}-of-00004.safetensors") for number in (3, 4)]
    assert sorted(find_models(tmp_path)) == [*left, str(index)]


def test_endings_in_capitals_are_endings(tmp_path):
    for number in (1, 2):
        tensor = (f"t.{number}", "F32", (2,), b"\0\0\x80\x3f" * 2)
        (tmp_path / f"M-{number:05d}-of-00003.SAFETENSORS").write_bytes(safetensors([tensor]))
    index = tmp_path / "M.safetensors.index.json"
    assert list(find_models(tmp_path)) == [str(index)]
    assert said(opened(index))[1] == ("missing_shard", "error", "M-00003-of-00003.SAFETENSORS")
    [lone] = opened(tmp_path / "M-00001-of-00003.SAFETENSORS").problems
    assert lone.advice == "Open the folder for the whole model."


def test_a_part_opened_by_itself_stays_alone(tmp_path):
    parts(tmp_path, (1, 2), 2)
    layout = opened(tmp_path / "model-00002-of-00002.safetensors")
    assert [record.name for record in layout.records] == ["model.2"]
    [found] = layout.problems
    assert (found.code, found.advice) == ("lone_shard", "Open the folder for the whole model.")
    assert found.message == "This is part 2 of 2, opened without the others. Others lie beside it, without an index."


def test_an_index_that_is_there_goes_before_numbers(tmp_path):
    index = shards(tmp_path, {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"})
    assert list(find_models(tmp_path)) == [str(index)]
    index.write_text("{")
    assert len(list(find_models(tmp_path))) == 3
    with pytest.raises(MissingFileError):
        opened(tmp_path / "other.safetensors.index.json")


def test_numbers_beyond_the_count_and_other_endings_are_no_parts():
    names = ["m-00000-of-00002.safetensors", "m-00003-of-00002.safetensors", "m-00001-of-00002.safetensors"]
    assert unindexed(names) == {}
    assert unindexed(["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"]) == {}


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin.index.json", "tf_model.h5.index.json", "flax_model.msgpack.index.json"]
)
def test_the_index_of_other_weights_is_no_model_beside_safetensors(tmp_path, name):
    (tmp_path / "model.safetensors").write_bytes(safetensors([("w", "F32", (1,), b"\0\0\x80\x3f")]))
    (tmp_path / name).write_text('{"metadata": {}, "weight_map": {"w": "pytorch_model-00001-of-00002.bin"}}')
    assert list(find_models(tmp_path)) == [str(tmp_path / "model.safetensors")]
    assert not INDEX_NAME.search(name)
    assert INDEX_NAME.search("consolidated.index.json")
    assert INDEX_NAME.search("model.safetensors.index.fp16.json")
