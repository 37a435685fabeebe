from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors
from support.command import Weightmap


def test_the_document_has_exact_values(weightmap: Weightmap, model: Path) -> None:
    ran = weightmap("stats", model, "--bins", 5, "--json")
    first, second, third = ran.json
    assert ran.status == 0
    assert first == {
        "tensor": "token_embd.weight",
        "type": "F32",
        "count": 6,
        "min": 0.0,
        "max": 5.0,
        "mean": 2.5,
        "std": pytest.approx(np.arange(6).std()),
        "nan": 0,
        "inf": 0,
        "zeros": 1,
        "exact": True,
        "histogram": {"edges": [0, 1, 2, 3, 4, 5], "counts": [1, 1, 1, 1, 2]},
    }
    assert (second["max"], second["zeros"]) == (15.5, 1)
    assert (third["count"], third["min"], third["max"], third["nan"], third["inf"]) == (4, 0.0, 1.0, 1, 1)


def test_only_named_tensors_in_the_order_given(weightmap: Weightmap, model: Path) -> None:
    names = ("output.weight", "token_embd.weight")
    found = weightmap("stats", model, "--json", *(word for name in names for word in ("--tensor", name))).json
    assert [entry["tensor"] for entry in found] == list(names)
    assert len(found[0]["histogram"]["counts"]) == 256


def test_patterns_fit_in_file_order_each_tensor_once(weightmap: Weightmap, model: Path) -> None:
    found = weightmap("stats", model, "--json", "--tensor", "output_norm.weight", "--tensor", "output*").json
    assert [entry["tensor"] for entry in found] == ["output_norm.weight", "output.weight"]
    ran = weightmap("stats", model, "--json", "--tensor", "blk.*")
    assert (ran.status, ran.json["error"]["code"]) == (2, "unknown_tensor")


def test_nothing_finite_is_null_and_no_error(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "nan.safetensors"
    path.write_bytes(safetensors((("n", "F32", (2,), np.full(2, np.nan, "<f4").tobytes()), ("e", "F32", (0,), b""))))
    first, second = weightmap("stats", path, "--json").json
    for entry in (first, second):
        assert [entry[name] for name in ("min", "max", "mean", "std")] == [None] * 4
        assert entry["histogram"]["edges"] is None
        assert set(entry["histogram"]["counts"]) == {0}
    assert weightmap("stats", path).out.splitlines()[1].split()[:5] == ["n", "F32", "2", "-", "-"]


def test_64_bit_integers_keep_every_digit(weightmap: Weightmap, tmp_path: Path) -> None:
    path = tmp_path / "big.safetensors"
    path.write_bytes(safetensors((("i", "I64", (2,), np.array([-(2**63), 2**63 - 1], "<i8").tobytes()),)))
    [entry] = weightmap("stats", path, "--json").json
    assert (entry["min"], entry["max"]) == (-(2**63), 2**63 - 1)
    assert "9,223,372,036,854,775,807" in weightmap("stats", path).out


def test_an_unreadable_tensor_is_a_row_that_says_why(weightmap: Weightmap, cut: Path) -> None:
    ran = weightmap("stats", cut, "--json")
    whole, broken = ran.json
    assert ran.status == 1
    assert (whole["tensor"], whole["mean"]) == ("a", 1.0)
    assert (broken["count"], broken["mean"], broken["exact"], broken["histogram"]) == (64, None, False, None)
    assert broken["error"]["tensor"] == "b"
    shown = weightmap("stats", cut)
    assert shown.status == 1
    assert "tensor b" in shown.out
    assert weightmap("stats", cut, "--tensor", "a").status == 0
    assert set(weightmap("stats", cut, "--tensor", "b", "--json").json) == {"error"}
    assert [entry["tensor"] for entry in weightmap("stats", cut, "--tensor", "?", "--json").json] == ["a", "b"]


def test_an_unknown_name_is_wrong_usage_and_a_near_one_is_offered(weightmap: Weightmap, model: Path) -> None:
    ran = weightmap("stats", model, "--tensor", "token_embd.weigth")
    assert ran.status == 2
    assert "Is token_embd.weight meant?" in ran.err
    failed = weightmap("stats", model, "--tensor", "nope", "--json")
    assert (failed.status, failed.json["error"]["code"], failed.json["error"]["tensor"]) == (
        2,
        "unknown_tensor",
        "nope",
    )


@pytest.mark.parametrize("bins", ["0", "-1", "x", "1000001"])
def test_impossible_bins_are_wrong_usage(weightmap: Weightmap, model: Path, bins: str) -> None:
    ran = weightmap("stats", model, f"--bins={bins}")
    assert (ran.status, ran.out) == (2, "")
    assert "--bins" in ran.err


@pytest.mark.parametrize("bins", ["0", "-1", "65535", "1000000", "1e3", "", "\u00b2", "9" * 5000])
def test_an_impossible_number_of_bins_is_wrong_usage(weightmap: Weightmap, model: Path, bins: str) -> None:
    ran = weightmap("stats", model, f"--bins={bins}")
    assert (ran.status, ran.out) == (2, "")
    assert "must be a whole number from 1 to 65,534" in ran.err


def test_bins_draw_the_histogram_in_letters(weightmap: Weightmap, model: Path) -> None:
    drawn = weightmap("stats", model, "--tensor", "token_embd.weight", "--bins", 5).out.split("\n\n")[1].splitlines()
    assert drawn[0] == "token_embd.weight"
    assert [line.split() for line in drawn[1:]] == [
        ["0", "to", "1", "1", "█" * 24],
        ["1", "to", "2", "1", "█" * 24],
        ["2", "to", "3", "1", "█" * 24],
        ["3", "to", "4", "1", "█" * 24],
        ["4", "to", "5", "2", "█" * 48],
    ]
    assert "█" not in weightmap("stats", model).out


def test_a_bin_that_is_not_empty_is_seen_and_no_finite_value_is_said(weightmap: Weightmap, tmp_path: Path) -> None:
    few = np.append(np.zeros(10_000), 1).astype("<f4")
    path = tmp_path / "few.safetensors"
    nan = np.full(2, np.nan, "<f4").tobytes()
    path.write_bytes(safetensors((("f", "F32", few.shape, few.tobytes()), ("n", "F32", (2,), nan))))
    _, first, second = weightmap("stats", path, "--bins", 3).out.split("\n\n")
    assert [line.split()[3:] for line in first.splitlines()[1:]] == [["10,000", "█" * 48], ["0"], ["1", "▏"]]
    assert second == "n\n  no finite value\n"


@pytest.mark.parametrize(("encoding", "letter"), [("ascii", "#"), ("cp1252", "#"), ("cp437", "#"), ("utf-8", "█")])
def test_where_stdout_has_no_blocks_bars_are_whole_letters(model: Path, encoding: str, letter: str) -> None:
    command = [sys.executable, "-m", "weightmap", "stats", str(model), "--tensor", "token_embd.weight", "--bins", "5"]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    ran = subprocess.run(command, env=environment, capture_output=True, check=True)
    drawn = ran.stdout.decode(encoding).split(os.linesep * 2)[1].splitlines()
    assert [line.split()[-1] for line in drawn[1:]] == [letter * 24] * 4 + [letter * 48]
