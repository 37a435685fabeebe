"""Of a set of files: which of them a finding is about."""

from __future__ import annotations

import json
import os

import pytest
from support.build import gguf, safetensors

import weightmap


def part(folder, number, *keys, tensor=None):
    said = [("split.no", "u16", number), ("split.count", "u16", 2), ("split.tensors.count", "i32", 2)]
    path = folder / f"m-0000{number + 1}-of-00002.gguf"
    path.write_bytes(gguf([*keys, *said], [(tensor or f"t{number}", (2,), 0, b"\0\0\x80\x3f" * 2)]))
    return path


@pytest.mark.parametrize("opened", [0, 1])
def test_a_key_is_that_of_the_part_which_has_it_whichever_was_opened(tmp_path, opened):
    first = part(tmp_path, 0, ("general.architecture", "str", "toy"), ("general.alignment", "u16", 32))
    second = part(tmp_path, 1, ("x.text", "str", b"\xff"), ("x.twice", "u8", 1), ("x.twice", "u8", 2), ("x\n", "u8", 1))
    found = weightmap.validate((first, second)[opened]).findings
    assert {one.key: os.path.basename(one.path) for one in found} == {
        "general.architecture": first.name,
        "general.alignment": first.name,
        "x.text": second.name,
        "x.twice": second.name,
        "x\n": second.name,
    }
    for one in found:
        content = (first if one.path == str(first) else second).read_bytes()
        if one.offset is not None:
            assert content[one.offset + 8 :].startswith(one.key.encode())
    assert all(second.name in one.message for one in found if one.path == str(second))


@pytest.mark.parametrize("opened", [0, 1])
def test_what_is_said_of_all_parts_names_none(tmp_path, opened):
    keys = ("general.architecture", "str", "llama"), ("llama.block_count", "u32", 1)
    paths = part(tmp_path, 0, *keys, tensor="output_norm.weight"), part(tmp_path, 1, tensor="blk.0.attn_norm.weight")
    [said] = [one.message for one in weightmap.validate(paths[opened]).findings if one.code == "missing_tensor"]
    assert said.split(" are not in ")[0].endswith("that the architecture llama has")
    assert "of-00002" not in said


def test_a_key_that_no_part_has_is_missed_in_the_first(tmp_path):
    first, second = part(tmp_path, 0), part(tmp_path, 1)
    [found] = weightmap.validate(second).findings
    assert (found.code, found.path) == ("missing_arch", str(first))


def test_an_entry_that_cannot_be_read_is_no_tensor_that_the_index_places_wrongly(tmp_path):
    header = json.dumps({"a": {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "1.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    (tmp_path / "2.safetensors").write_bytes(safetensors([("b", "F32", (1,), b"\0\0\x80\x3f")]))
    index = tmp_path / "model.safetensors.index.json"
    places = {"a": "1.safetensors", "b": "2.safetensors", "c": "1.safetensors"}
    index.write_text(json.dumps({"metadata": {"total_size": 8}, "weight_map": places}))
    found = weightmap.validate(index).findings
    assert [(one.code, one.tensor) for one in found] == [("bad_shape", "a"), ("index_mismatch", "c")]
