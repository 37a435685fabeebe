"""Names of models that are no paths, and blobs whose names say nothing: what Ollama, LM Studio and the Hub's cache call them."""

from __future__ import annotations

import os

import numpy as np
import pytest
from support.build import gguf
from support.stores import MODEL, digest, hugging_face, ollama

import weightmap

LIBRARY = "registry.ollama.ai/library/"


def model(value):
    return gguf(tensors=[("w", (4,), 0, np.full(4, value, "<f4").tobytes())])


def home(tmp_path, monkeypatch):
    for variable in ("OLLAMA_MODELS", "LMSTUDIO_MODELS", "HF_HUB_CACHE", "HF_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def advice(path):
    with pytest.raises(weightmap.MissingFileError) as caught:
        weightmap.open(path)
    assert (caught.value.code, caught.value.path) == ("not_found", path)
    assert caught.value.finding.message == "There is no such file."
    return caught.value.finding.advice


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("llama3.2", LIBRARY + "llama3.2/latest"),
        ("llama3.2:3b", LIBRARY + "llama3.2/3b"),
        ("someone/thing", "registry.ollama.ai/someone/thing/latest"),
        ("hf.co/someone/thing:Q4_K_M", "hf.co/someone/thing/Q4_K_M"),
    ],
)
@pytest.mark.parametrize("told", [False, True])
def test_the_name_of_a_model_of_ollama_is_no_path(tmp_path, monkeypatch, typed, kept, told):
    top = home(tmp_path, monkeypatch) / ("elsewhere" if told else ".ollama/models")
    if told:
        monkeypatch.setenv("OLLAMA_MODELS", str(top))
    ollama(top, {kept: [(MODEL, model(1))]})
    assert advice(typed) == f"Ollama has a model of this name. Open {top / 'manifests' / kept}"


def test_a_name_that_no_store_has_may_be_one_of_ollama_or_the_hub(tmp_path, monkeypatch):
    blobs = home(tmp_path, monkeypatch) / ".ollama" / "models" / "blobs"
    assert f"a file {blobs}/sha256-…;" in advice("llama3.2")
    assert advice("meta-llama/Llama-3.2-1B").endswith("open hf://meta-llama/Llama-3.2-1B")
    for path in ("model.gguf", "./llama3.2", "../llama3.2", "a/b/c/d/e", "two words", str(tmp_path / "llama3.2")):
        assert advice(path).startswith("Check the path; a link")


@pytest.mark.parametrize("place", [".lmstudio/models/a/b", ".cache/lm-studio/models/a/b"])
def test_the_name_of_a_model_of_lm_studio_is_no_path(tmp_path, monkeypatch, place):
    folder = home(tmp_path, monkeypatch) / place
    folder.mkdir(parents=True)
    assert advice("a/b") == f"LM Studio has a model of this name. Open {folder}"
    (folder / "b-Q4.gguf").write_bytes(model(1))
    assert weightmap.open(folder).tensors["w"][0] == 1


def test_the_name_of_a_model_in_the_cache_of_the_hub_is_no_path(tmp_path, monkeypatch):
    cache = home(tmp_path, monkeypatch) / ".cache" / "huggingface" / "hub"
    hugging_face(cache, {"model.gguf": model(1)})
    assert advice("a/b") == f"The Hub's cache has a model of this name. Open {cache / 'models--a--b'}"
    with weightmap.open(cache / "models--a--b") as opened:
        assert os.path.basename(opened.parts[0].path) == "model.gguf"


def test_a_blob_in_the_cache_of_the_hub_says_which_file_it_is(tmp_path):
    files = {"model.gguf": model(1), "config.json": b"{}"}
    snapshot = hugging_face(tmp_path, files, "models--owner--name")
    blob = os.path.realpath(snapshot / "model.gguf")
    with weightmap.open(blob) as opened:
        [note] = [one for one in opened.findings if one.code == "cached_blob"]
    assert (note.severity, note.message) == ("info", "In the cache of the Hub this blob is owner/name/model.gguf.")
    assert note.advice == f"Open {snapshot / 'model.gguf'}"
    os.unlink(snapshot / "model.gguf")
    with weightmap.open(blob) as opened:
        assert "cached_blob" not in [one.code for one in opened.findings]


@pytest.mark.parametrize(("most", "found"), [(3, []), (4, ["cached_blob"])])
def test_only_so_many_links_are_followed(tmp_path, monkeypatch, most, found):
    monkeypatch.setattr("weightmap.formats.elsewhere.MOST", most)
    files = {f"{n}.gguf": model(n) for n in range(4)}
    snapshot = hugging_face(tmp_path, files, "models--owner--name")
    with weightmap.open(os.path.realpath(snapshot / "3.gguf")) as opened:
        assert [one.code for one in opened.findings if one.code == "cached_blob"] == found


def said(path):
    with weightmap.open(path) as opened:
        return [one.message for one in opened.findings if one.code == "manifest"]


@pytest.mark.parametrize(
    ("tags", "named"),
    [
        (["8b"], "m:8b"),
        (["8b", "latest"], "m:8b, m:latest"),
        (["1", "2", "3", "4", "5"], "m:1, m:2, m:3 and more"),
    ],
)
def test_a_blob_says_to_which_models_it_belongs(tmp_path, tags, named):
    store = ollama(tmp_path, {f"{LIBRARY}m/{tag}": [(MODEL, model(1))] for tag in tags})
    blob = store / "blobs" / digest(model(1)).replace(":", "-")
    assert said(blob) == [f"In the store of Ollama this blob belongs to {named}."]


@pytest.mark.parametrize(("most", "named"), [(1, []), (2, ["m:8b"])])
def test_only_so_many_manifests_are_looked_into(tmp_path, monkeypatch, most, named):
    monkeypatch.setattr("weightmap.formats.ollama.MOST", most)
    store = ollama(tmp_path, {f"{LIBRARY}m/{tag}": [(MODEL, model(value))] for tag, value in (("1b", 1), ("8b", 2))})
    blob = store / "blobs" / digest(model(2)).replace(":", "-")
    assert said(blob) == [f"In the store of Ollama this blob belongs to {name}." for name in named]


def test_a_blob_outside_of_a_store_belongs_to_nobody(tmp_path):
    store = ollama(tmp_path, {f"{LIBRARY}m/8b": [(MODEL, model(1))]})
    for place in ("other", "blobs/blobs"):
        (store / place).mkdir()
        other = store / place / digest(model(1)).replace(":", "-")
        other.write_bytes(model(1))
        assert said(other) == []
    unknown = store / "blobs" / digest(model(2)).replace(":", "-")
    unknown.write_bytes(model(2))
    assert said(unknown) == []
