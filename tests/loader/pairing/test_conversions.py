"""Whole conversions: every name and transform that true conversions showed, in plain and in quantized files."""

import json

import libgguf
import numpy as np
import pytest
from support.convert import convert, save
from support.shared import SHARED, needs_shared

import weightmap

TABLES = SHARED / "formats" / "naming_verified.json"
CONVERTED = SHARED / "models" / "converted"


def tables():
    return json.loads(TABLES.read_text()) if TABLES.is_file() else {}


def q8(values):
    return 8, libgguf.quantize_rows(np.ascontiguousarray(values.reshape(-1, values.shape[-1])), 8).tobytes()


def right(found, made, limit):
    pairs = {pair.tensor: pair for pair in found.pairs}
    for target, (names, transform) in made.truth.items():
        pair = pairs.get(target)
        assert pair is not None, (target, transform, found.unpaired_quantized)
        assert set(pair.reference) == names, target
        assert not pair.guessed, target
        if pair.type == "F32":
            assert pair.max_abs_error < 4e-6, (target, transform, pair.transform)
        else:
            assert pair.relative_rmse < limit, (target, transform, pair.transform)
    assert len(found.pairs) == len(made.truth)


@needs_shared
@pytest.mark.parametrize("architecture", tables())
def test_every_verified_transform_is_undone(tmp_path, architecture):
    made = convert(tables()[architecture])
    right(weightmap.compare(*save(made, tmp_path, architecture.split("-> ")[1])), made, 0)


@needs_shared
@pytest.mark.parametrize("architecture", list(tables())[::3])
def test_a_quantized_conversion_too(tmp_path, architecture):
    made = convert(tables()[architecture], blocks=1)
    right(weightmap.compare(*save(made, tmp_path, architecture.split("-> ")[1], encode=q8)), made, 0.008)


def test_experts_that_lie_in_one_matrix(tmp_path):
    """DBRX: rows of all experts one below the other, those of the way down transposed in each."""
    rows = [
        {"gguf": "blk.{i}.ffn_gate_exps.weight", "hf": ["transformer.blocks.{i}.ffn.experts.mlp.w1"], "transform": "="},
        {"gguf": "blk.{i}.ffn_up_exps.weight", "hf": ["transformer.blocks.{i}.ffn.experts.mlp.v1"], "transform": "="},
        {"gguf": "blk.{i}.ffn_down_exps.weight", "hf": ["transformer.blocks.{i}.ffn.experts.mlp.w2"], "transform": "="},
    ]
    made, random = convert(rows), np.random.default_rng(3)
    for target, (names, _) in made.truth.items():
        flat = random.standard_normal((4 * 96, 64)).astype(np.float32)
        made.hf[next(iter(names))] = flat
        stack = flat.reshape(4, 96, 64)
        made.gguf[target] = stack.swapaxes(1, 2) if "down" in target else stack
    found = weightmap.compare(*save(made, tmp_path, "dbrx"))
    right(found, made, 0)
    assert {pair.transform for pair in found.pairs} == {"S(4)", "S(4),T2"}


def test_queries_and_keys_joined_in_the_order_of_the_architecture_are_no_mistake(tmp_path):
    """Queries and keys each carry their order in the label, which once read as one order made twice."""
    rows = [
        {
            "gguf": "blk.{i}.attn_qkv.weight",
            "hf": [f"model.layers.{{i}}.self_attn.{letter}_proj.weight" for letter in "qkv"],
            "transform": "QKV P(q);P(k);=",
        }
    ]
    found = weightmap.compare(*save(convert(rows), tmp_path, "llama"))
    assert [(pair.transform, pair.note) for pair in found.pairs] == [("QKV P(4);P(2);=", None)] * 2


@needs_shared
@pytest.mark.parametrize(
    "architecture", ["LlamaForCausalLM -> llama", "Qwen3MoeForCausalLM -> qwen3moe", "GPT2LMHeadModel -> gpt2"]
)
def test_the_checkpoint_against_the_gguf(tmp_path, architecture):
    """The other way round, the tensors of the checkpoint are the ones that are listed, each expert on its own."""
    made = convert([row for row in tables()[architecture] if "qkv" not in row["gguf"] or "c_attn" in row["hf"][0]])
    gguf, checkpoint = save(made, tmp_path, architecture.split("-> ")[1])
    found = weightmap.compare(checkpoint, gguf)
    assert {pair.tensor for pair in found.pairs} == set(made.hf)
    assert all(pair.max_abs_error == 0 for pair in found.pairs)
    assert all(pair.tensor in made.truth[pair.reference[0]][0] for pair in found.pairs)


@needs_shared
@pytest.mark.parametrize("folder", ["llama", "gemma2", "gpt2", "llama-sharded", "llama-k256", "bert", "qwen2"])
def test_true_conversions(folder):
    truth = json.loads((CONVERTED / folder / "truth.json").read_text())
    index = list((CONVERTED / folder).glob("*.index.json"))
    source = index[0] if index else CONVERTED / folder / "model.safetensors"
    for name, expected in truth["files"].items():
        found = weightmap.compare(CONVERTED / folder / name, source)
        pairs = {pair.tensor: pair for pair in found.pairs}
        for true in expected["tensors"]:
            pair = pairs[true["gguf"]]
            assert set(pair.reference) == set(true["hf"])
            assert pair.verdict == "normal" or pair.relative_rmse < true.get("rel_rmse", 0) * 1.001, true["gguf"]
        assert {entry["name"] for entry in expected["unpaired_gguf"]} == {u.tensor for u in found.unpaired_quantized}
        assert {entry["name"] for entry in expected["unpaired_hf"]} == {u.tensor for u in found.unpaired_reference}
