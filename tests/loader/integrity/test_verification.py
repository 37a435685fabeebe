import json
import os
import shutil

import numpy as np
import pytest
from support.checksums import DATA, a_gguf, a_safetensors, flip, place, sha, shards
from support.stores import MODEL, hugging_face, ollama

import weightmap


@pytest.fixture
def model(tmp_path):
    return a_gguf(tmp_path / "m.gguf")


def listed(path, algorithm="sha256", name=None):
    """What gguf-hash writes: each tensor, and all of them in the table's order."""
    name = name or path.name
    lines = [f"{algorithm:8}  {sha(data, algorithm)}  {name}:{tensor}\n" for tensor, data in DATA.items()]
    return "".join(lines) + f"{algorithm:8}  {sha(b''.join(DATA.values()), algorithm)}  {name}\n"


def stated(path, kind):
    """A manifest of each kind for a model of one file."""
    whole = sha(path.read_bytes())
    target = path.with_name(f"stated.{kind}")
    texts = {
        "ours": weightmap.digest(path).manifest(),
        "sum": f"{sha(b'')}  other.gguf\n{whole}  {path.name}\n",
        "binary": f"{whole} *./{path.name}\n",
        "bare": f"{whole}\n",
        "lfs": f"version https://git-lfs.github.com/spec/v1\noid sha256:{whole}\nsize {path.stat().st_size}\n",
        "note": f"{'0' * 40}\n{whole}\n1700000000.5\n",
        "git": f"{'0' * 40}\n{sha(b'blob %d' % path.stat().st_size + bytes(1) + path.read_bytes(), 'sha1')}\n1700000000\n",
        "gguf-hash": listed(path),
        "sha1": listed(path, "sha1") + "xxh64     f66e9cd66a4396a0  m.gguf\n",
        "sha512": f"{sha(path.read_bytes(), 'sha512')}  {path.name}\n",
        "map": json.dumps({name: sha(data) for name, data in DATA.items()}),
    }
    target.write_text(texts[kind])
    return target


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
        start, size = place_of(model), len(DATA["blk.0.w:x"])
        assert (problem.value.tensor, problem.value.offset) == ("blk.0.w:x", start)
        assert f"bytes {start:,} to {start + size:,}" in str(problem.value)
    else:
        assert (problem.value.tensor, problem.value.offset) == (None, 0)
        assert f"bytes 0 to {model.stat().st_size:,}" in str(problem.value)


def place_of(path):
    with weightmap.open(path) as model:
        return model.tensors["blk.0.w:x"].offset


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


def test_names_of_other_files_are_counted(model):
    assert weightmap.verify(model, stated(model, "sum")).passed_over == 1
    assert weightmap.verify(model, stated(model, "ours")).passed_over == 0
    (model.with_name("l")).write_text(listed(model) + listed(model, name="b.gguf"))
    assert weightmap.verify(model, model.with_name("l")).passed_over == 4


