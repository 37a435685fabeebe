"""Tensors that were exchanged while converting stay paired with what their names say, and are the first rows of the table."""

import json
import re

import libgguf
import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap

E, F, D, V, KEPT, BLOCKS = 4, 96, 64, 320, 288, 3


@pytest.fixture
def compared(tmp_path):
    """A checkpoint and its conversion, in which `change` changed what was converted, compared."""

    def compare(change, architecture="qwen3moe", kept=V, blocks=BLOCKS):
        random = np.random.default_rng(3)

        def values(*shape):
            return random.standard_normal(shape).astype(np.float32)

        source = {"model.embed_tokens.weight": values(V, D), "lm_head.weight": values(V, D)}
        names = (("token_embd.weight", "model.embed_tokens.weight"), ("output.weight", "lm_head.weight"))
        made = {new: source[old][:kept] for new, old in names}
        for i in range(blocks):
            old, new = f"model.layers.{i}.", f"blk.{i}."
            for letter, base in (("q", "attn_q"), ("v", "attn_v"), ("o", "attn_output")):
                made[f"{new}{base}.weight"] = source[f"{old}self_attn.{letter}_proj.weight"] = values(D, D)
            for part in ("gate", "up"):
                one = source[f"{old}mlp.shared_expert.{part}_proj.weight"] = values(F, D)
                made[f"{new}ffn_{part}_shexp.weight"] = one
            both = source[old + "mlp.experts.gate_up_proj"] = values(E, 2 * F, D)
            made[new + "ffn_gate_exps.weight"], made[new + "ffn_up_exps.weight"] = both[:, :F], both[:, F:]
            made[new + "ffn_down_exps.weight"] = source[old + "mlp.experts.down_proj"] = values(E, D, F)
        change(made)
        metadata = [("general.architecture", "str", architecture), (f"{architecture}.expert_count", "u32", E)]
        stored = [(n, v.shape, 1, np.ascontiguousarray(v, np.float16).tobytes()) for n, v in made.items()]
        (tmp_path / "made.gguf").write_bytes(gguf(metadata, stored))
        (tmp_path / "model.safetensors").write_bytes(
            safetensors((n, "F32", v.shape, v.tobytes()) for n, v in source.items())
        )
        (tmp_path / "config.json").write_text(json.dumps({"model_type": "qwen3_moe", "hidden_size": D}))
        return weightmap.compare(tmp_path / "made.gguf", tmp_path / "model.safetensors")

    return compare


def exchange(first, second):
    def change(tensors):
        tensors[first], tensors[second] = tensors[second], tensors[first]

    return change


def first_rows(found, *names):
    ranked = found.ranked()
    assert {pair.tensor for pair in ranked[: len(names)]} == set(names)
    assert all(pair.verdict == "wrong" for pair in ranked[: len(names)])
    assert all(pair.verdict == "normal" for pair in ranked[len(names) :])
    assert not found.unpaired_quantized
    assert not any(pair.guessed for pair in ranked)
    return ranked[: len(names)]


def test_sound(compared):
    assert not compared(lambda tensors: None).unpaired_reference
    first_rows(compared(lambda tensors: None))


@pytest.mark.parametrize(
    "names",
    [
        ("output.weight", "token_embd.weight"),
        ("blk.1.ffn_gate_shexp.weight", "blk.1.ffn_up_shexp.weight"),
        ("blk.0.attn_q.weight", "blk.0.attn_v.weight"),
        ("blk.1.ffn_gate_exps.weight", "blk.1.ffn_up_exps.weight"),
    ],
)
def test_exchanged_is_wrong_and_said(compared, names):
    for row in first_rows(compared(exchange(*names)), *names):
        assert "exchanged" in row.note
        assert row.relative_rmse == pytest.approx(2**0.5, rel=0.05)


def test_parts_exchanged_between_blocks(compared):
    names = "blk.0.ffn_up_exps.weight", "blk.2.ffn_up_exps.weight"
    rows = first_rows(compared(exchange(*names)), *names)
    assert [row.reference for row in sorted(rows, key=lambda row: row.tensor)] == [
        ("model.layers.0.mlp.experts.gate_up_proj",),
        ("model.layers.2.mlp.experts.gate_up_proj",),
    ]
    for row, other in zip(sorted(rows, key=lambda row: row.tensor), (2, 0), strict=True):
        assert f"rows 2/2 of model.layers.{other}.mlp.experts.gate_up_proj in the other file" in row.note


def test_parts_of_other_kinds_exchanged_between_blocks(compared):
    names = "blk.0.ffn_gate_exps.weight", "blk.2.ffn_up_exps.weight"
    rows = first_rows(compared(exchange(*names)), *names)
    notes = {row.tensor: row.note for row in rows}
    assert "rows 2/2 of model.layers.2.mlp.experts.gate_up_proj" in notes[names[0]]
    assert "rows 1/2 of model.layers.0.mlp.experts.gate_up_proj" in notes[names[1]]


