from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.command import Weightmap

from weightmap.cli.program import parser


def test_a_healthy_file_is_one_line(weightmap: Weightmap, model: Path) -> None:
    ran = weightmap("validate", model)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines() == [f"✓ {model}  gguf, 3 tensors, {model.stat().st_size / 1000:.1f} kB"]


def test_the_document_has_what_the_contract_names(weightmap: Weightmap, model: Path) -> None:
    [entry] = weightmap("validate", model, "--json").json
    assert entry == {
        "path": str(model),
        "format": "gguf",
        "status": "ok",
        "findings": [],
        "tensors": [
            {"name": "token_embd.weight", "type": "F32", "shape": [2, 3], "status": "ok"},
            {"name": "output.weight", "type": "Q8_0", "shape": [1, 32], "status": "ok"},
            {"name": "output_norm.weight", "type": "F16", "shape": [4], "status": "ok"},
        ],
        "composed": [],
    }


def test_values_are_looked_at_when_asked(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    ran = weightmap("validate", model, "--values", "--json")
    [entry] = ran.json
    [finding] = entry["findings"]
    assert ran.status == 0
    assert (finding["code"], finding["severity"], finding["tensor"]) == ("non_finite", "warning", "output_norm.weight")
    assert [tensor["status"] for tensor in entry["tensors"]] == ["ok", "ok", "warning"]
    assert entry["status"] == "warning"

    zeros = tmp_path / "zeros.safetensors"
    zeros.write_bytes(safetensors([(name, "F32", (64,), bytes(256)) for name in ("w.weight", "w.bias", "w.beta")]))
    [entry] = weightmap("validate", zeros, "--values", "--json").json
    assert [(finding["code"], finding["tensor"]) for finding in entry["findings"]] == [("all_zero", "w.weight")]


def test_fail_on_warning(weightmap: Weightmap, model: Path) -> None:
    assert weightmap("validate", model, "--values", "--fail-on", "warning").status == 1
    assert weightmap("validate", model, "--fail-on", "warning").status == 0


def test_a_damaged_file_says_which_tensor(weightmap: Weightmap, cut: Path) -> None:
    ran = weightmap("validate", cut)
    assert ran.status == 1
    assert ran.out.startswith(f"✕ {cut}")
    assert "tensor b" in ran.out
    [entry] = weightmap("validate", cut, "--values", "--json").json
    assert {tensor["name"]: tensor["status"] for tensor in entry["tensors"]} == {"a": "ok", "b": "error"}


def test_a_missing_path_is_an_entry_beside_the_others(weightmap: Weightmap, model: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone.gguf"
    ran = weightmap("validate", gone, model, "--json")
    first, second = ran.json
    assert ran.status == 1
    assert (first["path"], first["format"], first["status"], first["tensors"]) == (str(gone), None, "error", [])
    assert [finding["code"] for finding in first["findings"]] == ["not_found"]
    assert second["status"] == "ok"


def test_a_folder_gives_every_model_once(weightmap: Weightmap, model: Path, cut: Path) -> None:
    ran = weightmap("validate", model.parent, model)
    assert ran.status == 1
    assert ran.out.count(model.name) == 1
    assert ran.out.splitlines()[-1] == "2 models: 1 ok, 1 error"


def test_quiet_names_only_what_is_not_sound(weightmap: Weightmap, model: Path, cut: Path) -> None:
    ran = weightmap("validate", "--quiet", model.parent, model)
    assert (ran.status, model.name in ran.out) == (1, False)
    assert ran.out.startswith(f"✕ {cut}")
    assert ran.out.splitlines()[-1] == "2 models: 1 ok, 1 error"
    sound = weightmap("validate", "-q", model)
    assert (sound.status, sound.out, sound.err) == (0, "", "")
    assert [entry["path"] for entry in weightmap("validate", "-q", model, "--json").json] == [str(model)]


def test_a_folder_with_one_model_is_that_model(weightmap: Weightmap, model: Path) -> None:
    [entry] = weightmap("validate", model.parent, "--json").json
    assert (entry["path"], entry["format"], len(entry["tensors"])) == (str(model.parent), "gguf", 3)
    assert [finding["code"] for finding in entry["findings"]] == ["directory"]


def test_a_folder_without_models_is_an_entry_too(weightmap: Weightmap, tmp_path: Path) -> None:
    ran = weightmap("validate", tmp_path, "--json")
    [entry] = ran.json
    assert (ran.status, entry["path"], entry["format"]) == (1, str(tmp_path), None)
    assert [finding["code"] for finding in entry["findings"]] == ["no_model_in_directory"]


def test_junit(weightmap: Weightmap, model: Path, cut: Path) -> None:
    ran = weightmap("validate", model, cut, "--values", "--format", "junit")
    suites = ElementTree.fromstring(ran.out)
    assert (ran.status, suites.get("tests"), suites.get("failures")) == (1, "2", "1")
    sound, damaged = suites.iter("testcase")
    assert sound.get("name") == str(model)
    assert sound.find("failure") is None
    assert "non_finite" in (sound.findtext("system-out") or "")
    failure = damaged.find("failure")
    assert failure is not None
    assert "tensor b" in (failure.text or "")
    strict = ElementTree.fromstring(
        weightmap("validate", model, "--values", "--fail-on", "warning", "--format", "junit").out
    )
    assert strict.get("failures") == "1"


def test_sarif(weightmap: Weightmap, model: Path) -> None:
    [run] = weightmap("validate", model, "--values", "--format", "sarif").json["runs"]
    [result] = run["results"]
    assert (result["ruleId"], result["level"]) == ("non_finite", "warning")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["non_finite"]
    [location] = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == model.as_uri()
    assert (
        location["physicalLocation"]["region"]["byteOffset"] == model.stat().st_size - 30
    )  # the second half of the last tensor
    assert location["logicalLocations"] == [{"kind": "tensor", "fullyQualifiedName": "output_norm.weight"}]


def test_a_fault_of_many_tensors_is_told_to_people_once(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "many.safetensors"
    nan, zero = np.full(1, np.nan, "<f4").tobytes(), bytes(4)
    tensors = [(f"t{i:03}", "F32", (1,), zero if i % 20 == 1 else nan) for i in range(1, 61)]
    path.write_bytes(safetensors(tensors))
    lines = weightmap("validate", path, "--values").out.splitlines()
    said = [line.strip() for line in lines if "non_finite" in line or "all_zero" in line]
    assert said == [
        *["▲ warning all_zero: Its one value is zero."],
        "▲ warning non_finite: 1 NaN among 1 value. NaN at byte 3,564 (element 0). 56 more tensors are like this: t003, t004, "
        "t005 first.",
        *["▲ warning all_zero: Its one value is zero."] * 2,
    ]
    [entry] = weightmap("validate", path, "--values", "--json").json
    assert len(entry["findings"]) == 60


def test_notes_leave_a_file_healthy(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "x-00001-of-00002.safetensors"
    path.write_bytes(safetensors([("w.weight", "F32", (1,), bytes(4))]))
    ran = weightmap("validate", path)
    assert ran.out.splitlines() == [f"✓ {path}  safetensors, 1 tensor, 76 B, 1 note"]
    head, note, *below = weightmap("validate", path, "--notes").out.splitlines()
    assert head == ran.out.rstrip("\n")
    assert note == "    i info lone_shard: This is part 1 of 2, opened without the others."
    assert "    lone_shard" not in ran.out
    assert [line.strip() for line in below] == ["Open the index for the whole model."]
    [entry] = weightmap("validate", path, "--json").json
    assert (entry["status"], [finding["code"] for finding in entry["findings"]]) == ("info", ["lone_shard"])
    wrong = weightmap("validate", path, "--values").out.splitlines()
    assert wrong[0] == f"▲ {path}  safetensors, 1 tensor, 76 B, 1 note"
    assert wrong[1].startswith("    ▲ warning all_zero: ")
    assert not any("lone_shard" in line for line in wrong)
    both = weightmap("validate", path, path.parent / "gone").out.splitlines()
    assert both[-1] == "2 models: 1 ok, 1 error"


def test_parts_of_one_split_are_one_entry(weightmap: Weightmap, tmp_path: Path) -> None:
    paths = [tmp_path / f"m-0000{number}-of-00003.gguf" for number in (1, 2, 3)]
    for number, path in enumerate(paths):
        split = [("split.no", "u16", number), ("split.count", "u16", 3), ("split.tensors.count", "i32", 3)]
        model = [("general.architecture", "str", "llama")] if not number else []
        path.write_bytes(gguf([*model, *split], [(f"t{number}", (4,), 0, bytes(16))]))
    alone = tmp_path / "y-00001-of-00002.gguf", tmp_path / "y-00002-of-00002.gguf"
    for path in alone:  # names alone make no split
        path.write_bytes(gguf(tensors=[("t", (4,), 0, bytes(16))]))
    entries = weightmap("validate", *paths[1:], paths[0], *alone, tmp_path / "." / paths[2].name, "--json").json
    assert [Path(entry["path"]) for entry in entries] == [paths[1], *alone]
    assert [len(entry["tensors"]) for entry in entries] == [3, 1, 1]


@pytest.mark.parametrize(
    ("words", "paths", "address"),
    [
        (["--ray", "models"], ["models"], ""),
        (["models", "--ray"], ["models"], ""),
        (["--ray", "auto", "models"], ["models"], "auto"),
        (["--ray=auto", "models"], ["models"], "auto"),
        (["--ray", "ray://host:10001", "models"], ["models"], "ray://host:10001"),
        (["--values", "--ray", "host:6379", "a", "b"], ["a", "b"], "host:6379"),
        (["--ray", "here:1"], ["here:1"], ""),
        (["models"], ["models"], None),
    ],
)
def test_an_address_of_ray_is_told_from_a_path(
    words: list[str], paths: list[str], address: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here:1").touch()
    given = parser().parse_args(["validate", *words])
    assert (given.paths, given.ray, given.dask) == (paths, address, None)


def test_clusters_are_refused_in_one_line(weightmap: Weightmap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = weightmap("validate", "--dask", "127.0.0.1:1", "model.gguf")
    assert (ran.status, ran.out) == (1, "")
    assert "pip install 'weightmap[dask]'" in ran.err
    assert ran.err.count("\n") == 1
