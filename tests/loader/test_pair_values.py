"""The faces of a pair: errors, both sides and fresh errors, read like a tensor; worst blocks; pairs measured one by one."""

import numpy as np
import pytest
from support.quantized import original, write

import weightmap


@pytest.fixture
def pairs(tmp_path):
    values = original()
    quantized, reference = write(tmp_path / "q.gguf", values, "Q4_0"), write(tmp_path / "r.gguf", values)
    with weightmap.pair_models(quantized, reference) as found:
        yield found


def of(pairs, name):
    return next(pair for pair in pairs if pair.tensor == name)


def test_faces_are_the_values_of_both_sides_and_their_difference(pairs):
    pair = of(pairs, "blk.0.attn_k.weight")
    q = pairs.quantized.tensors[pair.tensor].array()
    r = pairs.reference.tensors[pair.reference[0]].array()
    faces = {face: weightmap.PairValues(pair, face) for face in ("quantized", "reference", "error")}
    assert np.array_equal(faces["quantized"][3:7, 40:80], q[3:7, 40:80])
    assert np.array_equal(faces["reference"].array(), r)
    error = faces["error"]
    assert (error.name, error.shape, error.count, error.block_size, error.type.name) == (
        pair.tensor,
        q.shape,
        q.size,
        32,
        "F32",
    )
    assert np.array_equal(error[5], q[5] - r[5])
    statistics = error.statistics(64)
    assert statistics.max == pytest.approx(float((q - r).max())) and statistics.count == q.size
    assert error.histogram(1, (-1e-3, 1e-3)).below == int(((q - r) < -1e-3).sum())
    assert np.array_equal(error.heatmap(64, 256).cells, q - r)


def test_fresh_errors_are_those_of_the_reference_in_the_same_type(pairs):
    pair = of(pairs, "blk.0.attn_k.weight")
    assert weightmap.can_be_fresh(pair)
    fresh, error = (weightmap.PairValues(pair, face).array() for face in ("fresh", "error"))
    assert np.array_equal(fresh, error)  # this file is what a fresh Q4_0 gives
    norm = of(pairs, "blk.0.attn_norm.weight")
    assert not weightmap.can_be_fresh(norm)
    with pytest.raises(ValueError, match="cannot be written"):
        weightmap.PairValues(norm, "fresh")


def test_worst_blocks_are_the_runs_of_a_blocks_length_with_the_largest_error(pairs):
    pair = of(pairs, "blk.1.ffn_down.weight")
    error = weightmap.PairValues(pair, "error").array().astype(float).reshape(-1, 32)
    squares = (error**2).mean(axis=1)
    worst = pair.worst_blocks(32, 3)
    assert [found.row for found in worst] == np.argsort(-squares, kind="stable")[:3].tolist()
    assert worst[0].rmse == pytest.approx(squares.max() ** 0.5)
    with pytest.raises(ValueError, match="no whole blocks"):
        pair.worst_blocks(37)


def test_pairs_measured_one_by_one_are_the_rows_of_a_comparison(pairs):
    whole = weightmap.compare(pairs.quantized, pairs.reference)
    assert tuple(weightmap.measure_pair(pairs, pair) for pair in pairs) == whole.pairs
    with pytest.raises(weightmap.Cancelled):
        weightmap.measure_pair(pairs, pairs[0], progress=lambda done, total: False)
