from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.checksums import DATA, a_gguf, flip, place, sha
from support.command import Weightmap


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return a_gguf(tmp_path / "m.gguf")


def test_the_document_and_the_manifest(weightmap: Weightmap, path: Path) -> None:
    document = {
        "files": {"m.gguf": {"sha256": sha(path.read_bytes()), "bytes": path.stat().st_size}},
        "tensors": {name: sha(data) for name, data in DATA.items()},
    }
    ran = weightmap("digest", path, "--json")
    assert (ran.status, ran.json) == (0, document)
    out = path.with_name("m.gguf.digest.json")
    ran = weightmap("digest", path, "-o", out)
    assert (ran.status, ran.out) == (0, f"{out}: 1 file, 3 tensors\n")
    assert json.loads(out.read_text()) == document
    assert sorted(p.name for p in path.parent.iterdir()) == ["m.gguf", "m.gguf.digest.json"]


def test_the_page_is_a_list_of_sha256sum(weightmap: Weightmap, path: Path) -> None:
    page = weightmap("digest", path).out
    done = subprocess.run(
        ["sha256sum", "--strict", "-c", "-"], input=page, text=True, capture_output=True, cwd=path.parent
    )
    assert (done.returncode, done.stdout) == (0, "m.gguf: OK\n")
    assert f"# {sha(DATA['a'])}  a\n" in page
    kept = path.with_name("kept.txt")
    kept.write_text(page)
    assert weightmap("verify", path, kept).status == 0
    flip(path, place(path, "a"))
    assert weightmap("verify", path, kept).status == 1


def test_a_dash_is_stdout(weightmap: Weightmap, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    assert weightmap("digest", path, "-o", "-").json == weightmap("digest", path, "--json").json
    assert [entry.name for entry in path.parent.iterdir()] == ["m.gguf"]


def test_what_is_named_after_the_folder_is_found(weightmap: Weightmap, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    path = a_gguf(folder / "m.gguf")
    weightmap("digest", folder, "-o", f"{folder}.digest.json")
    for given in (folder, path):
        assert f"stated by {folder}.digest.json" in weightmap("verify", given).out
    path.rename(folder / "other.gguf")
    ran = weightmap("verify", folder, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (1, "no_checksums")


def test_the_model_is_not_written_over(weightmap: Weightmap, path: Path) -> None:
    before = path.read_bytes()
    ran = weightmap("digest", path, "-o", path, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "same_file")
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(
    weightmap: Weightmap, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weightmap.digest", None)
    folder = path.parent / "no"
    ran = weightmap("digest", path, "-o", folder / "m.json", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (1, "write_error")
    assert ran.json["error"]["message"] == f"There is no folder {folder} to write m.json to. Make it first."


def test_an_unreadable_tensor_makes_the_status(weightmap: Weightmap, cut: Path) -> None:
    ran = weightmap("digest", cut, "--json")
    assert ran.status == 1
    assert (list(ran.json["tensors"]), ran.json["unreadable"][0]["tensor"]) == (["a"], "b")
    assert "truncated" in weightmap("digest", cut).out


def test_verify(weightmap: Weightmap, path: Path) -> None:
    manifest = path.with_name("m.gguf.digest.json")
    weightmap("digest", path, "-o", manifest)
    for arguments in ((path,), (path, manifest)):
        ran = weightmap("verify", *arguments, "--json")
        assert ran.status == 0
        assert ran.json == {
            "status": "ok",
            "mismatched": [],
            "missing": [],
            "checked": 4,
            "manifests": [str(manifest)],
            "passed_over": 0,
        }
    assert "4 checksums compared, as stated" in weightmap("verify", path).out
    flip(path, place(path, "c"))
    ran = weightmap("verify", path, "--json")
    assert (ran.status, ran.json["status"]) == (1, "error")
    assert [one["name"] for one in ran.json["mismatched"]] == ["m.gguf", "c"]
    page = weightmap("verify", path)
    assert page.status == 1
    assert "2 differences" in page.out
    assert "Tensor c, bytes" in page.out


def test_what_is_cut_off_was_not_compared(weightmap: Weightmap, path: Path) -> None:
    manifest = path.with_name("m.json")
    assert weightmap("digest", path, "-o", manifest).status == 0
    os.truncate(path, place(path, "c") + 1)
    ran = weightmap("verify", path, manifest, "--json")
    missing = [one["name"] for one in ran.json["missing"]]
    assert ran.status == 1 and "c" in missing
    assert ran.json["checked"] + len(missing) == 4
    page = weightmap("verify", path, manifest).out.splitlines()[0]
    assert page.endswith(
        f"{ran.json['checked']} checksums compared, 1 difference, {len(missing)} more cannot be compared"
    )


def test_what_cannot_be_read_is_an_error_document(weightmap: Weightmap, path: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_text("nonsense\n")
    for arguments, code in (
        ((path,), "no_checksums"),
        ((path, bad), "bad_checksums"),
        ((path, tmp_path / "absent"), "not_found"),
        ((tmp_path / "absent",), "not_found"),
    ):
        ran = weightmap("verify", *arguments, "--json")
        assert (ran.status, ran.json["error"]["code"]) == (1, code)
    assert weightmap("digest", tmp_path / "absent", "--json").json["error"]["code"] == "not_found"


@pytest.mark.parametrize("name", ["other.gguf", "weights.bin", "model.safetensors.index.json"])
def test_no_weights_are_written_over(weightmap: Weightmap, path: Path, name: str) -> None:
    other = path.with_name(name)
    other.write_bytes(b'{"weight_map": {}}' if name.endswith("json") else path.read_bytes())
    before = other.read_bytes()
    ran = weightmap("digest", path, "-o", other, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "weight_file")
    assert other.read_bytes() == before


def test_a_manifest_is_not_given_the_name_of_a_weight_file(weightmap: Weightmap, path: Path) -> None:
    ran = weightmap("digest", path, "-o", path.with_name("new.GGUF"))
    assert ran.status == 2 and "ends in .GGUF, as weight files do" in ran.err
    assert [p.name for p in path.parent.iterdir()] == ["m.gguf"]


def test_an_old_manifest_is_written_anew(weightmap: Weightmap, path: Path) -> None:
    manifest = path.with_name("m.gguf.digest.json")
    manifest.write_text("{}")
    assert weightmap("digest", path, "-o", manifest).status == 0
    assert json.loads(manifest.read_text())["files"]
