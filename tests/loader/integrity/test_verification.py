"""A model held against a manifest of every kind: what agrees, and what differs, with its tensor and its bytes."""

import pytest
from support.checksums import DATA, flip, place, sha
from support.manifests import listed, place_of, stated

import weightmap

KINDS = ["ours", "sum", "binary", "bare", "lfs", "note", "git", "gguf-hash", "sha1", "sha512", "map"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_manifest_agrees_and_finds_one_changed_byte(model, kind):
    manifest = stated(model, kind)
    found = weightmap.verify(model, manifest)
    assert (found.status, found.mismatched, found.missing) == ("ok", (), ())
    assert found.checked == {"ours": 4, "gguf-hash": 4, "sha1": 4, "map": 3}.get(kind, 1)
    assert found.sources == (str(manifest),)
    flip(model, place(model, "blk.0.w:x") + 700)
    with pytest.raises(weightmap.CorruptWeightError, match="was expected") as problem:
        weightmap.verify(model, manifest)
    assert problem.value.code == "checksum_mismatch"
    assert problem.value.path == str(model)
    if kind in ("ours", "gguf-hash", "sha1", "map"):
        start, size = place_of(model, "blk.0.w:x"), len(DATA["blk.0.w:x"])
        assert (problem.value.tensor, problem.value.offset) == ("blk.0.w:x", start)
        assert f"bytes {start:,} to {start + size:,}" in str(problem.value)
    else:
        assert (problem.value.tensor, problem.value.offset) == (None, 0)
        assert f"bytes 0 to {model.stat().st_size:,}" in str(problem.value)


def test_what_differs_as_a_record_and_a_document(model):
    manifest = stated(model, "ours")
    before = sha(DATA["c"])
    start = place(model, "c")
    flip(model, start)
    found = weightmap.verify(model, manifest, strict=False)
    assert found.status == "error"
    after = sha(bytes([DATA["c"][0] ^ 0x40]) + DATA["c"][1:])
    tensor = weightmap.Mismatch("tensor", "c", str(model), start, 6, "sha256", before, after, str(manifest))
    assert tensor in found.mismatched
    assert [(one.kind, one.name, one.nbytes) for one in found.mismatched if one != tensor] == [
        ("file", "m.gguf", model.stat().st_size)
    ]
    assert [(one.code, one.tensor, one.offset) for one in found.findings] == [
        ("checksum_mismatch", "c", start),
        ("checksum_mismatch", None, 0),
    ]
    entry = found.entry()
    assert entry["status"] == "error"
    assert {"name": "c", "tensor": "c", "file": None, "offset": start, "nbytes": 6}.items() <= entry["mismatched"][
        1
    ].items()


def test_a_changed_header_is_the_files_mismatch_alone(model):
    manifest = stated(model, "ours")
    flip(model, model.read_bytes().index(b"llama"))
    found = weightmap.verify(model, manifest, strict=False)
    assert [one.kind for one in found.mismatched] == ["file"]
    assert weightmap.verify(model, stated_again(model)).status == "ok"  # the tensors' own hashes leave out the header


def stated_again(path):
    target = path.with_name("again")
    target.write_text(listed(path))
    return target


def test_a_size_that_differs_is_said_without_hashing_and_tensors_still_tell_where(model):
    manifest = stated(model, "ours")
    with model.open("r+b") as file:
        file.truncate(model.stat().st_size - 32)
    found = weightmap.verify(model, manifest, strict=False)
    [size] = found.mismatched
    assert (size.kind, size.algorithm) == ("file", "size")
    assert [(one.kind, one.name) for one in found.missing] == [("tensor", "c")]


@pytest.mark.parametrize("at", [0, 4, 8, 60])
def test_a_header_damaged_beyond_opening_is_a_mismatch_of_the_file(model, at):
    manifest = stated(model, "ours")
    content = bytearray(model.read_bytes())
    content[at : at + 8] = b"\xff" * 8
    model.write_bytes(content)
    found = weightmap.verify(model, manifest, strict=False)
    assert [(one.kind, one.name, one.path) for one in found.mismatched] == [("file", "m.gguf", str(model))]
    with pytest.raises(weightmap.CorruptWeightError) as problem:
        weightmap.verify(model, manifest)
    assert problem.value.code == "checksum_mismatch"
    model.write_bytes(b"")
    assert [one.algorithm for one in weightmap.verify(model, manifest, strict=False).mismatched] == ["size"]


def test_what_is_no_damaged_file_raises_what_opening_it_raises(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "page.gguf").write_text("<!doctype html><html>")
    for path, code in (("page.gguf", "html"), ("absent", "not_found"), ("empty", "no_model_in_directory")):
        with pytest.raises(weightmap.WeightFileError) as problem:
            weightmap.verify(tmp_path / path, {"a": sha(b"")})
        assert problem.value.code == code
