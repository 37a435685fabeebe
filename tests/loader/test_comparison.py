"""Comparing from Python: paths or open models, progress, cancelling, pairs kept for pictures, odd tensors."""

import itertools
import json
import os
from functools import partial

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap


def checkpoint(path, tensors):
    path.write_bytes(safetensors((n, "F32", v.shape, v.astype("<f4").tobytes()) for n, v in tensors))
    return path


def values(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _until(calls, after, done, total):
    return next(calls) < after


@pytest.fixture
def two(tmp_path):
    r = values(300, 500)
    q = r + values(300, 500, seed=2) * np.float32(0.01)
    return checkpoint(tmp_path / "q.safetensors", [("w", q)]), checkpoint(tmp_path / "r.safetensors", [("w", r)]), q, r


def test_open_models_stay_open(two):
    with weightmap.open(two[0]) as q, weightmap.open(two[1]) as r:
        found = weightmap.compare(q, r)
        assert np.array_equal(q.tensors["w"].array(), two[2])
    assert (found.quantized, found.reference) == (str(two[0]), str(two[1]))
    assert found.pairs[0].relative_rmse == pytest.approx(0.01, rel=0.02)


def test_the_document_is_plain(two):
    document = weightmap.compare(two[0], two[1]).to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["pairs"][0]["reference"] == ["w"]


def test_progress_rises_to_the_total_and_can_cancel(two):
    seen = []
    weightmap.compare(two[0], two[1], progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    for after in (0, len(seen) - 1):
        calls = itertools.count()
        with pytest.raises(weightmap.Cancelled):
            weightmap.compare(two[0], two[1], progress=partial(_until, calls, after))


def test_pairs_are_kept_for_pictures(two):
    with weightmap.pair_models(two[0], two[1]) as pairs:
        [pair] = pairs
        assert (pair.tensor, pair.reference, pair.transform, pair.proven, pair.guessed) == (
            "w",
            ("w",),
            "=",
            True,
            False,
        )
        e = two[2] - two[3]
        assert np.array_equal(pair.heatmap(400, 600).cells, e)
        assert np.array_equal(pair.heatmap(400, 600, "reference").cells, two[3])
        counts = pair.histogram(32, (-0.1, 0.1), "quantized").counts
        assert np.array_equal(counts, np.histogram(two[2], 32, (-0.1, 0.1))[0])
        assert pair.worst_rows(1)[0].row == int(np.argmax((e.astype(float) ** 2).mean(axis=1)))
        assert pairs.quantized.tensors["w"].count == e.size
        held = pair
    with pytest.raises(weightmap.ClosedError):
        held.heatmap(2, 2)


def test_a_reordered_reference_is_drawn_in_the_order_of_the_gguf(tmp_path):
    w = values(32, 16)
    rows = w.reshape(2, 2, 8, 16).swapaxes(1, 2).reshape(32, 16)
    metadata = [("general.architecture", "str", "llama"), ("llama.attention.head_count", "u32", 2)]
    (tmp_path / "q.gguf").write_bytes(gguf(metadata, [("blk.0.attn_q.weight", rows.shape, 0, rows.tobytes())]))
    other = checkpoint(tmp_path / "r.safetensors", [("model.layers.0.self_attn.q_proj.weight", w)])
    with weightmap.pair_models(tmp_path / "q.gguf", other) as pairs:
        assert pairs[0].transform == "P(2)"
        assert np.array_equal(pairs[0].heatmap(99, 99, "reference").cells, rows)
        assert not pairs[0].heatmap(99, 99).cells.any()


def test_scaled_integers_are_compared_as_the_weights_they_stand_for(tmp_path):
    w = values(8, 6, 3)
    scale = np.abs(w).max(axis=(1, 2), keepdims=True) / np.float32(127)
    codes = np.round(w / scale).astype(np.int8)
    quantized = tmp_path / "q.safetensors"
    quantized.write_bytes(
        safetensors(
            [("w.qweight", "I8", codes.shape, codes.tobytes()), ("w.scale", "F32", scale.shape, scale.tobytes())]
        )
    )
    found = weightmap.compare(quantized, checkpoint(tmp_path / "r.safetensors", [("w", w)]))
    [pair] = found.pairs
    e = codes.astype(np.float32) * scale - w
    assert (pair.tensor, pair.reference, pair.type) == ("w", ("w",), "int8_channel")
    assert pair.rmse == pytest.approx(np.sqrt((e.astype(float) ** 2).mean()), rel=1e-6)
    assert {entry.tensor for entry in found.unpaired_quantized} == {"w.qweight", "w.scale"}
    assert {entry.part_of for entry in found.unpaired_quantized} == {"w"}
    assert found.left_over == ((), ())  # they stand for nothing but the weight, which has its counterpart
    turned = weightmap.compare(tmp_path / "r.safetensors", quantized)
    assert {entry.tensor for entry in turned.unpaired_reference} == {"w.qweight", "w.scale"}
    assert turned.left_over == ((), ())
    other = weightmap.compare(quantized, checkpoint(tmp_path / "o.safetensors", [("v", values(3, 7))]))
    assert {entry.tensor for entry in other.left_over[0]} == {"w", "w.qweight", "w.scale"}


def test_a_tied_output_and_a_trimmed_vocabulary(tmp_path):
    w = values(50, 32)
    tensors = [("token_embd.weight", (40, 32), 0, w[:40].tobytes()), ("output.weight", (40, 32), 0, w[:40].tobytes())]
    (tmp_path / "q.gguf").write_bytes(gguf(tensors=tensors))
    found = weightmap.compare(
        tmp_path / "q.gguf", checkpoint(tmp_path / "r.safetensors", [("model.embed_tokens.weight", w)])
    )
    assert [(pair.tensor, pair.identical, pair.transform) for pair in found.pairs] == [
        ("token_embd.weight", True, "rows 0:40"),
        ("output.weight", True, "rows 0:40"),
    ]


def test_a_vocabulary_that_the_gguf_filled_up(tmp_path):
    w = values(40, 32)
    padded = np.concatenate([w, np.zeros((8, 32), np.float32)])
    (tmp_path / "q.gguf").write_bytes(gguf(tensors=[("token_embd.weight", (48, 32), 0, padded.tobytes())]))
    found = weightmap.compare(
        tmp_path / "q.gguf", checkpoint(tmp_path / "r.safetensors", [("model.embed_tokens.weight", w)])
    )
    assert [(pair.count, pair.identical, pair.transform) for pair in found.pairs] == [(40 * 32, True, "rows 0:40")]


def test_a_tied_head_of_the_checkpoint_is_no_loss(tmp_path):
    w = values(40, 32)
    (tmp_path / "q.gguf").write_bytes(gguf(tensors=[("token_embd.weight", w.shape, 0, w.tobytes())]))
    other = checkpoint(tmp_path / "r.safetensors", [("model.embed_tokens.weight", w), ("lm_head.weight", w)])
    [left] = weightmap.compare(tmp_path / "q.gguf", other).unpaired_reference
    assert left.tensor == "lm_head.weight"
    assert left.reason.startswith("Tied: it holds the values of model.embed_tokens.weight")


def test_other_kinds_of_numbers(tmp_path):
    data = [
        ("c", "C64", (3,), np.array([1, 2j, 3], "<c8").tobytes()),
        ("i", "I64", (2,), np.array([1, -5], "<i8").tobytes()),
        ("b", "BOOL", (2,), b"\x00\x01"),
        ("s", "F64", (), np.array(0.5, "<f8").tobytes()),
        ("e", "F32", (0, 4), b""),
    ]
    (tmp_path / "a.safetensors").write_bytes(safetensors(data))
    found = weightmap.compare(tmp_path / "a.safetensors", tmp_path / "a.safetensors")
    assert [(pair.tensor, pair.identical) for pair in found.pairs] == [(name, True) for name in "cibse"]


def test_the_same_name_with_another_shape_is_said_to_be_so(tmp_path):
    first = checkpoint(tmp_path / "q.safetensors", [("w", values(4, 40))])
    found = weightmap.compare(first, checkpoint(tmp_path / "r.safetensors", [("w", values(7, 41))]))
    assert not found.pairs
    assert "[7, 41]" in found.unpaired_quantized[0].reason
    assert "[4, 40]" in found.unpaired_reference[0].reason


@pytest.mark.parametrize("given", [weightmap.compare, weightmap.pair_models])
def test_what_goes_wrong_closes_what_was_opened_for_it(tmp_path, two, monkeypatch, given):
    opened = []
    monkeypatch.setattr("weightmap.pairs.open_model", lambda path: opened.append(weightmap.open(path)) or opened[-1])
    with weightmap.open(two[0]) as ours:
        with pytest.raises(weightmap.MissingFileError):
            given(two[0], tmp_path / "missing.gguf")
        with pytest.raises(weightmap.Cancelled):
            given(two[0], two[1], progress=lambda done, total: False)
        with pytest.raises(weightmap.Cancelled):
            given(ours, two[1], progress=lambda done, total: False)
        assert [os.path.basename(one.path) for one in opened] == [f"{name}.safetensors" for name in "qqrr"]
        assert all(one.closed for one in opened)
        assert not ours.closed
