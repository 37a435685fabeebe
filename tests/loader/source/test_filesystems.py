"""Addresses of fsspec's other file systems, with its own store in memory, and file:// addresses, which need no package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
from support.build import safetensors

import weightmap


@pytest.fixture
def store() -> Iterator[Any]:
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pseudo_dirs[:] = [""]
    yield store
    store.store.clear()
    store.pseudo_dirs[:] = [""]


VALUES = np.arange(40_000, dtype="<f4").reshape(200, 200)


def content(values: np.ndarray = VALUES) -> bytes:
    return safetensors([("values", "F32", values.shape, values.tobytes())])


def test_a_store_that_fsspec_knows(store: Any) -> None:
    store.pipe("/bucket/model.safetensors", content())
    with weightmap.open("memory://bucket/model.safetensors") as model:
        assert (model.status, model.path) == ("ok", "memory://bucket/model.safetensors")
        assert np.array_equal(model.tensors["values"].array(), VALUES)
        assert model.tensors["values"][7, 9] == VALUES[7, 9]
        assert model.changed() is None
    assert weightmap.validate("memory://bucket/model.safetensors").status == "ok"


def test_a_chain_of_them(store: Any) -> None:
    store.pipe("/bucket/model.safetensors", content())
    with weightmap.open("simplecache::memory://bucket/model.safetensors") as model:
        assert np.array_equal(model.tensors["values"].array(), VALUES)


def test_a_set_in_a_store(store: Any) -> None:
    store.pipe("/bucket/one.safetensors", content())
    store.pipe("/bucket/m.safetensors.index.json", b'{"weight_map": {"values": "one.safetensors"}}')
    with weightmap.open("memory://bucket/m.safetensors.index.json") as model:
        assert model.parts[0].path == "memory://bucket/one.safetensors"
        assert np.array_equal(model.tensors["values"].array(), VALUES)


def test_a_folder_in_a_store(store: Any) -> None:
    store.pipe("/bucket/folder/deep/one.safetensors", content())
    store.pipe("/bucket/folder/notes.txt", b"words")
    with weightmap.open("memory://bucket/folder/") as model:
        assert model.parts[0].path == "memory://bucket/folder/deep/one.safetensors"
        assert np.array_equal(model.tensors["values"].array(), VALUES)
    store.pipe("/bucket/folder/two.safetensors", content())
    names = ["memory://bucket/folder/two.safetensors", "memory://bucket/folder/deep/one.safetensors"]
    assert list(weightmap.find_models("memory://bucket/folder/")) == names
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open("memory://bucket/nothing/")


def test_a_change_is_noticed_before_values_are_given(store: Any) -> None:
    store.pipe("/bucket/model.safetensors", content())
    with weightmap.open("memory://bucket/model.safetensors") as model:
        store.pipe("/bucket/model.safetensors", content(-VALUES))
        with pytest.raises(weightmap.FileChangedError):
            model.tensors["values"].array()
        found = model.changed()
        assert found is not None
        assert found.code == "file_changed"
        store.rm("/bucket/model.safetensors")
        with pytest.raises(weightmap.MissingFileError):
            model.tensors["values"][100:]


def test_what_is_not_there(store: Any) -> None:
    store.pipe("/bucket/folder/model.safetensors", content())
    with pytest.raises(weightmap.MissingFileError, match="no file at this address"):
        weightmap.open("memory://bucket/other.safetensors")
    with pytest.raises(weightmap.UnsupportedFormatError, match="that of a folder"):
        weightmap.open("memory://bucket/folder")
    with pytest.raises(weightmap.UnsupportedFormatError, match="begin with nowhere://") as caught:
        weightmap.open("nowhere://bucket/model.gguf")
    assert caught.value.code == "unknown_address"


def test_a_scheme_whose_package_is_missing_names_it() -> None:
    from fsspec.registry import register_implementation

    register_implementation("toystore", "toystore.Core", errtxt="Install toystore to access toys", clobber=True)
    with pytest.raises(weightmap.MissingPackageError, match="a package that is not installed: toystore"):
        weightmap.open("toystore://bucket/model.gguf")


def test_errors_of_a_store_come_in_our_words(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store.pipe("/bucket/model.safetensors", content())
    model = weightmap.open("memory://bucket/model.safetensors")
    for raised, kind, words in (
        (RuntimeError("the line is dead"), weightmap.UnreadableFileError, "RuntimeError: the line is dead"),
        (PermissionError("no key"), weightmap.UnreadableFileError, "does not let this file be read"),
        (FileNotFoundError(), weightmap.MissingFileError, "no file at this address"),
    ):

        def fail(*_: object, raised: Exception = raised, **__: object) -> None:
            raise raised

        monkeypatch.setattr(type(store), "cat_file", fail)
        with pytest.raises(kind, match=words):
            model.tensors["values"].array()
    monkeypatch.setattr(type(store), "cat_file", lambda *_, **__: b"few")
    with pytest.raises(weightmap.UnreadableFileError, match="3 came"):
        model.tensors["values"].array()


def test_a_file_address_that_makes_no_sense() -> None:
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open("file://[::1/model.gguf")


def test_a_file_address_is_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a model.safetensors"
    path.write_bytes(content())
    with weightmap.open(path.as_uri()) as model:
        values = model.tensors["values"].array()
        assert np.array_equal(values, VALUES)
        assert not values.flags.owndata
        assert model.tensors["values"].path == str(path)
    assert list(weightmap.find_models(tmp_path.as_uri())) == [str(path)]
