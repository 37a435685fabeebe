"""Checkpoints whose weights have no values."""

from __future__ import annotations

import json

from support.build import safetensors
from support.layouts import layout

import weightmap
from weightmap.checks import emptied


def judged(shapes, format="safetensors"):
    return emptied.check(layout(shapes, {}, path="model.safetensors", format=format))


def test_weights_without_values_are_said_once():
    shapes = {f"model.layers.{n}.mlp.up_proj.weight": (0,) for n in range(3)} | {"model.norm.weight": (8,)}
    [found] = judged(shapes)
    assert (found.severity, found.code, found.tensor) == ("warning", "emptied", "model.layers.0.mlp.up_proj.weight")
    assert found.message.startswith("3 of 4 weights have no values, model.layers.0.mlp.up_proj.weight first")


def test_markers_and_tensors_without_rows_are_none():
    assert judged({"scaled_fp8": (0,), "marker": (0,), "w.weight": (2, 2)}) == []
    assert judged({"a.weight": (0,), "b.weight": (2, 2)}) == []
    assert judged({"a.weight": (0,), "b.weight": (0,)} | {f"{n}.weight": (2, 2) for n in range(3)}) == []
    assert judged({"a.weight": (0, 8), "b.weight": (3, 0)}) == []
    assert judged({"a.weight": (0,), "b.weight": (0,)}, format="gguf") == []


def test_a_config_says_no_more_of_it(tmp_path):
    config = {
        "model_type": "llama",
        "hidden_size": 8,
        "num_attention_heads": 2,
        "num_hidden_layers": 2,
        "vocab_size": 9,
    }
    (tmp_path / "config.json").write_text(json.dumps(config | {"intermediate_size": 16}))
    names = ["model.embed_tokens.weight", *(f"model.layers.{n}.mlp.up_proj.weight" for n in range(2))]
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors([(name, "F32", (0,), b"") for name in names]))
    assert [one.code for one in weightmap.validate(path).findings] == ["emptied"]
