"""Shapes of a checkpoint's tensors, from the formulas for GGUF and the converter's transforms."""

import pytest

from weightmap.naming.checkpoints import MODEL_TYPES, source_shapes


def numpy_dims(architecture: str, source: str) -> tuple[str, ...]:
    rule = next(rule for rule, _ in source_shapes(architecture) if rule.name == source)
    return tuple(dim.text for dim in reversed(rule.dims))


@pytest.mark.parametrize(
    ("architecture", "source", "dims"),
    [
        ("llama", "model.layers.{i}.self_attn.q_proj.weight", ("K*H", "D")),
        ("gpt2", "transformer.h.{i}.mlp.c_fc.weight", ("D", "F")),
        ("llama", "model.layers.{i}.block_sparse_moe.experts.{x}.w2.weight", ("D", "F")),
        ("mamba", "backbone.layers.{i}.mixer.conv1d.weight", ("DI", "1", "DC")),
        ("gpt-oss", "model.layers.{i}.mlp.experts.down_proj", ("E", "FE", "D")),
        ("deepseek2", "model.layers.{i}.self_attn.kv_b_proj.weight", ("H*(KM-R+VM)", "LK")),
        ("bert", "embeddings.LayerNorm.gamma", ("D",)),
    ],
)
def test_dims(architecture: str, source: str, dims: tuple[str, ...]) -> None:
    assert numpy_dims(architecture, source) == dims


def test_gates_and_ups_in_one_tensor_are_twice_as_wide() -> None:
    for architecture, name, dims, target in (
        ("qwen3moe", "model.layers.{i}.mlp.experts.gate_up_proj", ("D", "2*(FE)", "E"), "ffn_gate_up_exps.weight"),
        ("gpt-oss", "model.layers.{i}.mlp.experts.gate_up_proj", ("2*(FE)", "D", "E"), "ffn_gate_exps.weight"),
        ("gpt-oss", "model.layers.{i}.mlp.experts.gate_up_proj_bias", ("2*(FE)", "E"), "ffn_gate_exps.bias"),
    ):
        [(rule, becomes)] = [pair for pair in source_shapes(architecture) if pair[0].name == name]
        assert (tuple(dim.text for dim in rule.dims), becomes) == (dims, f"blk.{{i}}.{target}")
        assert rule.required == (architecture == "gpt-oss")


def test_every_model_type_has_shapes() -> None:
    for architecture in set(MODEL_TYPES.values()):
        assert len(source_shapes(architecture)) >= 9, architecture
