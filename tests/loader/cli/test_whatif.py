from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors
from support.command import Weightmap


@pytest.fixture
def floats(tmp_path: Path) -> Path:
    path = tmp_path / "f.safetensors"
    values = (np.random.default_rng(2).standard_normal((4, 96)) * 0.02).astype("<f4")
    path.write_bytes(
        safetensors((("w", "F32", (4, 96), values.tobytes()), ("i", "I64", (1,), bytes(8)), ("cut", "F32", (9,), b"")))
    )
    return path


def test_the_document(weightmap: Weightmap, floats: Path) -> None:
    ran = weightmap("whatif", floats, "--tensor", "w", "--types", "Q8_0, F32,Q4_K", "--json")
    assert ran.status == 0
    first, second, third = ran.json
    assert (first["type"], first["bits_per_weight"], first["rmse"], first["sqnr_db"]) == ("F32", 32, 0, None)
    assert (first["identical"], first["stored"]) == (True, True)
    assert (second["type"], second["bits_per_weight"], second["problem"]) == ("Q8_0", 8.5, None)
    assert second["relative_rmse"] == pytest.approx(0.0055, rel=0.1)
    assert second["sqnr_db"] == pytest.approx(-20 * math.log10(second["relative_rmse"]))
    assert (third["type"], third["rmse"]) == ("Q4_K", None)
    assert "Blocks of 256" in third["problem"]


def test_the_table(weightmap: Weightmap, floats: Path) -> None:
    lines = weightmap("whatif", floats, "--tensor", "w").out.splitlines()
    assert lines[0] == "w  4 × 96, stored as F32"
    assert lines[2].split()[:2] == ["type", "bits/weight"]
    assert lines[3].split() == ["F32", "32", "0", "-", "0", "0", "identical"]
    rows = {line.split()[0]: line for line in lines[3:]}
    assert rows["Q6_K"].endswith("Blocks of 256 do not fit rows of 96; llama.cpp would take Q8_0 instead.")
    assert rows["Q2_0"].endswith("There is no quantizer for Q2_0 here.")
    assert rows["IQ1_S"].endswith("Blocks of 256 do not fit rows of 96; llama.cpp would take IQ4_NL instead.")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--tensor", "v"), "unknown_tensor", "no tensor called v"),
        (("--tensor", "w", "--types", "Q9"), "unknown_type", "no type to measure called Q9."),
        (("--tensor", "i"), "not_quantizable", "i holds I64 numbers; only floats can be quantized."),
    ],
)
def test_what_cannot_be_asked(weightmap: Weightmap, floats: Path, arguments, code: str, words: str) -> None:
    ran = weightmap("whatif", floats, *arguments, "--json")
    assert ran.status == 2
    assert ran.json["error"]["code"] == code
    assert words in ran.json["error"]["message"]


def test_types_are_known_in_small_letters_and_by_what_is_nearly_their_name(weightmap: Weightmap, floats: Path) -> None:
    asked = ("whatif", floats, "--tensor", "w", "--types")
    assert [row["type"] for row in weightmap(*asked, "q8_0, q4_0,", "--json").json] == ["Q8_0", "Q4_0"]
    assert weightmap(*asked, "q4_k_m").err == "weightmap: There is no type to measure called q4_k_m. Is Q4_K meant?\n"
    for none in ("", ",", "9"):
        ran = weightmap(*asked, none)
        assert ran.status == 2
        assert " There are F32, F16, " in ran.err


def test_a_tensor_that_cannot_be_read(weightmap: Weightmap, floats: Path) -> None:
    ran = weightmap("whatif", floats, "--tensor", "cut", "--json")
    assert (ran.status, ran.json["error"]["code"], ran.json["error"]["tensor"]) == (1, "size_mismatch", "cut")


def test_the_tensor_must_be_named(weightmap: Weightmap, floats: Path) -> None:
    assert weightmap("whatif", floats).status == 2
