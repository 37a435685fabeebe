"""Hugging Face's Hub: a web server that gets the token, with repositories as folders."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors
from support.served import floats, small
from support.web import Web, serving

import weightmap


def test_the_hub_is_a_web_server_and_the_token_goes_there_alone(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", web.root)
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    home = web.folder / "owner/name/resolve/refs%2Fpr%2F1"
    other = tmp_path / "store"
    other.mkdir()
    small(other / "blob")
    with serving(other) as store:
        web.moved["owner/name/resolve/main/sub/model.gguf"] = store.url("blob")
        with weightmap.open("hf://owner/name/sub/model.gguf") as model:
            assert model.path == "hf://owner/name/sub/model.gguf"
            assert np.array_equal(model.tensors["plain"].array(), floats(200, 500))
        assert {headers.get("Authorization") for headers in web.headers} == {"Bearer hf_mine"}
        assert {headers.get("Authorization") for headers in store.headers} == {None}
    assert not home.exists()
    web.forget()
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open("hf://owner/name@refs/pr/1/model.gguf")
    assert web.asked[0][0] == "/owner/name/resolve/refs%2Fpr%2F1/model.gguf"
    with pytest.raises(weightmap.UnsupportedFormatError, match="names no repository"):
        weightmap.open("hf://@main/model.gguf")


def test_a_repository_of_the_hub_is_a_folder(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", web.root)
    there = ["README.md", "m.safetensors.index.json", "m-00001-of-00001.safetensors", "Q8/b-00001-of-00002.gguf"]
    there += ["Q8/b-00002-of-00002.gguf", "Q8/mmproj.gguf"]
    tree = web.folder / "api/models/owner/name/tree/main"
    tree.parent.mkdir(parents=True)
    files = [{"type": "directory", "path": "Q8"}, *({"type": "file", "path": name} for name in there)]
    tree.write_text(json.dumps(files))
    models = ["m.safetensors.index.json", "Q8/b-00001-of-00002.gguf", "Q8/mmproj.gguf"]
    assert list(weightmap.find_models("hf://owner/name")) == [f"hf://owner/name/{name}" for name in models]
    with pytest.raises(weightmap.SeveralModelsError, match="holds 3 models: m") as caught:
        weightmap.open("hf://owner/name/")
    assert caught.value.choices == tuple(f"hf://owner/name/{name}" for name in models)
    tree.write_text(json.dumps([files[0], {"type": "file", "path": "model.gguf"}]))
    small(web.folder / "model.gguf")
    web.moved["owner/name/resolve/main/model.gguf"] = web.url("model.gguf")
    with weightmap.open("hf://owner/name") as model:
        assert model.tensors["plain"].shape == (200, 500)
        assert "one model was opened: model.gguf" in model.findings[0].message
    for text in ("{}", "[1]", "no JSON", '[{"path": 1, "type": "file"}, {"type": "file"}]'):
        tree.write_text(text)
        with pytest.raises(weightmap.WeightFileError, match=r"cannot be read|no weight file"):
            weightmap.open("hf://owner/name")
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open("hf://owner/other")


def test_numbered_parts_of_a_repository_without_their_index_are_one_model(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", web.root)
    names = [f"sub/m-0000{number}-of-00003.safetensors" for number in (1, 3)]
    tree = web.folder / "api/models/owner/name/tree"
    home = web.folder / "owner/name/resolve/main/sub"
    home.mkdir(parents=True)
    (tree / "main").mkdir(parents=True)
    for number, name in enumerate(names):
        (home.parent / name).write_bytes(safetensors([(f"t{number}", "F32", (2,), b"\0\0\x80\x3f" * 2)]))
    (tree / "main/sub").write_text(json.dumps([{"type": "file", "path": name} for name in names]))
    assert list(weightmap.find_models("hf://owner/name/sub")) == ["hf://owner/name/sub/m.safetensors.index.json"]
    with weightmap.open("hf://owner/name/sub") as model:
        assert list(model.tensors) == ["t0", "t1"]
        assert model.tensors["t1"].array().tolist() == [1, 1]
        found = [(one.code, one.path) for one in model.findings]
    assert found == [
        ("missing_index", "hf://owner/name/sub/m.safetensors.index.json"),
        ("missing_shard", "hf://owner/name/sub/m-00002-of-00003.safetensors"),
        ("directory", "hf://owner/name/sub/m.safetensors.index.json"),
    ]
    with weightmap.open("hf://owner/name/sub/m.safetensors.index.json") as model:
        assert [part.size is None for part in model.parts] == [False, True, False]
    for untold in ("sub/other", "none/m"):
        with pytest.raises(weightmap.MissingFileError) as caught:
            weightmap.open(f"hf://owner/name/{untold}.safetensors.index.json")
        assert caught.value.path == f"hf://owner/name/{untold}.safetensors.index.json"
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open(web.url("owner/name/resolve/main/sub/m.safetensors.index.json"))
