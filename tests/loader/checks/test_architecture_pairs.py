"""Adapters and importance matrices: what comes in twos is there in twos and fits."""

from __future__ import annotations

import pytest
from support.layouts import layout

from weightmap.checks.architecture import check

ADAPTER = {"general.architecture": "llama", "general.type": "adapter"}
IMATRIX = {"general.type": "imatrix"}


@pytest.mark.parametrize(
    ("kind", "tensors"),
    [
        (ADAPTER, {"blk.0.attn_q.weight.lora_a": (8, 64), "blk.0.attn_q.weight.lora_b": (32, 8)}),
        (ADAPTER, {"blk.0.ffn_up_exps.weight.lora_a": (4, 8, 64), "blk.0.ffn_up_exps.weight.lora_b": (4, 32, 8)}),
        (ADAPTER, {"token_embd.weight.lora_a": (100, 8), "token_embd.weight.lora_b": (64, 8)}),
        (ADAPTER, {"token_embd.weight.lora_a": (8, 64), "token_embd.weight.lora_b": (100, 8)}),
        (ADAPTER, {"blk.0.attn_norm.weight": (64,)}),
        (IMATRIX, {"blk.0.attn_q.weight.in_sum2": (1, 64), "blk.0.attn_q.weight.counts": (1, 1)}),
        (IMATRIX, {"blk.0.ffn_up_exps.weight.in_sum2": (4, 64), "blk.0.ffn_up_exps.weight.counts": (4, 1)}),
        ({"general.architecture": "nobody"}, {"x.lora_a": (8, 64)}),
        ({"general.architecture": "clip", "general.type": "mmproj"}, {"x.counts": (8, 64)}),
    ],
)
def test_pairs_that_fit_are_silent(kind, tensors):
    assert [one.code for one in check(layout(tensors, kind))] == (["unknown_arch"] if "nobody" in kind.values() else [])


@pytest.mark.parametrize(
    ("kind", "there", "expected"),
    [
        (ADAPTER, "blk.0.attn_q.weight.lora_a", "blk.0.attn_q.weight.lora_b"),
        (ADAPTER, "blk.0.attn_q.weight.lora_b", "blk.0.attn_q.weight.lora_a"),
        (IMATRIX, "blk.0.attn_q.weight.in_sum2", "blk.0.attn_q.weight.counts"),
        (IMATRIX, "blk.0.attn_q.weight.counts", "blk.0.attn_q.weight.in_sum2"),
    ],
)
def test_half_a_pair_is_a_warning(kind, there, expected):
    (found,) = check(layout({there: (1, 1)}, kind))
    assert (found.code, found.severity, found.tensor, found.expected) == ("missing_tensor", "warning", there, expected)
    assert found.message == f"{there} is there without {expected}: they only work as a pair."
    assert "llama.cpp refuses it" in (found.advice or "")


def test_ranks_that_do_not_fit():
    tensors = {"blk.0.attn_q.weight.lora_a": (8, 64), "blk.0.attn_q.weight.lora_b": (32, 4)}
    (found,) = check(layout(tensors, ADAPTER))
    assert (found.code, found.severity, found.tensor) == ("shape_mismatch", "warning", "blk.0.attn_q.weight.lora_b")
    assert (found.expected, found.found) == ("rank 8", "rank 4")


def test_counts_of_other_experts_than_there_are_sums_of():
    (found,) = check(layout({"e.weight.in_sum2": (4, 64), "e.weight.counts": (1, 1)}, IMATRIX))
    assert (found.code, found.severity, found.tensor) == ("shape_mismatch", "warning", "e.weight.counts")
    assert (found.expected, found.found) == ("4 counts", "1 count")


def test_many_halves_are_counted():
    found = check(layout({f"blk.{n}.attn_q.weight.lora_a": (8, 64) for n in range(50)}, ADAPTER))
    assert len(found) == 20
    assert found[-1].message.endswith("30 more are like this.")
