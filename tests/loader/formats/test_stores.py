"""Stores of other programs: what their manifests and links stand for, and what is said where a blob is missing."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.stores import ADAPTER, MODEL, PROJECTOR, TEMPLATE, digest, hugging_face, ollama

import weightmap


def model(value):
    return gguf(tensors=[("w", (4,), 0, np.full(4, value, "<f4").tobytes())])


LIBRARY = "registry.ollama.ai/library/"


@pytest.fixture
def store(tmp_path):
    return ollama(
        tmp_path / "models",
        {
            LIBRARY + "llama3/latest": [(MODEL, model(1)), (TEMPLATE, b"{{ .Prompt }}")],
            LIBRARY + "llama3/8b": [(MODEL, model(1))],
            LIBRARY + "llava/latest": [(MODEL, model(2)), (PROJECTOR, model(3)), (ADAPTER, model(4))],
            "hf.co/someone/thing/Q4_K_M": [(MODEL, model(5))],
        },
    )


def codes(opened):
    return [(one.code, str(one.severity)) for one in opened.findings if one.code != "unexpected_tensor"]


def test_a_manifest_opens_its_blob(store):
    path = store / "manifests" / LIBRARY / "llava" / "latest"
    with weightmap.open(path) as opened:
        assert (opened.path, opened.format) == (str(path), "gguf")
        assert opened.tensors["w"].array().tolist() == [2, 2, 2, 2]
        assert opened.tensors["w"].path == str(store / "blobs" / digest(model(2)).replace(":", "-"))
        assert codes(opened) == [("manifest", "info")]
        note = opened.findings[0]
        assert note.message.startswith("llava:latest is the blob sha256-")
        for other in (model(3), model(4)):
            assert digest(other).replace(":", "-") + " belongs to it, too." in note.message
        with opened.reload() as again:
            assert again.tensors["w"][0] == 2
    assert weightmap.load_weights(path)["w"][1] == 2


def test_a_projector_that_is_not_there_is_a_warning(store):
    blob = store / "blobs" / digest(model(3)).replace(":", "-")
    blob.unlink()
    with weightmap.open(store / "manifests" / LIBRARY / "llava" / "latest") as opened:
        assert codes(opened) == [("missing_blob", "warning"), ("manifest", "info")]
        assert blob.name in opened.findings[0].message
        assert opened.findings[0].path == str(blob)
        assert opened.findings[0].advice == "Run: ollama pull llava:latest"
        assert blob.name not in opened.findings[1].message
        assert opened.tensors["w"][0] == 2


def test_a_store_lists_models_by_their_names(store):
    def listed(top):
        return [os.path.relpath(path, store) for path in weightmap.find_models(top)]

    names = ["hf.co/someone/thing/Q4_K_M"] + [LIBRARY + name for name in ("llama3/8b", "llama3/latest", "llava/latest")]
    beside = [os.path.join("blobs", digest(model(n)).replace(":", "-")) for n in (4, 3)]
    manifests = [os.path.join("manifests", name) for name in names]
    assert listed(store) == manifests + beside
    assert listed(store.parent) == manifests + beside
    assert listed(store / "manifests" / LIBRARY / "llama3") == manifests[1:3]
    with weightmap.open(store / "manifests" / "hf.co") as opened:
        assert codes(opened) == [("manifest", "info"), ("directory", "info")]
        assert opened.findings[0].message.startswith("hf.co/someone/thing:Q4_K_M is the blob ")


def test_a_missing_blob_is_named(store):
    blob = store / "blobs" / digest(model(1)).replace(":", "-")
    blob.unlink()
    path = store / "manifests" / LIBRARY / "llama3" / "8b"
    with pytest.raises(
        weightmap.MissingFileError, match="llama3:8b are not there: the store has no blob sha256-"
    ) as caught:
        weightmap.open(path)
    assert (caught.value.code, caught.value.path) == ("missing_blob", str(blob))
    assert caught.value.finding.advice == "Run: ollama pull llama3:8b"
    assert len(list(weightmap.find_models(store))) == 6


def test_old_stores_have_a_colon_in_the_names_of_blobs(store):
    old = digest(model(5))
    (store / "blobs" / old.replace(":", "-")).rename(store / "blobs" / old)
    with weightmap.open(store / "manifests" / "hf.co/someone/thing/Q4_K_M") as opened:
        assert opened.tensors["w"][0] == 5


@pytest.mark.parametrize(
    ("layers", "code", "words"),
    [
        (None, "bad_manifest", "has no list of layers"),
        (
            [{"mediaType": MODEL, "digest": "sha256:../../../etc/passwd"}],
            "bad_manifest",
            "hexadecimal digits were expected",
        ),
        ([{"mediaType": MODEL, "digest": 7}], "bad_manifest", "The digest of a layer is 7"),
        ([{"mediaType": TEMPLATE, "digest": digest(b"")}, 3, {}], "no_weights_in_manifest", "m:bad names no weights"),
        ([{"mediaType": MODEL, "digest": digest(b"page")}], "html", "web page"),
        ([{"mediaType": MODEL, "digest": digest(b"index")}], "bad_manifest", "the blob's content is: index"),
    ],
)
def test_a_manifest_that_cannot_be_used_says_why(store, layers, code, words):
    (store / "blobs" / digest(b"page").replace(":", "-")).write_bytes(b"<!doctype html><p>not found")
    (store / "blobs" / digest(b"index").replace(":", "-")).write_bytes(b'{"weight_map": {"a": "b"}}')
    path = store / "manifests" / LIBRARY / "m" / "bad"
    path.parent.mkdir()
    path.write_text(json.dumps({"mediaType": "x", "layers": layers}))
    with pytest.raises(weightmap.WeightFileError, match=words) as caught:
        weightmap.open(path)
    assert caught.value.code == code
    assert (str(path) in weightmap.find_models(store)) == (code != "no_weights_in_manifest")


def test_a_manifest_outside_of_a_store(tmp_path):
    path = tmp_path / "latest"
    path.write_text(json.dumps({"mediaType": "x", "layers": []}))
    with pytest.raises(weightmap.CorruptWeightError, match="lies in no store"):
        weightmap.open(path)


def test_a_manifest_with_several_files_of_weights_gives_the_choice(tmp_path):
    store = ollama(tmp_path, {LIBRARY + "two/parts": [(MODEL, model(1)), (MODEL, model(2))]})
    with pytest.raises(weightmap.SeveralModelsError) as caught:
        weightmap.open(store / "manifests" / LIBRARY / "two" / "parts")
    assert [weightmap.open(choice).tensors["w"][0] for choice in caught.value.choices] == [1, 2]


def test_a_snapshot_of_the_hub_keeps_its_names(tmp_path):
    shards = {
        f"model-0000{n}-of-00002.safetensors": safetensors([(f"t{n}", "F32", (1,), np.full(1, n, "<f4").tobytes())])
        for n in (1, 2)
    }
    index = {"weight_map": {f"t{n}": name for n, name in enumerate(shards, 1)}, "metadata": {"total_size": 8}}
    snapshot = hugging_face(tmp_path, {**shards, "model.safetensors.index.json": json.dumps(index).encode()})
    for top in (tmp_path, tmp_path / "models--a--b", snapshot):
        assert list(weightmap.find_models(top)) == [str(snapshot / "model.safetensors.index.json")]
    with weightmap.open(tmp_path) as opened:
        assert [tensor[0] for tensor in opened.records] == [1, 2]
        assert codes(opened) == [("directory", "info")]
        assert {os.path.dirname(part.path) for part in opened.parts} == {str(snapshot)}
    os.unlink(os.path.realpath(snapshot / "model-00002-of-00002.safetensors"))
    with weightmap.open(snapshot / "model.safetensors.index.json") as opened:
        [found] = opened.findings
        assert (found.code, "model-00002-of-00002.safetensors" in found.message) == ("missing_shard", True)


def one(name, value=1.0):
    return safetensors([(name, "F32", (1,), np.full(1, value, "<f4").tobytes())])


def index_of(folder, **placed):
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {name: f"model-{part}.safetensors" for name, part in placed.items()}}))
    return path


def test_a_stale_index_is_no_missing_shard(tmp_path):
    path = index_of(tmp_path, a="00001-of-00002", b="00002-of-00002")
    both = [(name, "F32", (1,), bytes(4)) for name in "ab"]
    (tmp_path / "model.safetensors").write_bytes(safetensors(both))
    with weightmap.open(path) as opened:
        [found] = opened.findings
        assert (found.code, str(found.severity), found.path) == ("stale_index", "error", str(path))
        assert found.message == (
            "The index is stale: model-00001-of-00002.safetensors and 1 more are not there, but another file holds all 2 of "
            "those tensors: model.safetensors."
        )
        assert found.advice == "Open model.safetensors, and delete the index."
    (tmp_path / "model.safetensors").rename(tmp_path / "MODEL.SAFETENSORS")
    with weightmap.open(path) as opened:
        assert [(one.code, one.found) for one in opened.findings] == [("stale_index", "MODEL.SAFETENSORS")]
    (tmp_path / "MODEL.SAFETENSORS").unlink()
    with pytest.raises(weightmap.MissingFileError):
        weightmap.load_weights(path)
    (tmp_path / "model.safetensors").write_bytes(one("b"))
    with weightmap.open(path) as opened:
        assert [found.code for found in opened.findings] == ["missing_shard"] * 2


def test_a_lone_shard_names_its_index(tmp_path):
    path = index_of(tmp_path, a="00001-of-00002", b="00002-of-00002")
    for number, name in ((1, "a"), (2, "b")):
        (tmp_path / f"model-0000{number}-of-00002.safetensors").write_bytes(one(name))
    with weightmap.open(tmp_path / "model-00002-of-00002.safetensors") as opened:
        [found] = opened.findings
        assert (found.code, opened.status, list(opened.tensors)) == ("lone_shard", "info", ["b"])
        assert f"The index beside it, {path.name}, stands for the whole model." in found.message
    path.write_text("{")
    with weightmap.open(tmp_path / "model-00002-of-00002.safetensors") as opened:
        assert opened.findings[0].message == "This is part 2 of 2, opened without the others."


@pytest.mark.parametrize("change", [-4, 8])
def test_a_blob_of_another_size_than_its_manifest_says_is_named(store, change):
    blob = store / "blobs" / digest(model(5)).replace(":", "-")
    content = blob.read_bytes()
    blob.write_bytes(content[:change] if change < 0 else content + bytes(change))
    with weightmap.open(store / "manifests" / "hf.co" / "someone" / "thing" / "Q4_K_M") as opened:
        [said] = [one for one in opened.findings if one.code == "blob_size"]
    assert (said.severity, said.path) == ("warning", str(blob))
    assert (said.expected, said.found) == (f"{len(content):,}", f"{len(content) + change:,}")
    assert said.advice == "Run: ollama pull hf.co/someone/thing:Q4_K_M"


@pytest.mark.parametrize("size", ["1", -1, 1.5, None, True])
def test_a_size_that_is_none_is_passed_over(store, size):
    path = store / "manifests" / LIBRARY / "llama3" / "8b"
    content = json.loads(path.read_text())
    for layer in content["layers"]:
        layer["size"] = size
    path.write_text(json.dumps(content))
    with weightmap.open(path) as opened:
        assert codes(opened) == [("manifest", "info")]
