"""Pairs that no name tells: found by shape and values, marked as guesses, and rather none than a wrong one."""

import libgguf
import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap


def write(folder, quantized, reference):
    """A GGUF (name, array, quantized or not) and a checkpoint (name, array)."""
    tensors = []
    for name, values, kind in quantized:
        data = libgguf.quantize_rows(values, kind).tobytes() if kind else values.tobytes()
        tensors.append((name, values.shape, kind, data))
    paths = folder / "q.gguf", folder / "r.safetensors"
    paths[0].write_bytes(gguf((("general.architecture", "str", "unheard-of"),), tensors))
    paths[1].write_bytes(safetensors((n, "F32", v.shape, np.ascontiguousarray(v).tobytes()) for n, v in reference))
    return paths


def rope(w, heads):
    return w.reshape(heads, 2, len(w) // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


@pytest.mark.parametrize("kind", [8, 2, 12, 10])  # Q8_0, Q4_0, Q4_K, Q2_K
def test_shuffled_names_are_all_found_and_none_is_wrong(tmp_path, kind):
    random = np.random.default_rng(kind)
    weights = [(random.standard_normal((128, 256)) * 0.02).astype(np.float32) for _ in range(20)]
    norms = [(1 + 0.1 * random.standard_normal(256)).astype(np.float32) for _ in range(10)]
    turned = [rope(w, 2) if i % 5 == 0 else w for i, w in enumerate(weights)]
    order = random.permutation(30)
    truth = {f"t{i}": f"s{order[i]}" for i in range(30)}
    sources = [(f"s{order[i]}", (weights + norms)[i]) for i in range(30)]
    random.shuffle(sources)
    quantized = [(f"t{i}", w, kind if i < 20 else 0) for i, w in enumerate(turned + norms)]
    found = weightmap.compare(*write(tmp_path, quantized, sources))
    assert {pair.tensor: pair.reference[0] for pair in found.pairs} == truth
    assert all(pair.guessed and pair.verdict == "normal" for pair in found.pairs)
    assert "names do not say" in found.pairs[0].note


def test_another_model_of_the_same_shapes_gives_no_pair(tmp_path):
    random = np.random.default_rng(1)
    ours, theirs = ([random.standard_normal((64, 64)).astype(np.float32) for _ in range(12)] for _ in range(2))
    quantized = [(f"t{i}", w, 2) for i, w in enumerate(ours)]
    found = weightmap.compare(*write(tmp_path, quantized, [(f"s{i}", w) for i, w in enumerate(theirs)]))
    assert not found.pairs
    assert len(found.unpaired_quantized) == len(found.unpaired_reference) == 12
    assert "none with such values" in found.unpaired_quantized[0].reason


def test_equal_tensors_are_told_apart_by_their_block_or_not_at_all(tmp_path):
    ones = np.ones(64, np.float32)
    quantized = [(f"m.{i}.x", ones * 2, 0) for i in range(3)]
    found = weightmap.compare(*write(tmp_path, quantized, [(f"n.{i}.y", ones * 2) for i in range(3)]))
    assert not found.pairs
    values = np.random.default_rng(2).standard_normal(64).astype(np.float32)
    quantized = [(f"m.{i}.x", values, 0) for i in range(3)]
    found = weightmap.compare(*write(tmp_path, quantized, [(f"n.{i}.y", values) for i in range(3)]))
    assert {pair.tensor[2]: pair.reference[0][2] for pair in found.pairs} == {"0": "0", "1": "1", "2": "2"}


def test_a_transposed_matrix_is_found(tmp_path):
    w = np.random.default_rng(3).standard_normal((96, 64)).astype(np.float32)
    [pair] = weightmap.compare(*write(tmp_path, [("a", w, 8)], [("b", w.T)])).pairs
    assert (pair.reference, pair.transform, pair.guessed, pair.verdict) == (("b",), "T", True, "normal")


def test_guesses_can_be_left_out(tmp_path):
    w = np.random.default_rng(3).standard_normal((96, 64)).astype(np.float32)
    found = weightmap.compare(*write(tmp_path, [("a", w, 8)], [("b", w)]), guesses=False)
    assert (len(found.pairs), len(found.unpaired_quantized), len(found.unpaired_reference)) == (0, 1, 1)
