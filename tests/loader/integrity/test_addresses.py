"""Checksums of, and sending, what is behind an address."""

import pickle

import pytest
from support.checksums import DATA, a_gguf, flip, place, sha, shards
from support.web import serving

import weightmap


def test_a_model_behind_an_address(tmp_path):
    path = a_gguf(tmp_path / "m.gguf")
    manifest = weightmap.digest(path).entry()
    with serving(tmp_path) as web:
        url = web.url("m.gguf")
        assert weightmap.digest(url).entry() == manifest
        assert weightmap.verify(url, manifest).status == "ok"
        with weightmap.load_weights(url, names="c", verify=manifest) as weights:
            again = pickle.loads(pickle.dumps(weights))
            assert again["c"].tolist() == [0, 1, 2]
            again.close()
        with weightmap.open(url) as model:
            sent = pickle.dumps(model)
    flip(path, place(path, "c"))
    with path.open("ab") as file:
        file.write(b"more")
    with serving(tmp_path) as web:
        with pytest.raises(weightmap.CorruptWeightError) as problem:
            weightmap.load_weights(web.url("m.gguf"), names="c", verify=manifest)
        assert problem.value.tensor == "c"
    with pytest.raises(weightmap.WeightFileError):
        pickle.loads(sent)  # that server is gone


def test_another_version_behind_the_address_is_an_error(tmp_path):
    path = a_gguf(tmp_path / "m.gguf")
    with serving(tmp_path) as web:
        with weightmap.open(web.url("m.gguf")) as model:
            sent = pickle.dumps(model)
        path.write_bytes(path.read_bytes() + b"more")
        with pytest.raises(weightmap.FileChangedError):
            pickle.loads(sent)


def test_a_set_behind_an_address(tmp_path):
    index = shards(tmp_path)
    with serving(tmp_path) as web:
        found = weightmap.digest(web.url(index.name))
    assert list(found.files) == [index.name, *sorted(path.name for path in tmp_path.glob("*.safetensors"))]
    assert found.tensors == {"a": sha(DATA["a"]), "c": sha(DATA["c"])}
