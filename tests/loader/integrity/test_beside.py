"""Checksums found without being named: files beside the model, caches and downloads of a hub, Ollama, the metadata."""

import os

import pytest
from support.checksums import DATA, a_gguf, a_safetensors, flip, place, sha
from support.manifests import stated
from support.stores import MODEL, hugging_face, ollama

import weightmap


@pytest.mark.parametrize("name", ["m.gguf.digest.json", "m.gguf.sha256", "m.gguf.manifest", "SHA256SUMS"])
def test_files(model, name):
    kind = {"m.gguf.digest.json": "ours", "m.gguf.manifest": "gguf-hash"}.get(name, "sum")
    stated(model, kind).rename(model.with_name(name))
    assert weightmap.verify(model).sources == (str(model.with_name(name)),)
    flip(model, place(model, "a"))
    with pytest.raises(weightmap.CorruptWeightError):
        weightmap.verify(model)


def test_nothing(model):
    model.with_name("SHA256SUMS").write_text(f"{sha(b'')}  other.gguf\n")
    with pytest.raises(weightmap.WeightFileError, match="No checksum of this model was found") as problem:
        weightmap.verify(model)
    assert problem.value.code == "no_checksums"


def test_two_that_agree_and_two_that_do_not(model):
    model.with_name("SHA256SUMS").write_text(f"{sha(model.read_bytes())}  m.gguf\n")
    model.with_name("m.gguf.sha256").write_text(f"{sha(model.read_bytes())}\n")
    assert len(weightmap.verify(model).sources) == 2
    model.with_name("m.gguf.sha256").write_text(f"{sha(b'')}\n")
    with pytest.raises(weightmap.CorruptWeightError) as problem:
        weightmap.verify(model)
    assert problem.value.code == "ambiguous_checksums"


def test_a_snapshot_of_hugging_face(tmp_path):
    content = a_safetensors(tmp_path / "x").read_bytes()
    snapshot = hugging_face(tmp_path / "hub", {"model.safetensors": content})
    found = weightmap.verify(snapshot / "model.safetensors")
    blob = snapshot.parents[1] / "blobs" / sha(content)
    assert found.sources == (str(blob),)
    flip(blob, place(blob, "a"))
    with pytest.raises(weightmap.CorruptWeightError):
        weightmap.verify(snapshot / "model.safetensors")


def test_a_blob_that_git_itself_holds(tmp_path):
    content = a_safetensors(tmp_path / "x").read_bytes()
    (tmp_path / "blobs").mkdir()
    blob = tmp_path / "blobs" / sha(b"blob %d\0" % len(content) + content, "sha1")
    blob.write_bytes(content)
    os.symlink(blob, tmp_path / "small.safetensors")
    assert weightmap.verify(tmp_path / "small.safetensors").checked == 1


def test_a_download_of_the_hub_into_a_folder(tmp_path):
    path = a_safetensors(tmp_path / "m.safetensors")
    note = tmp_path / ".cache" / "huggingface" / "download" / "m.safetensors.metadata"
    note.parent.mkdir(parents=True)
    note.write_text(f"{'a' * 40}\n{sha(path.read_bytes())}\n1700000000.5\n")
    assert weightmap.verify(path).sources == (str(note),)


def test_ollama(tmp_path):
    content = a_gguf(tmp_path / "x").read_bytes()
    store = ollama(tmp_path / "store", {"registry.ollama.ai/library/m/latest": [(MODEL, content)]})
    manifest = store / "manifests/registry.ollama.ai/library/m/latest"
    blob = store / "blobs" / f"sha256-{sha(content)}"
    assert weightmap.verify(manifest).sources == weightmap.verify(blob).sources == (str(blob),)
    assert weightmap.verify(tmp_path / "x", manifest).checked == 1
    flip(blob, place(blob, "a"))
    for path in (manifest, blob):
        with pytest.raises(weightmap.CorruptWeightError):
            weightmap.verify(path)


@pytest.mark.parametrize("key", ["modelspec.hash_sha256", "sshs_model_hash"])
@pytest.mark.parametrize("before", ["", "0x"])
def test_hashes_in_the_metadata(tmp_path, key, before):
    path = a_safetensors(tmp_path / "m.safetensors", {key: before + sha(b"".join(DATA.values())).upper()})
    found = weightmap.verify(path)
    assert (found.checked, found.sources) == (1, (str(path),))
    flip(path, place(path, "blk.0.w:x"))
    with pytest.raises(weightmap.CorruptWeightError, match="follows the header") as problem:
        weightmap.verify(path)
    assert problem.value.offset == place(path, "a")


@pytest.mark.parametrize("value", ["", "0x123abc", "none"])
def test_what_is_no_hash_in_the_metadata_is_passed_over(tmp_path, value):
    path = a_safetensors(tmp_path / "m.safetensors", {"modelspec.hash_sha256": value})
    with pytest.raises(weightmap.WeightFileError) as problem:
        weightmap.verify(path)
    assert problem.value.code == "no_checksums"
