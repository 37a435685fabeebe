"""Which claim of a manifest is made of which file and tensor: by path first, never guessed, and no part left out."""

import os
import shutil

import pytest
from support.checksums import DATA, a_gguf, flip, place, sha, shards
from support.manifests import listed, stated

import weightmap


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