def test_tensors_out_of_order_hash_in_the_tables_order(tmp_path):
    path = tmp_path / "m.gguf"
    plain = a_gguf(path).read_bytes()
    sizes = [-(-len(data) // 32) * 32 for data in DATA.values()]
    start = plain.index(DATA["a"])
    blocks = [plain[start : start + 96], plain[start + 96 : start + 96 + sizes[1]], plain[start + 96 + sizes[1] :]]
    head = a_gguf(path, offsets=(sizes[2], sizes[2] + sizes[0], 0)).read_bytes()[:start]
    path.write_bytes(head + blocks[2] + blocks[0] + blocks[1])
    assert weightmap.verify(path, stated(path, "gguf-hash")).checked == 4


def test_names_are_matched_as_paths_first_and_never_guessed(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        a_gguf(tmp_path / folder / "m.gguf")
    flip(tmp_path / "y" / "m.gguf", place(tmp_path / "y" / "m.gguf", "a"))
    sums = "".join(f"{sha((tmp_path / f / 'm.gguf').read_bytes())}  {f}/m.gguf\n" for f in ("x", "y"))
    (tmp_path / "SUMS").write_text(sums)
    for folder in ("x", "y"):
        assert weightmap.verify(tmp_path / folder / "m.gguf", tmp_path / "SUMS").status == "ok"
    elsewhere = tmp_path / "z" / "m.gguf"
    elsewhere.parent.mkdir()
    shutil.copy(tmp_path / "x" / "m.gguf", elsewhere)
    with pytest.raises(weightmap.CorruptWeightError, match=r"line 1.*line 2") as problem:
        weightmap.verify(elsewhere, tmp_path / "SUMS")
    assert problem.value.code == "ambiguous_checksums"


@pytest.mark.parametrize("name", ["../../../../etc/passwd", "/etc/passwd", "..\\m.txt", "a\0b", "x" * 100_000])
def test_a_name_in_a_manifest_is_never_opened(model, name, monkeypatch):
    manifest = {"files": {name: {"sha256": sha(b"")}}, "tensors": {}}
    opened = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *more, **words: opened.append(path) or real(path, *more, **words))
    found = weightmap.verify(model, manifest, strict=False)
    assert opened == [str(model)]
    assert ("file", name) in [(one.kind, one.name) for one in found.missing]
    assert found.status == "error"


def test_a_manifest_that_says_nothing_of_the_model(model, tmp_path):
    (tmp_path / "s").write_text(f"{sha(b'')}  other.gguf\n")
    for manifest in (tmp_path / "s", {}):
        with pytest.raises(weightmap.WeightFileError) as problem:
            weightmap.verify(model, manifest)
        assert problem.value.code == "no_checksums"


def test_every_part_must_be_covered(tmp_path):
    index = shards(tmp_path / "m")
    one, two = sorted((tmp_path / "m").glob("*.safetensors"))
    sums = tmp_path / "m" / "SHA256SUMS"
    sums.write_text(f"{sha(one.read_bytes())}  {one.name}\n")
    found = weightmap.verify(index, strict=False)
    assert [(missing.name, "states" in missing.reason or "stated" in missing.reason) for missing in found.missing] == [
        (two.name, True)
    ]
    with pytest.raises(weightmap.CorruptWeightError) as problem:
        weightmap.verify(index)
    assert problem.value.code == "checksum_missing"
    sums.write_text("".join(f"{sha(path.read_bytes())}  {path.name}\n" for path in (one, two)))
    assert weightmap.verify(index).checked == 2
    two.unlink()
    assert [missing.name for missing in weightmap.verify(index, strict=False).missing] == [two.name]


def test_a_pointer_is_no_manifest_of_many_files(tmp_path):
    index = shards(tmp_path)
    (tmp_path / "p").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha(b'')}\nsize 0\n")
    with pytest.raises(weightmap.CorruptWeightError, match="the model has 2 files"):
        weightmap.verify(index, tmp_path / "p")


def test_a_checkout_of_pointers(tmp_path):
    index = shards(tmp_path / "m")
    (tmp_path / "git").mkdir()
    for path in (tmp_path / "m").glob("*.safetensors"):
        text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha(path.read_bytes())}\nsize {path.stat().st_size}\n"
        (tmp_path / "git" / path.name).write_text(text)
    assert weightmap.verify(index, tmp_path / "git").checked == 2


def test_gguf_hash_lists_with_other_paths_and_other_models(model):
    target = model.with_name("list")
    target.write_text(listed(model, name="/home/somebody/models:1/m.gguf"))
    assert weightmap.verify(model, target).checked == 4
    target.write_text(listed(model, name="renamed.gguf"))
    assert weightmap.verify(model, target).checked == 4
    target.write_text(listed(model, name="one.gguf") + listed(model, name="two.gguf"))
    with pytest.raises(weightmap.CorruptWeightError, match="hashes of 2 files") as problem:
        weightmap.verify(model, target)
    assert problem.value.code == "bad_checksums"
    target.write_text(listed(model) + f"sha256    {sha(b'')}  m.gguf:gone\n")
    assert [(one.kind, one.name) for one in weightmap.verify(model, target, strict=False).missing] == [
        ("tensor", "m.gguf:gone")
    ]


def test_names_with_undecodable_bytes(tmp_path):
    from support.build import gguf

    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(tensors=[("w\udcff", (4,), 0, bytes(16))]))
    assert weightmap.verify(path, weightmap.digest(path).entry()).checked == 2
    manifest = tmp_path / "m.json"
    manifest.write_text(weightmap.digest(path).manifest())
    assert weightmap.verify(path, manifest).checked == 2
    assert weightmap.verify(path, {"files": {}, "tensors": {"w\\xff": sha(bytes(16))}}).checked == 1


