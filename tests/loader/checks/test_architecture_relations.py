"""Hyperparameters against each other, and choices that one block alone does not make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.layouts import layout, metadata, tensors

from weightmap.checks.architecture import check
from weightmap.findings import Finding


def model(architecture: str, changed: dict[str, Any]) -> list[Finding]:
    """Findings about numbers that no tensor contradicts."""
    found = check(layout({"output_norm.weight": (24,)}, metadata(architecture) | changed))
    return [one for one in found if one.code != "missing_tensor"]


def test_what_tensors_contradict_is_said_once() -> None:
    found = check(layout(tensors("llama"), metadata("llama") | {"llama.attention.head_count_kv": 4}))
    assert [one.code for one in found] == ["shape_mismatch"]


def test_hyperparameters_of_another_architecture_than_is_named() -> None:
    [found] = model("llama", {"general.architecture": "qwen2"})
    assert (found.code, found.key) == ("hyperparameter", "general.architecture")
    assert found.message == (
        "general.architecture is qwen2, but the hyperparameters are those of llama, as llama.block_count."
    )
    found = check(layout({"w": (2,)}, metadata("llama") | {"general.architecture": "pig"}))
    assert [one.code for one in found] == ["hyperparameter", "unknown_arch"]
    assert model("llama", {"qwen2.block_count": 3}) == []


def test_heads_that_cannot_share_their_keys_evenly() -> None:
    [found] = model("qwen3", {"qwen3.attention.head_count_kv": 4})
    assert (found.severity, found.key) == ("warning", "qwen3.attention.head_count_kv")
    assert found.message == "qwen3.attention.head_count_kv is 4, which does not divide qwen3.attention.head_count, 6."
    [found] = model("qwen3", {"qwen3.attention.head_count_kv": 12})
    assert (found.expected, found.found) == ("a divisor of 6", "12")


def test_heads_of_one_block_and_blocks_without_attention() -> None:
    assert model("llama", {"llama.attention.head_count_kv": [2, 0, 6]}) == []
    [found] = model("llama", {"llama.attention.head_count_kv": [2, 3, 4]})
    assert "is 4 in block 2, which does not divide" in found.message
    assert model("llama", {"llama.attention.head_count_kv": None}) == []
    assert model("llama", {"llama.attention.head_count": -6, "llama.attention.head_count_kv": 4}) == []
    assert model("llama", {"llama.attention.head_count_kv": -4}) == []


@pytest.mark.parametrize("used", [0, 9])
def test_experts_in_use_are_some_of_those_that_there_are(used: int) -> None:
    [found] = model("qwen3moe", {"qwen3moe.expert_used_count": used})
    assert (found.key, found.expected, found.found) == ("qwen3moe.expert_used_count", "1 to 8", str(used))
    assert model("qwen3moe", {"qwen3moe.expert_used_count": 8}) == []
    assert model("llama", {"llama.expert_count": 0, "llama.expert_used_count": 0}) == []


def test_llama_rotates_whole_heads() -> None:
    [found] = model("llama", {"llama.rope.dimension_count": 2})
    assert (found.key, found.expected, found.found) == ("llama.rope.dimension_count", "4", "2")
    assert model("qwen3", {"qwen3.rope.dimension_count": 2}) == []
    assert model("llama", {"llama.attention.key_length": 0}) == []


def test_a_config_is_held_against_itself_too(tmp_path: Path) -> None:
    config = '{"model_type": "mixtral", "num_attention_heads": 6, "num_key_value_heads": 4, "num_local_experts": 8, %s}'
    (tmp_path / "config.json").write_text(config % '"num_experts_per_tok": 9')
    found = check(
        layout({"model.norm.weight": (24,)}, {}, path=str(tmp_path / "model.safetensors"), format="safetensors")
    )
    assert [(one.code, one.key) for one in found if one.severity == "warning"] == [
        ("hyperparameter", "num_key_value_heads"),
        ("hyperparameter", "num_experts_per_tok"),
    ]


def lost(architecture: str, *skip: str, blocks: int = 5) -> list[tuple[str, str | None]]:
    every = {
        name.replace("blk.0.", f"blk.{block}."): shape
        for name, shape in tensors(architecture).items()
        for block in range(blocks if name.startswith("blk.0.") else 1)
        if not name.startswith("blk.") or name.startswith("blk.0.")
    }
    biases = {"attn_q.bias": 24, "attn_k.bias": 8} if architecture == "llama" else {}
    every |= {f"blk.{block}.{name}": (size,) for block in range(blocks) for name, size in biases.items()}
    kept = {name: shape for name, shape in every.items() if not name.endswith(skip)}
    found = check(layout(kept, metadata(architecture, block_count=blocks)))
    return [(str(one.severity), one.tensor) for one in found if one.code == "missing_tensor"]


def test_a_bias_that_one_block_lacks_is_lost() -> None:
    assert lost("llama") == []
    assert lost("llama", "blk.2.attn_q.bias") == [("warning", "blk.2.attn_q.bias")]


def test_blocks_at_the_ends_and_more_than_one_may_do_without() -> None:
    assert lost("llama", "blk.0.attn_q.bias") == []
    assert lost("llama", "blk.4.attn_q.bias") == []
    assert lost("llama", "blk.1.attn_q.bias", "blk.3.attn_q.bias") == []
    assert lost("llama", "blk.1.attn_q.bias", blocks=3) == []


def test_a_block_of_another_kind_than_all_others_lacks_nothing() -> None:
    alone = [f"blk.{block}.attn_k.bias" for block in (0, 1, 3, 4)]
    assert lost("llama", "blk.2.attn_q.bias", *alone) == []
