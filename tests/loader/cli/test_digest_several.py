from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.checksums import DATA, a_gguf, flip, place, sha
from support.command import Weightmap


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models in a folder, one of them below."""
    (tmp_path / "models" / "below").mkdir(parents=True)
    a_gguf(tmp_path / "models" / "a.gguf")
    a_gguf(tmp_path / "models" / "below" / "b.gguf")
    return tmp_path / "models"


def test_several_models_are_a_list_of_documents(weightmap: Weightmap, folder: Path) -> None:
    paths = [folder / "a.gguf", folder / "below" / "b.gguf"]
    ran = weightmap("digest", folder, paths[0], "--json")
    assert ran.status == 0
    assert [entry.pop("path") for entry in ran.json] == [str(path) for path in paths]
    assert ran.json[0]["tensors"] == {name: sha(data) for name, data in DATA.items()}
    assert [weightmap("digest", path, "--json").json for path in paths] == [
        {name: value for name, value in entry.items() if name != "path"} for entry in ran.json
    ]


def test_their_page_is_one_list_of_sha256sum(
    weightmap: Weightmap, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    page = weightmap("digest", "models").out
    done = subprocess.run(["sha256sum", "--strict", "-c", "-"], input=page, text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (0, "models/a.gguf: OK\nmodels/below/b.gguf: OK\n")
    kept = folder.parent / "SHA256SUMS"
    kept.write_text(page)
    assert weightmap("verify", "models", kept).status == 0
    flip(folder / "below" / "b.gguf", place(folder / "below" / "b.gguf", "a"))
    ran = weightmap("verify", "models", kept, "--json")
    assert ran.status == 1
    assert [(entry["path"], entry["status"]) for entry in ran.json] == [
        ("models/a.gguf", "ok"),
        ("models/below/b.gguf", "error"),
    ]
    lines = weightmap("verify", "models", kept).out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "✓ models/a.gguf  1 checksum compared, as stated",
        "✕ models/below/b.gguf  1 checksum compared, 1 difference",
    ]


def test_a_manifest_is_of_one_model(weightmap: Weightmap, folder: Path) -> None:
    ran = weightmap("digest", folder, "-o", folder / "all.json")
    assert (ran.status, ran.err) == (2, "weightmap: -o writes the manifest of one model; these are 2.\n")
    assert not (folder / "all.json").exists()


def test_one_that_cannot_be_read_does_not_end_the_others(weightmap: Weightmap, folder: Path) -> None:
    absent, other = folder / "absent.gguf", folder / "a.gguf"
    ran = weightmap("digest", absent, other, "--json")
    assert ran.status == 1
    assert [entry.get("error", {}).get("code") for entry in ran.json] == ["not_found", None]
    ran = weightmap("digest", absent, other)
    assert (ran.status, ran.err.count("There is no such file.")) == (1, 1)
    assert f"  {other}\n" in ran.out
    weightmap("digest", other, "-o", f"{other}.digest.json")
    ran = weightmap("verify", folder, "--json")
    assert ran.status == 1
    assert [entry.get("error", {}).get("code") for entry in ran.json] == [None, "no_checksums"]
    ran = weightmap("verify", folder)
    assert ran.out.startswith(f"✓ {other}  4 checksums compared")
    assert "No checksum of this model was found beside it" in ran.err


def test_a_model_is_no_manifest(weightmap: Weightmap, folder: Path) -> None:
    ran = weightmap("verify", folder / "a.gguf", folder / "below" / "b.gguf")
    assert ran.status == 1
    assert "This is a model (gguf); a manifest of checksums was expected." in ran.err
    assert "weightmap verify FOLDER" in ran.err


def test_a_manifest_that_is_not_there_is_said_once(weightmap: Weightmap, folder: Path) -> None:
    ran = weightmap("verify", folder, folder / "nothing.json")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"weightmap: There is no such manifest. [{folder / 'nothing.json'}] Check the path.\n"