@pytest.mark.parametrize(
    "names",
    [
        ("blk.1.ffn_gate_exps.weight", "blk.1.ffn_up_exps.weight"),
        ("blk.0.ffn_gate_exps.weight", "blk.0.ffn_up_exps.weight"),
        ("blk.0.ffn_up_exps.weight", "blk.1.ffn_up_exps.weight"),
        ("blk.0.ffn_gate_exps.weight", "blk.1.ffn_up_exps.weight"),
    ],
)
def test_two_blocks_are_enough_to_tell(compared, names):
    """Of the two orders that are proved once each, the one is right that such a tensor usually has."""
    assert len({row.reference for row in first_rows(compared(exchange(*names), blocks=2), *names)}) in (1, 2)
    first_rows(compared(lambda tensors: None, blocks=2))


def test_a_part_whose_other_half_is_sound(compared):
    def change(tensors):
        tensors["blk.1.ffn_gate_exps.weight"] = tensors["blk.1.ffn_gate_exps.weight"][:, ::-1]

    first_rows(compared(change), "blk.1.ffn_gate_exps.weight")


def test_other_values_in_a_trimmed_vocabulary(compared):
    def change(tensors):
        tensors["token_embd.weight"] = tensors["token_embd.weight"][::-1]

    row = first_rows(compared(change, kept=KEPT), "token_embd.weight")[0]
    assert row.reference == ("model.embed_tokens.weight",)
    assert row.count == KEPT * D


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda stack: stack[[0, 3, 2, 1]], "experts 1, 3 of 4 are wrong.*Expert 1 holds the values of expert 3 "),
        (lambda stack: stack * np.float32([1, 1, 0.5, 1])[:, None, None], "expert 2 of 4 is wrong.*times 0.5"),
        (lambda stack: stack[[1, 2, 0, 3]], "Experts 0, 1, 2 of 4 are wrong.*Expert 0 holds the values of expert 1 "),
        (lambda stack: stack[[1, 2, 3, 0]], "Experts 0, 1, 2 and 1 more of 4 are wrong.*of expert 1 "),
        (lambda stack: stack * np.float32([1, 1, 3, 1])[:, None, None], "expert 2 of 4 is wrong.*times 3"),
        (lambda stack: stack * np.float32([1, 0, 1, 1])[:, None, None], "expert 1 of 4 is wrong.*nothing but zeros"),
        (lambda stack: stack * np.float32([1, 1, 1, np.nan])[:, None, None], "expert 3 of 4 is wrong.*NaN"),
    ],
)
def test_the_expert_that_is_wrong_is_named(compared, damage, said):
    name = "blk.1.ffn_down_exps.weight"

    def change(tensors):
        tensors[name] = damage(tensors[name])

    row = compared(change).ranked()[0]
    assert (row.tensor, row.verdict) == (name, "wrong")
    assert re.search(said, row.note)


def test_an_expert_among_many_coarse_ones_is_not_lost(tmp_path):
    """One of 64 experts of Q2_K that was exchanged raises the error of the whole tensor by less than its type leaves."""
    stack = np.random.default_rng(4).standard_normal((64, 16, 256)).astype(np.float32)
    moved = stack.copy()
    moved[17] = np.random.default_rng(5).standard_normal((16, 256))
    q = libgguf.quantize_rows(moved.reshape(-1, 256), 10)
    name = "blk.0.ffn_up_exps.weight"
    metadata = [("general.architecture", "str", "qwen3moe"), ("qwen3moe.expert_count", "u32", 64)]
    (tmp_path / "q.gguf").write_bytes(gguf(metadata, [(name, stack.shape, 10, q.tobytes())]))
    (tmp_path / "r.gguf").write_bytes(gguf(metadata, [(name, stack.shape, 0, stack.tobytes())]))
    (row,) = weightmap.compare(tmp_path / "q.gguf", tmp_path / "r.gguf").pairs
    assert row.relative_rmse < 0.36
    assert row.verdict == "wrong"
    assert row.note.startswith("Only expert 17 of 64 is wrong (counted from 0). Expert 17 has a relative error of 1.")


@pytest.mark.parametrize("factor", [2, 0.5, -1])
def test_a_factor_is_told_though_the_type_is_coarse(tmp_path, factor):
    values = np.random.default_rng(6).standard_normal((64, 512)).astype(np.float32)
    q = libgguf.quantize_rows(values * np.float32(factor), 10)
    name = "blk.0.ffn_up.weight"
    metadata = [("general.architecture", "str", "llama")]
    (tmp_path / "q.gguf").write_bytes(gguf(metadata, [(name, values.shape, 10, q.tobytes())]))
    (tmp_path / "r.gguf").write_bytes(gguf(metadata, [(name, values.shape, 0, values.tobytes())]))
    (row,) = weightmap.compare(tmp_path / "q.gguf", tmp_path / "r.gguf").pairs
    told = re.search(r"those of the reference times (-?[0-9.]+): a scale", row.note)
    assert float(told[1]) == pytest.approx(factor, rel=0.1)
