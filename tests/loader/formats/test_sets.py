"""Paths that stand for several files: split GGUF, sharded safetensors, folders."""

from __future__ import annotations

import json
import os
from time import process_time

import pytest
from support.build import gguf, safetensors

from weightmap.errors import Cancelled, CorruptWeightError, SeveralModelsError, WeightFileError
from weightmap.formats.sets import find_models, open_layout


def part(number, count, names, total, *, no=None):
    keys = [("general.architecture", "str", "llama"), ("x.only", "u8", 1)] if number == 1 else []
    keys += [
        ("split.no", "u16", number - 1 if no is None else no),
        ("split.count", "u16", count),
        ("split.tensors.count", "i32", total),
    ]
    return gguf(keys, [(name, (2,), 0, b"\0" * 8) for name in names])


def split(folder, names=(("a",), ("b", "c"), ("d",)), total=4):
    paths = [folder / f"m-{n:05d}-of-{len(names):05d}.gguf" for n in range(1, len(names) + 1)]
    for number, path in enumerate(paths, 1):
        path.write_bytes(part(number, len(names), names[number - 1], total))
    return paths


def shards(folder, weight_map, **fields):
    by_file = {}
    for name, file in weight_map.items():
        by_file.setdefault(file, []).append(name)
    for file, names in by_file.items():
        (folder / file).write_bytes(safetensors([(name, "F32", (1,), b"\0" * 4) for name in names]))
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 4 * len(weight_map)}, "weight_map": weight_map, **fields}))
    return index


def opened(path):
    layout, sources = open_layout(str(path))
    try:
        assert len(sources) == len(layout.parts)
        for source, part in zip(sources, layout.parts, strict=True):
            assert (source is None) == (part.size is None)
    finally:
        for source in sources:
            if source is not None:
                source.close()
    return layout


def said(layout):
    return [(p.code, str(p.severity), os.path.basename(p.path)) for p in layout.problems]


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


def test_ten_thousands_of_missing_parts_and_shards_are_told_at_once(tmp_path):
    path = tmp_path / "m-00001-of-65535.gguf"
    path.write_bytes(part(1, 65535, ["a"], 9))
    start = process_time()
    assert [code for code, *_ in said(opened(path))] == ["missing_shard"] * 6
    assert process_time() - start < 2
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {f"t{n}": f"{n}.safetensors" for n in range(20_000)}}))
    start = process_time()
    assert [code for code, *_ in said(opened(index))] == ["missing_shard"] * 6
    assert process_time() - start < 3


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