class TestFoundBesideTheModel:
    @pytest.mark.parametrize("name", ["m.gguf.digest.json", "m.gguf.sha256", "m.gguf.manifest", "SHA256SUMS"])
    def test_files(self, model, name):
        kind = {"m.gguf.digest.json": "ours", "m.gguf.manifest": "gguf-hash"}.get(name, "sum")
        stated(model, kind).rename(model.with_name(name))
        assert weightmap.verify(model).sources == (str(model.with_name(name)),)
        flip(model, place(model, "a"))
        with pytest.raises(weightmap.CorruptWeightError):
            weightmap.verify(model)

    def test_nothing(self, model):
        model.with_name("SHA256SUMS").write_text(f"{sha(b'')}  other.gguf\n")
        with pytest.raises(weightmap.WeightFileError, match="No checksum of this model was found") as problem:
            weightmap.verify(model)
        assert problem.value.code == "no_checksums"

    def test_two_that_agree_and_two_that_do_not(self, model):
        model.with_name("SHA256SUMS").write_text(f"{sha(model.read_bytes())}  m.gguf\n")
        model.with_name("m.gguf.sha256").write_text(f"{sha(model.read_bytes())}\n")
        assert len(weightmap.verify(model).sources) == 2
        model.with_name("m.gguf.sha256").write_text(f"{sha(b'')}\n")
        with pytest.raises(weightmap.CorruptWeightError) as problem:
            weightmap.verify(model)
        assert problem.value.code == "ambiguous_checksums"

    def test_a_snapshot_of_hugging_face(self, tmp_path):
        content = a_safetensors(tmp_path / "x").read_bytes()
        snapshot = hugging_face(tmp_path / "hub", {"model.safetensors": content})
        found = weightmap.verify(snapshot / "model.safetensors")
        blob = snapshot.parents[1] / "blobs" / sha(content)
        assert found.sources == (str(blob),)
        flip(blob, place(blob, "a"))
        with pytest.raises(weightmap.CorruptWeightError):
            weightmap.verify(snapshot / "model.safetensors")

    def test_a_blob_that_git_itself_holds(self, tmp_path):
        content = a_safetensors(tmp_path / "x").read_bytes()
        (tmp_path / "blobs").mkdir()
        blob = tmp_path / "blobs" / sha(b"blob %d\0" % len(content) + content, "sha1")
        blob.write_bytes(content)
        os.symlink(blob, tmp_path / "small.safetensors")
        assert weightmap.verify(tmp_path / "small.safetensors").checked == 1

    def test_a_download_of_the_hub_into_a_folder(self, tmp_path):
        path = a_safetensors(tmp_path / "m.safetensors")
        note = tmp_path / ".cache" / "huggingface" / "download" / "m.safetensors.metadata"
        note.parent.mkdir(parents=True)
        note.write_text(f"{'a' * 40}\n{sha(path.read_bytes())}\n1700000000.5\n")
        assert weightmap.verify(path).sources == (str(note),)

    def test_ollama(self, tmp_path):
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
    def test_hashes_in_the_metadata(self, tmp_path, key, before):
        path = a_safetensors(tmp_path / "m.safetensors", {key: before + sha(b"".join(DATA.values())).upper()})
        found = weightmap.verify(path)
        assert (found.checked, found.sources) == (1, (str(path),))
        flip(path, place(path, "blk.0.w:x"))
        with pytest.raises(weightmap.CorruptWeightError, match="follows the header") as problem:
            weightmap.verify(path)
        assert problem.value.offset == place(path, "a")

    @pytest.mark.parametrize("value", ["", "0x123abc", "none"])
    def test_what_is_no_hash_in_the_metadata_is_passed_over(self, tmp_path, value):
        path = a_safetensors(tmp_path / "m.safetensors", {"modelspec.hash_sha256": value})
        with pytest.raises(weightmap.WeightFileError) as problem:
            weightmap.verify(path)
        assert problem.value.code == "no_checksums"


class TestLoading:
    def test_by_path_dict_and_by_itself(self, model):
        manifest = stated(model, "ours")
        for verify in (manifest, str(manifest), json.loads(manifest.read_text()), {"c": sha(DATA["c"])}):
            names = "c" if isinstance(verify, dict) and "c" in verify else None
            with weightmap.load_weights(model, verify=verify, names=names) as weights:
                assert weights["c"].tolist() == [0, 1, 2]
        with pytest.raises(weightmap.WeightFileError) as problem:
            weightmap.load_weights(model, verify=True)
        assert problem.value.code == "no_checksums"
        manifest.rename(model.with_name("m.gguf.digest.json"))
        assert len(weightmap.load_weights(model, verify=True)) == 3
        for verify in (None, False):
            assert len(weightmap.load_weights(model, verify=verify)) == 3

    def test_a_mismatch_says_tensor_and_range_and_leaves_nothing_open(self, model):
        manifest = stated(model, "ours")
        flip(model, place(model, "c") + 2)
        with pytest.raises(weightmap.CorruptWeightError) as problem:
            weightmap.load_weights(model, verify=manifest)
        assert (problem.value.tensor, problem.value.offset) == ("c", place_of_c(model))
        with weightmap.load_weights(model, names="a", verify=manifest) as weights:  # only what is asked for is compared
            assert np.array_equal(weights["a"].reshape(-1), np.arange(24, dtype=np.float32))
        with pytest.raises(weightmap.CorruptWeightError):
            weightmap.load_weights(model, names=["a", "c"], verify=manifest)


def place_of_c(path):
    with weightmap.open(path) as model:
        return model.tensors["c"].offset
