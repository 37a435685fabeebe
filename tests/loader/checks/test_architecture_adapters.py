"""Halves of adapters in safetensors that do not go together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.layouts import layout

from weightmap.checks.architecture import check
from weightmap.findings import finding

PEFT = "base_model.model.model.layers.{}.self_attn.q_proj.lora_{}.weight"


def judged(tensors, **more):
    whole = layout(tensors, {}, path="adapter_model.safetensors", format="safetensors")
    return [(str(one.severity), one.code, one.tensor) for one in check(replace(whole, **more))]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (PEFT.format(0, "A"), PEFT.format(0, "B")),
        ("base_model.model.x.lora_A.default.weight", "base_model.model.x.lora_B.default.weight"),
        ("lora_unet_mid_block.lora_down.weight", "lora_unet_mid_block.lora_up.weight"),
        ("unet.mid_block.to_q.lora.down.weight", "unet.mid_block.to_q.lora.up.weight"),
    ],
)
def test_pairs_of_every_writer(first, second):
    assert judged({first: (8, 64), second: (32, 8)}) == []
    assert judged({first: (8, 64, 3, 3), second: (32, 8, 1, 1)}) == []
    assert judged({first: (8, 64, 3), second: (32, 8, 1)}) == []
    assert judged({first: (4, 8, 64), second: (4, 32, 8)}) == []  # experts in a stack
    assert judged({first: (8, 1, 3), second: (32, 4, 1)}) == [("warning", "shape_mismatch", second)]
    pair = {f"other.{first}": (8, 64), f"other.{second}": (32, 8)}
    assert judged(pair | {first: (8, 64)}) == [("warning", "missing_tensor", first)]
    assert judged(pair | {second: (32, 8)}) == [("warning", "missing_tensor", second)]
    assert judged({first: (8, 64)}) == []  # an extract
    assert judged({first: (8, 64), second: (32, 4)}) == [("warning", "shape_mismatch", second)]


def test_what_else_adapters_hold_stands_alone():
    names = [
        "m.lora_magnitude_vector",
        "m.alpha",
        "m.lora_mid.weight",
        "m.hada_w1_a",
        "m.qkv_proj.lora_down",
        "m.lora_B.bias",
    ]
    assert judged(dict.fromkeys(names, (8, 8))) == []


def test_other_files_may_hold_the_other_half():
    problem = finding("lone_shard", "This is part 1 of 2, opened without the others.")
    halves = {PEFT.format(0, "A"): (8, 64), PEFT.format(0, "B"): (32, 8), PEFT.format(1, "A"): (8, 64)}
    assert judged(halves, problems=(problem,)) == []


def test_few_findings_for_many_pairs():
    halves = {PEFT.format(n, "A"): (8, 64) for n in range(500)} | {PEFT.format(0, "B"): (32, 8)}
    assert len(judged(halves)) == 20
