"""Which modules a config leaves out."""

from __future__ import annotations

import pytest

from weightmap.companions.config import PARTS, QuantConfig

DEEP = ".".join(["a"] * (PARTS + 2))


@pytest.mark.parametrize(
    ("entry", "module", "meant"),
    [
        ("lm_head", "lm_head", True),
        ("lm_head", "model.lm_head", True),
        ("mlp.gate", "model.layers.0.mlp.gate", True),
        ("mlp.gate", "model.layers.0.mlp.gate_proj", False),
        ("layers.1", "model.layers.1.mlp.up_proj", True),
        ("layers.1", "model.layers.11.mlp.up_proj", False),
        ("visual", "model.visual.blocks.0.attn.qkv", True),
        ("model.layers.*.self_attn", "model.layers.3.self_attn", True),
        ("re:.*vision.*", "vision_tower.fc1", True),
        ("re:.*vision.*", "model.fc1", False),
        (DEEP, DEEP, True),
        (DEEP, f"{DEEP}.b", True),
        (DEEP, DEEP[2:], False),
        ("", "model", False),
    ],
)
def test_modules_that_an_entry_means(entry: str, module: str, meant: bool) -> None:
    config = QuantConfig("fp8", {"modules_to_not_convert": ["other", entry]})
    assert config.leaves_out(module) is meant
    assert config.leaves_out("other.proj") and not QuantConfig("fp8", {}).leaves_out(module)
