"""Tensors that may stand for each other: a block that has one of them does not lack the others."""

from __future__ import annotations

ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "attn_q.weight": ("attn_qkv.weight",),
    "attn_k.weight": ("attn_qkv.weight",),
    "attn_v.weight": ("attn_qkv.weight",),
    "attn_qkv.weight": ("attn_q.weight",),
    "ffn_gate_inp.weight": ("ffn_up.weight",),
    "ffn_gate.weight": ("ffn_gate_exps.weight", "ffn_gate_up_exps.weight", "ffn_gate.{x}.weight"),
    "ffn_up.weight": ("ffn_up_exps.weight", "ffn_gate_up_exps.weight", "ffn_up.{x}.weight"),
    "ffn_down.weight": ("ffn_down_exps.weight", "ffn_down.{x}.weight"),
    "ffn_gate_exps.weight": ("ffn_gate.weight", "ffn_gate_up_exps.weight", "ffn_gate.{x}.weight"),
    "ffn_up_exps.weight": ("ffn_up.weight", "ffn_gate_up_exps.weight", "ffn_up.{x}.weight"),
    "ffn_down_exps.weight": ("ffn_down.weight", "ffn_down.{x}.weight"),
}
"""By the name behind the block's number."""
