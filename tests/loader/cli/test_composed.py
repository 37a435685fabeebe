"""Every command on a checkpoint of codes and scales: the weights as the model uses them, the tensors where these are asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.command import Weightmap
from support.composed import checkpoint
from support.floats import E4M3

CODES = np.random.default_rng(1).integers(0, 0x7F, (32, 64), np.uint8)
SCALES = np.linspace(0.001, 0.002, 32, dtype=np.float32).reshape(32, 1)
VALUES = E4M3[CODES] * SCALES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tensors = {"a.weight": ("F8_E4M3", CODES), "a.weight_scale": SCALES, "norm.weight": SCALES[:, 0]}
    return checkpoint(tmp_path / "m", tensors)


def test_info_lists_both(weightmap: Weightmap, folder: Path) -> None:
    ran = weightmap("info", folder, "--json")
    assert ran.status == 0
    assert [tensor["name"] for tensor in ran.json["tensors"]] == ["a.weight", "a.weight_scale", "norm.weight"]
    assert ran.json["composed"] == [
        {
            "name": "a.weight",
            "scheme": "fp8_channel",
            "shape": [32, 64],
            "sources": ["a.weight", "a.weight_scale"],
            "status": "ok",
            "assumed": None,
            "readings": [],
        }
    ]
    page = weightmap("info", folder).out
    assert "weights that lie in several tensors" in page
    assert page.splitlines()[-1].split()[1:] == [
        "a.weight",
        "fp8_channel",
        "32",
        "×",
        "64",
        "8.50",
        "weight,",
        "weight_scale",
    ]


def test_stats_are_of_values_or_of_codes(weightmap: Weightmap, folder: Path) -> None:
    rows = weightmap("stats", folder, "--json").json
    assert [(row["tensor"], row["type"]) for row in rows] == [("a.weight", "fp8_channel"), ("norm.weight", "F32")]
    assert rows[0]["max"] == VALUES.max()
    rows = weightmap("stats", folder, "--stored", "--json").json
    assert [(row["tensor"], row["type"]) for row in rows[:2]] == [("a.weight", "F8_E4M3"), ("a.weight_scale", "F32")]
    assert rows[0]["max"] == 448
    (row,) = weightmap("stats", folder, "--tensor", "a.weight", "--json").json
    assert row["max"] == VALUES.max()
    (row,) = weightmap("stats", folder, "--tensor", "a.weight_scale", "--json").json
    assert row["count"] == 32


def test_export_writes_values_or_codes(weightmap: Weightmap, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    ran = weightmap("export", folder, "a.weight", out, "--json")
    assert ran.json == {"path": str(out), "tensor": "a.weight", "dtype": "float32", "shape": [32, 64]}
    assert np.array_equal(np.load(out), VALUES)
    assert weightmap("export", folder, "a.weight", out, "--stored").status == 0
    assert np.array_equal(np.load(out), E4M3[CODES])


def test_whatif_encodes_the_values(weightmap: Weightmap, folder: Path) -> None:
    (row,) = weightmap("whatif", folder, "--tensor", "a.weight", "--types", "Q8_0", "--json").json
    assert 0.001 < row["relative_rmse"] < 0.02
    assert "stored as fp8_channel" in weightmap("whatif", folder, "--tensor", "a.weight", "--types", "Q8_0").out


def test_validate_names_what_does_not_fit(weightmap: Weightmap, folder: Path, tmp_path: Path) -> None:
    (entry,) = weightmap("validate", folder, "--values", "--json").json
    assert entry["status"] == "info"  # the folder
    assert entry["composed"] == [{"name": "a.weight", "scheme": "fp8_channel", "shape": [32, 64], "status": "ok"}]
    wrong = {"a.weight": ("F8_E4M3", CODES), "a.weight_scale": SCALES[:31]}
    ran = weightmap("validate", checkpoint(tmp_path / "wrong", wrong), "--json")
    assert ran.status == 1
    (error,) = [found for found in ran.json[0]["findings"] if found["severity"] == "error"]
    assert (error["code"], error["tensor"]) == ("scale_shape", "a.weight_scale")


def test_validate_with_values_sees_what_only_the_product_shows(weightmap: Weightmap, tmp_path: Path) -> None:
    large = {"a.weight": ("F8_E4M3", CODES & 0x07 | 0x70), "a.weight_scale": np.full((32, 1), 3e38, np.float32)}
    (entry,) = weightmap("validate", checkpoint(tmp_path / "m", large), "--values", "--json").json
    (found,) = [found for found in entry["findings"] if found["code"] == "non_finite"]
    assert found["tensor"] == "a.weight"
    assert "Inf" in found["message"]
    assert entry["composed"][0]["status"] == "warning"


def test_stats_of_a_weight_without_values_says_why(weightmap: Weightmap, tmp_path: Path) -> None:
    wrong = {"a.weight": ("F8_E4M3", CODES), "a.weight_scale": SCALES[:31]}
    folder = checkpoint(tmp_path / "wrong", wrong)
    assert weightmap("stats", folder, "--tensor", "a.weight").status == 1
    assert [row["type"] for row in weightmap("stats", folder, "--json").json] == ["F8_E4M3", "F32"]


def test_every_command_takes_another_reading(weightmap: Weightmap, tmp_path: Path) -> None:
    codes = np.random.default_rng(2).integers(0, 0x7F, (2, 8, 8), np.uint8)
    scales = np.random.default_rng(3).uniform(0.001, 0.01, (2, 8)).astype(np.float32)
    folder = checkpoint(tmp_path / "m", {"a.weight": ("F8_E4M3", codes), "a.weight_scale": scales})
    rows, columns = E4M3[codes] * scales[..., None], E4M3[codes] * scales[:, None]
    assert "other reading: scales of columns (1 weight)" in weightmap("info", folder).out
    assert weightmap("info", folder, "--json").json["composed"][0]["readings"] == ["scales of columns"]
    said = {found["code"]: found for found in weightmap("validate", folder, "--json").json[0]["findings"]}
    assert (said["assumed_reading"]["severity"], said["assumed_reading"]["tensor"]) == ("info", "a.weight")
    for values, option in ((rows, ()), (columns, ("--reading", "Columns"))):
        (entry,) = weightmap("stats", folder, "--json", *option).json
        assert entry["max"] == values.max()
        assert weightmap("export", folder, "a.weight", tmp_path / "out.npy", *option).status == 0
        assert np.array_equal(np.load(tmp_path / "out.npy"), values)
        original = checkpoint(tmp_path / "original", {"a.weight": values})
        (pair,) = weightmap("compare", folder, original, "--json", *option).json["pairs"]
        assert pair["rmse"] == 0
        (row,) = weightmap("whatif", folder, "--tensor", "a.weight", "--types", "F16", "--json", *option).json
        rounded = values.astype(np.float16).astype(np.float64) - values
        assert row["rmse"] == pytest.approx(np.sqrt(np.mean(rounded**2)), rel=1e-6)
    assert weightmap("compare", original, folder, "--json", "--reading", "columns").json["pairs"][0]["rmse"] == 0
    ran = weightmap("compare", original, folder, "--reading", "low nibble")
    assert (ran.status, ran.err.count("no weight has a reading called")) == (2, 2)
    ran = weightmap("stats", folder, "--reading", "low nibble first")
    assert ran.status == 2
    assert "'scales of columns'" in ran.err
