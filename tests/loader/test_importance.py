"""Importance matrices attached to a comparison, in both their forms, and those that do not fit."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.imatrix import imatrix

import weightmap
from weightmap.cli import main

NAME, STACK = "blk.0.ffn_up.weight", "blk.0.ffn_up_exps.weight"
RNG = np.random.default_rng(3)
R = {NAME: RNG.standard_normal((6, 64)), STACK: RNG.standard_normal((3, 4, 32)), "output_norm.weight": np.ones(64)}
R = {name: values.astype("<f4") for name, values in R.items()}
Q = {name: (values * np.float32(1.01) + np.float32(0.02)).astype("<f4") for name, values in R.items()}
SQUARES = {NAME: RNG.random((1, 64)) ** 4, STACK: RNG.random((3, 32)) ** 4}
SQUARES = {name: values.astype("<f4") for name, values in SQUARES.items()}
COUNTS = {NAME: [4], STACK: [2, 0, 5]}


def model(path, values):
    path.write_bytes(
        gguf((("general.architecture", "str", "llama"),), [(n, v.shape, 0, v.tobytes()) for n, v in values.items()])
    )
    return path


def newer(path, squares=None, counts=COUNTS):
    tensors = []
    for name, values in (squares or SQUARES).items():
        values = np.asarray(values, "<f4")
        tensors.append((f"{name}.in_sum2", values.shape, 0, values.tobytes()))
        if name in counts:
            count = np.array(counts[name], "<f4").reshape(-1, 1)
            tensors.append((f"{name}.counts", count.shape, 0, count.tobytes()))
    path.write_bytes(gguf([("general.type", "str", "imatrix")], tensors))
    return path


@pytest.fixture
def files(tmp_path):
    return model(tmp_path / "q.gguf", Q), model(tmp_path / "r.gguf", R)


def expected(name, weights):
    w = np.broadcast_to(np.asarray(weights, np.float64)[:, None, :], (len(weights), *R[name].shape[-2:]))
    q, r = (side[name].astype(np.float64).reshape(w.shape) for side in (Q, R))
    ee, rr = (w * (q - r) ** 2).sum(), (w * r**2).sum()
    return np.sqrt(ee / w.sum()), np.sqrt(ee / rr), 10 * np.log10(rr / ee)


def measures(pair):
    return pair.weighted_rmse, pair.weighted_relative_rmse, pair.weighted_sqnr_db


def test_the_newer_form_weighs_each_expert_by_its_own_inputs(files, tmp_path):
    found = weightmap.compare(*files, imatrix=newer(tmp_path / "imatrix.gguf"))
    pairs = {pair.tensor: pair for pair in found.pairs}
    assert measures(pairs[NAME]) == pytest.approx(expected(NAME, SQUARES[NAME]), rel=1e-12)
    weights = SQUARES[STACK] / np.array([[2], [np.inf], [5]])
    assert measures(pairs[STACK]) == pytest.approx(expected(STACK, weights), rel=1e-12)
    assert pairs[STACK].weighted_note == "1 of 3 experts got no text, and their errors count for nothing."
    assert pairs[NAME].weighted_note is None
    assert measures(pairs["output_norm.weight"]) == (None, None, None)
    assert pairs["output_norm.weight"].weighted_note == "The importance matrix has no entry for it."
    assert found.imatrix == str(tmp_path / "imatrix.gguf")
    plain = weightmap.compare(*files)
    assert [pair.relative_rmse for pair in plain.pairs] == [pair.relative_rmse for pair in found.pairs]


def test_the_old_form_gives_the_same(files, tmp_path):
    path = tmp_path / "imatrix.dat"
    path.write_bytes(imatrix([(name, 4, values.reshape(-1)) for name, values in SQUARES.items()]))
    with weightmap.open(path) as matrix:
        pairs = {pair.tensor: pair for pair in weightmap.compare(*files, imatrix=matrix).pairs}
        assert not matrix.closed
    assert measures(pairs[NAME]) == pytest.approx(expected(NAME, SQUARES[NAME]), rel=1e-12)
    assert measures(pairs[STACK]) == pytest.approx(expected(STACK, SQUARES[STACK]), rel=1e-12)


def test_a_checkpoint_is_weighed_in_the_order_of_the_gguf(files, tmp_path):
    other = tmp_path / "r.safetensors"
    name = "model.layers.0.mlp.up_proj.weight"
    other.write_bytes(safetensors([(name, "F32", R[NAME].shape, R[NAME].tobytes())]))
    for sides in ((files[0], other), (other, files[0])):
        found = weightmap.compare(*sides, imatrix=newer(tmp_path / "i.gguf"))
        [pair] = [pair for pair in found.pairs if pair.tensor in (NAME, name)]
        assert pair.weighted_rmse == pytest.approx(expected(NAME, SQUARES[NAME])[0], rel=1e-12)


@pytest.mark.parametrize(
    ("squares", "counts", "words"),
    [
        (np.ones((1, 63)), [1], "The importance matrix has 63 values for it; 64 were expected."),
        (np.ones((3, 64)), [1, 1, 1], "The importance matrix has 192 values in 3 rows for it; 64 were expected."),
        (np.ones((1, 64)), [1, 1], "The importance matrix has 2 counts for it; 1 was expected."),
        (np.full((1, 64), np.nan), [1], "Its entry in the importance matrix holds NaN, Inf or negative values."),
        (np.full((1, 64), -1), [1], "Its entry in the importance matrix holds NaN, Inf or negative values."),
        (np.ones((1, 64)), [0], "The importance matrix has only zeros for it: no text came to it."),
        (np.zeros((1, 64)), [1], "The importance matrix has only zeros for it: no text came to it."),
        (np.ones((1, 64)), None, "The importance matrix does not say how many inputs its entry is made from."),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said(files, tmp_path, squares, counts, words):
    path = newer(tmp_path / "i.gguf", {NAME: squares}, {} if counts is None else {NAME: counts})
    pair = next(pair for pair in weightmap.compare(*files, imatrix=path).pairs if pair.tensor == NAME)
    assert measures(pair) == (None, None, None)
    assert pair.weighted_note == words
    with weightmap.open(files[1]) as opened, pytest.raises(ValueError, match=words.split(";")[0][:40]):
        weightmap.whatif(opened.tensors[NAME], "Q8_0", imatrix=path)


def test_a_model_is_no_importance_matrix(files):
    with pytest.raises(weightmap.UnsupportedFormatError) as problem:
        weightmap.compare(*files, imatrix=files[1])
    assert (problem.value.code, problem.value.path) == ("not_an_imatrix", str(files[1]))


def test_what_if_is_weighted_as_well(files, tmp_path):
    path = newer(tmp_path / "i.gguf")
    with weightmap.open(files[1]) as opened:
        [row] = weightmap.whatif(opened.tensors[NAME], "Q4_0", imatrix=path)
        [plain] = weightmap.whatif(opened.tensors[NAME], "Q4_0")
    assert row.relative_rmse == plain.relative_rmse
    assert 0 < row.weighted_relative_rmse != row.relative_rmse
    assert row.weighted_sqnr_db == pytest.approx(-20 * np.log10(row.weighted_relative_rmse))
    assert plain.weighted_rmse is None
    assert "weighted_rmse" not in plain.to_json()
    assert row.to_json(weighted=True)["weighted_rmse"] == row.weighted_rmse


def test_the_commands_show_weights_only_when_given(files, tmp_path, capsys):
    path = newer(tmp_path / "i.gguf")

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        return status, capsys.readouterr().out

    status, out = run("compare", *files, "--imatrix", path, "--json")
    document = json.loads(out)
    assert (status, document["imatrix"]) == (0, str(path))
    assert all("weighted_relative_rmse" in pair and "weighted_note" in pair for pair in document["pairs"])
    _, out = run("compare", *files, "--json")
    assert "weighted" not in out
    assert "imatrix" not in out
    _, out = run("compare", *files, "--imatrix", path)
    assert "p99  weighted  transform" in out
    assert f"Weighted by {path}: 2 of 3 pairs\n  1 pair not: The importance matrix has no entry for it.\n" in out
    assert f"  {STACK}: 1 of 3 experts got no text" in out
    _, out = run("whatif", files[1], "--tensor", NAME, "--types", "Q8_0", "--imatrix", path)
    assert "rel. error  weighted  SQNR dB" in out
    status, out = run("whatif", files[1], "--tensor", "output_norm.weight", "--imatrix", path, "--json")
    assert (status, json.loads(out)["error"]["code"]) == (2, "no_weights")
    status, out = run("compare", *files, "--imatrix", files[0], "--json")
    assert (status, json.loads(out)["error"]["code"]) == (1, "not_an_imatrix")


def test_a_name_of_a_checkpoint_is_told_the_entry_that_may_be_meant(tmp_path):
    matrix, path = newer(tmp_path / "imatrix.gguf"), tmp_path / "model.safetensors"
    names = {"model.layers.0.mlp.up_proj.weight": NAME, "model.norm.weight": STACK}
    path.write_bytes(safetensors([(name, "F32", R[a].shape, R[a].tobytes()) for name, a in names.items()]))
    with weightmap.open(path) as model:
        tensors = model.tensors
        with pytest.raises(ValueError, match=rf"no entry for it\. .* may be {NAME}: give the model as GGUF"):
            weightmap.whatif(tensors["model.layers.0.mlp.up_proj.weight"], ["Q8_0"], imatrix=matrix)
        with pytest.raises(ValueError, match=r"no entry for it\.$"):
            weightmap.whatif(tensors["model.norm.weight"], ["Q8_0"], imatrix=matrix)
