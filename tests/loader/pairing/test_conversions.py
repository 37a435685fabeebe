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
