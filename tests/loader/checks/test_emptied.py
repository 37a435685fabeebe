"""Checkpoints whose weights have no values."""

from __future__ import annotations

from support.layouts import layout

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
