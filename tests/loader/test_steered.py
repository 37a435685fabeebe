"""What an importance matrix steers in `whatif`: the types that cannot be made without one, and no others."""

from __future__ import annotations

import json

import libgguf
import numpy as np
import pytest
from support.build import gguf

import weightmap
from weightmap.cli import main
from weightmap.measure.weighted import Importance, steering
from weightmap.types.registry import by_name

RNG = np.random.default_rng(31)
FLAT = (RNG.standard_normal((6, 512)) * 0.02).astype("<f4")
STACK = (RNG.standard_normal((3, 4, 256)) * 0.02).astype("<f4")
SUMS = {"flat": RNG.gamma(0.5, 8, (1, 512)).astype("<f4"), "stack": RNG.gamma(0.5, 8, (3, 256)).astype("<f4")}
COUNTS = {
    "flat": np.array([[3]], "<f4"),
    "stack": np.array([[3], [0], [7]], "<f4"),
}  # no text came to the second expert


@pytest.fixture
def files(tmp_path):
    model, matrix = tmp_path / "m.gguf", tmp_path / "i.gguf"
    tensors = [("flat", FLAT.shape, 0, FLAT.tobytes()), ("stack", STACK.shape, 0, STACK.tobytes())]
    model.write_bytes(gguf((("general.architecture", "str", "llama"),), tensors))
    parts = [(f"{name}.in_sum2", SUMS[name]) for name in SUMS] + [(f"{name}.counts", COUNTS[name]) for name in SUMS]
    entries = [(name, values.shape, 0, values.tobytes()) for name, values in parts]
    matrix.write_bytes(gguf([("general.type", "str", "imatrix")], entries))
    return model, matrix


def relative_error(values, name, weights):
    kind = by_name(name)
    decoded = libgguf.dequantize_rows(libgguf.quantize_rows(values, kind.id, imatrix=weights), kind.id)
    error, r = decoded.astype(np.float64) - values, values.astype(np.float64)
    return float((error**2).sum()), float((r**2).sum())


@pytest.mark.parametrize("name", ["IQ2_XS", "IQ2_XXS", "IQ1_S"])
def test_what_needs_a_matrix_is_made_with_it(files, name):
    with weightmap.open(files[0]) as model:
        [row] = weightmap.whatif(model.tensors["flat"], name, imatrix=files[1])
        [without] = weightmap.whatif(model.tensors["flat"], name)
    ee, rr = relative_error(FLAT, name, SUMS["flat"][0] / np.float32(3))
    assert row.steered and row.problem is None
    assert row.relative_rmse == pytest.approx(np.sqrt(ee / rr), rel=1e-6)
    assert without.problem == f"{name} is made with an importance matrix alone." and not without.steered


def test_each_expert_is_steered_by_its_own_inputs_and_alike_without_any(files):
    with weightmap.open(files[0]) as model:
        [row] = weightmap.whatif(model.tensors["stack"], "IQ2_XS", imatrix=files[1])
    weights = SUMS["stack"] / np.maximum(COUNTS["stack"], 1)
    weights[1] = 1
    sums = [relative_error(STACK[expert], "IQ2_XS", weights[expert]) for expert in range(3)]
    assert row.relative_rmse == pytest.approx(np.sqrt(sum(e for e, _ in sums) / sum(r for _, r in sums)), rel=1e-6)


def test_all_others_are_made_as_without_it(files):
    names = [kind.name for kind in weightmap.whatif_types(writable=True)]
    assert "IQ2_XS" not in names and "IQ2_S" in names
    with weightmap.open(files[0]) as model:
        steered = weightmap.whatif(model.tensors["flat"], names, imatrix=files[1])
        plain = weightmap.whatif(model.tensors["flat"], names)
    assert [row.relative_rmse for row in steered] == [row.relative_rmse for row in plain]
    assert not any(row.steered for row in steered)


def test_the_command_says_which(files, capsys):
    def run(*more):
        main(["whatif", str(files[0]), "--tensor", "flat", "--types", "Q2_K,IQ2_XS", *more])
        return capsys.readouterr().out

    rows = {line.split()[0]: line for line in run("--imatrix", str(files[1])).splitlines()[3:]}
    assert rows["IQ2_XS"].endswith("steered by the matrix") and "steered" not in rows["Q2_K"]
    assert [row["steered"] for row in json.loads(run("--imatrix", str(files[1]), "--json"))] == [False, True]
    assert "steered" not in run("--json")


def test_weights_of_elements_wherever_a_range_begins():
    importance = steering(Importance(np.array([[1.0, 2, 3], [0, 0, 0]]), 2))
    out = np.empty(8, np.float32)
    importance.fill(2, out)
    assert out.tolist() == [3, 1, 2, 3, 1, 1, 1, 1]
