"""Paths that stand for several files: folders, caches, sets of many parts; and the search for models below a folder."""

from __future__ import annotations

import json
import os

import pytest
from support.build import gguf, safetensors
from support.sets import opened, part, said, shards, split
from support.work import assert_linear

from weightmap.errors import Cancelled, SeveralModelsError, WeightFileError
from weightmap.formats.sets import find_models, open_layout


def test_ten_thousands_of_missing_parts_and_shards_are_told_at_once(tmp_path):
    def split_of(number):
        path = tmp_path / f"m-00001-of-{number:05}.gguf"
        path.write_bytes(part(1, number, ["a"], 9))
        return lambda: opened(path)

    def indexed(number):
        index = tmp_path / f"{number}.safetensors.index.json"
        index.write_text(json.dumps({"weight_map": {f"t{n}": f"{n}.safetensors" for n in range(number)}}))
        return lambda: opened(index)

    for made, number in ((split_of, 65535), (indexed, 20_000)):
        assert_linear(made, 1000)
        assert [code for code, *_ in said(made(number)())] == ["missing_shard"] * 6


def test_a_folder_stands_for_its_one_model(tmp_path):
    with pytest.raises(WeightFileError) as caught:
        open_layout(str(tmp_path))
    assert caught.value.code == "no_model_in_directory"
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "sub").mkdir()
    index = shards(tmp_path / "sub", {"a": "1.safetensors", "b": "2.safetensors"})
    layout = opened(tmp_path)
    assert (layout.path, said(layout)) == (str(index), [("directory", "info", index.name)])
    (tmp_path / "mmproj.gguf").write_bytes(gguf())
    with pytest.raises(SeveralModelsError) as several:
        open_layout(str(tmp_path))
    assert several.value.choices == (str(tmp_path / "mmproj.gguf"), str(index))


def test_finds_one_path_per_model(tmp_path):
    (tmp_path / "a").mkdir()
    first = split(tmp_path / "a")[0]
    (tmp_path / "a" / "lora.GGUF").write_bytes(gguf())
    index = shards(tmp_path, {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"})
    (tmp_path / "adapter_model.safetensors").write_bytes(safetensors([]))
    (tmp_path / "sha256-abc").write_bytes(gguf())
    (tmp_path / "README").write_text("text")
    (tmp_path / ".hidden.gguf").write_bytes(gguf())
    (tmp_path / "loop").symlink_to(tmp_path)
    found = [os.path.relpath(path, tmp_path) for path in find_models(tmp_path)]
    assert found == [
        "adapter_model.safetensors",
        index.name,
        "sha256-abc",
        os.path.join("a", "lora.GGUF"),
        os.path.join("a", first.name),
    ]
    assert list(find_models(str(index))) == [str(index)]


def test_a_hugging_face_cache_is_its_snapshot(tmp_path):
    blob, snapshot = tmp_path / "blobs" / "0123abcd", tmp_path / "snapshots" / "rev" / "model.gguf"
    blob.parent.mkdir()
    snapshot.parent.mkdir(parents=True)
    blob.write_bytes(gguf())
    snapshot.symlink_to("../../blobs/0123abcd")
    assert list(find_models(tmp_path)) == [str(snapshot)]
    assert opened(tmp_path).path == str(snapshot)


def test_a_search_can_be_stopped(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.gguf").write_bytes(gguf())
    calls = []
    with pytest.raises(Cancelled):
        list(find_models(tmp_path, progress=lambda done, total: calls.append((done, total)) or len(calls) < 2))
    assert calls == [(0, 0), (1, 0)]


def test_what_cannot_be_opened_leaves_nothing_open(tmp_path):
    path = tmp_path / "x.gguf"
    path.write_bytes(b"nothing")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        with pytest.raises(WeightFileError):
            open_layout(str(path))
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


def test_models_are_found_in_the_order_in_which_people_count(tmp_path):
    names = ["m-1.safetensors", "m-2.safetensors", "m-10.safetensors", "m-2b.gguf", "M-3.gguf"]
    for name in (*names, "step-9/x.gguf", "step-10/x.gguf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    found = [os.path.relpath(path, tmp_path) for path in find_models(tmp_path)]
    assert found == ["M-3.gguf", *names[:2], "m-2b.gguf", names[2], "step-9/x.gguf", "step-10/x.gguf"]
