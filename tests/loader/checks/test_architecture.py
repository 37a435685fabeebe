"""Whole models of every architecture are silent; each single lie about a shape or a number is found and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.layouts import NUMBERS, layout, metadata, tensors, whole_model

from weightmap.checks.architecture import check
from weightmap.checks.architecture import shapes as shapes_check
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.findings import Finding
from weightmap.naming.shapes import TABLES, shapes
from weightmap.naming.symbols import symbols


def said(found: list[Finding]) -> list[tuple[str, str]]:
    return [(str(one.severity), one.code) for one in found]


@pytest.mark.parametrize("architecture", TABLES)
def test_a_whole_model_is_silent(architecture: str) -> None:
    assert check(whole_model(architecture)) == []


@pytest.mark.parametrize("architecture", TABLES)
def test_every_tensor_of_another_shape_is_named(architecture: str) -> None:
    whole, numbers = tensors(architecture), metadata(architecture)
    rules = {rule.name: rule for rule in shapes(architecture) or ()}
    for rule in rules.values():
        name = rule.name.format(i=1, x=0)
        spoilt = tuple(n + 3 for n in whole[name])
        rows_only = [dim.symbols for dim in rule.dims] == [("NV",)]
        found = check(layout({**whole, name: spoilt}, numbers))
        rows = [one for one in found if one.code == "vocabulary_size"]
        shape = [one for one in found if one.code == "shape_mismatch"]
        assert len(rows) == (("NV",) in [dim.symbols for dim in rule.dims])
        if rows_only:
            continue
        assert len(shape) == 1, (name, found)
        assert shape[0].severity == "warning"
        assert shape[0].tensor == name
        assert shape[0].found == " × ".join(map(str, spoilt))
        assert f"The shape of {name} should be" in shape[0].message


@pytest.mark.parametrize("architecture", TABLES)
def test_every_number_that_tensors_contradict_is_named(architecture: str) -> None:
    whole = tensors(architecture)
    needed = {symbol for rule in shapes(architecture) or () for symbol in rule.symbols}
    for key, number in NUMBERS.items():
        letters = {letter for letter, symbol in symbols(architecture).items() if symbol.key == key}
        if not letters & needed:
            continue
        spoilt = metadata(architecture) | {f"{architecture}.{key}": number * 2}
        found = check(layout(whole, spoilt))
        assert found, key
        assert {one.code for one in found} == {"shape_mismatch"}, key
        assert len(found) <= 3, (key, found)
        assert f"{architecture}.{key} {number * 2:,}" in found[0].message
        assert found[0].severity == "warning"


def test_one_wrong_number_is_one_finding_that_names_the_key() -> None:
    (found,) = check(whole_model("llama", embedding_length=30))
    assert found.key == "llama.embedding_length"
    assert found.tensor == "token_embd.weight"
    assert (found.expected, found.found) == ("? × 30", "50 × 24")
    assert found.message.startswith("No tensor agrees with llama.embedding_length.")
    assert found.advice == "Correct the number in the metadata; the tensors agree with each other."


def test_kv_heads_that_do_not_fit() -> None:
    (found,) = check(whole_model("llama", attention_head_count_kv=3))
    assert found.key == "llama.attention.head_count_kv"
    assert (found.expected, found.found) == ("12 × 24", "8 × 24")
    assert "llama.attention.key_length 4 and llama.attention.head_count_kv 3" in found.message


def test_many_spoilt_tensors_are_counted() -> None:
    numbers = metadata("llama", block_count=20)
    spoilt = {f"blk.{i}.ffn_up.weight": (40 + i, 24) for i in range(1, 20)}
    found = check(layout({**tensors("llama", 20), **spoilt}, numbers))
    assert len(found) == 9
    assert found[0].tensor == "blk.1.ffn_up.weight"
    assert found[-1].message.startswith("11 more tensors have another shape")


def test_axes_of_length_one_in_front_do_not_count() -> None:
    whole = tensors("qwen2moe")
    whole |= {f"blk.{i}.ffn_gate_inp_shexp.weight": (1, 24) for i in range(3)}
    assert check(layout(whole, metadata("qwen2moe"))) == []


def test_more_axes_than_expected_are_a_mismatch() -> None:
    whole = {**tensors("llama"), "blk.0.attn_norm.weight": (2, 24)}
    (found,) = check(layout(whole, metadata("llama")))
    assert (found.tensor, found.expected, found.found) == ("blk.0.attn_norm.weight", "24", "2 × 24")


def test_numbers_that_are_not_given_are_not_checked() -> None:
    bare = {"general.architecture": "llama"}
    assert (
        check(layout({"token_embd.weight": (3, 5), "blk.0.attn_q.weight": (7, 11)}, bare))[0].code == "missing_tensor"
    )
    assert said(check(layout({"blk.0.attn_q.weight": (7, 11)}, bare))) == [("info", "missing_tensor")]


def test_heads_default_to_those_of_queries_and_widths_to_the_share_of_the_embedding() -> None:
    whole = tensors("llama") | {f"blk.{i}.attn_k.weight": (24, 24) for i in range(3)}
    whole |= {f"blk.{i}.attn_v.weight": (24, 24) for i in range(3)}
    whole = {name: shape for name, shape in whole.items() if not name.endswith(("bias", "attn_qkv.weight"))}
    numbers = {"attention_head_count_kv": None, "attention_key_length": None, "attention_value_length": None}
    assert check(layout(whole, metadata("llama", **numbers))) == []


def test_arrays_with_a_number_per_block() -> None:
    whole = tensors("openelm")
    for block, (heads, kv, width) in enumerate(((6, 2, 40), (4, 1, 48), (8, 4, 56))):
        whole[f"blk.{block}.attn_qkv.weight"] = ((heads + 2 * kv) * 4, 24)
        whole[f"blk.{block}.attn_output.weight"] = (24, heads * 4)
        whole |= {f"blk.{block}.ffn_{part}.weight": (width, 24) for part in ("gate", "up")}
        whole |= {f"blk.{block}.ffn_{part}.bias": (width,) for part in ("gate", "up")}
        whole[f"blk.{block}.ffn_down.weight"] = (24, width)
    numbers = metadata("openelm") | {
        "openelm.attention.head_count": np.array([6, 4, 8], np.int32),
        "openelm.attention.head_count_kv": np.array([2, 1, 4], np.uint32),
        "openelm.feed_forward_length": np.array([40, 48, 56], np.uint32),
    }
    assert check(layout(whole, numbers)) == []
    (found,) = check(layout({**whole, "blk.2.ffn_up.weight": (48, 24)}, numbers))
    assert (found.tensor, found.expected) == ("blk.2.ffn_up.weight", "56 × 24")
    assert "openelm.feed_forward_length 56" in found.message


def test_a_wrong_number_is_one_finding_where_shapes_differ_from_block_to_block() -> None:
    whole = tensors("llama")
    for block, width in enumerate((40, 48, 56)):
        whole |= {f"blk.{block}.ffn_{part}.weight": (width, 24) for part in ("gate", "up")}
        whole[f"blk.{block}.ffn_down.weight"] = (24, width)
    numbers = metadata("llama", embedding_length=32)
    numbers |= {"llama.feed_forward_length": np.array([40, 48, 56], np.uint32)}
    found = [one for one in check(layout(whole, numbers)) if "embedding_length" in one.message]
    assert [one.key for one in found] == ["llama.embedding_length"]


def test_shapes_are_worked_out_once_for_all_tensors_that_have_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []
    expected = shapes_check._expected

    def counted(dims: Any, numbers: Hyperparameters, block: int | None) -> Any:
        asked.append(block)
        return expected(dims, numbers, block)

    monkeypatch.setattr(shapes_check, "_expected", counted)
    whole, numbers = tensors("llama"), metadata("llama")
    many = {f"blk.{i}.attn_q.weight": whole["blk.1.attn_q.weight"] for i in range(400)}
    found = check(layout({**whole, **many, "blk.7.attn_q.weight": (9, 9)}, numbers))
    assert [one.tensor for one in found if one.code == "shape_mismatch"] == ["blk.7.attn_q.weight"]
    assert len(asked) < 40


def test_arrays_of_another_length_than_there_are_blocks() -> None:
    numbers = metadata("llama") | {"llama.feed_forward_length": np.array([40, 40], np.uint32)}
    (found,) = check(layout(tensors("llama"), numbers))
    assert (found.code, found.severity, found.key) == ("per_layer_length", "warning", "llama.feed_forward_length")
    assert (found.expected, found.found) == ("3 numbers", "2 numbers")


def test_sliding_heads_of_another_width_are_not_judged() -> None:
    numbers = metadata("gemma3", attention_key_length=9) | {"gemma3.attention.key_length_swa": 4}
    assert check(layout(tensors("gemma3"), numbers)) == []


def test_old_mixtral_files_have_one_tensor_per_expert() -> None:
    whole = {name: shape for name, shape in tensors("llama").items() if "_exps" not in name}
    whole = {name: shape for name, shape in whole.items() if not name.endswith(("ffn_up.weight", "ffn_gate.weight"))}
    assert check(layout(whole, metadata("llama"))) == []
    (found,) = check(layout({**whole, "blk.1.ffn_up.5.weight": (41, 24)}, metadata("llama")))
    assert (found.tensor, found.expected) == ("blk.1.ffn_up.5.weight", "40 × 24")


def test_unknown_architecture_is_not_checked() -> None:
    (found,) = check(layout({"a": (1, 2)}, {"general.architecture": "nobody\u202eknows"}))
    assert (found.severity, found.code, found.key) == ("info", "unknown_arch", "general.architecture")
    assert "nobody\\u202eknows is not known here" in found.message


@pytest.mark.parametrize("kind", ["adapter", "imatrix", "mmproj"])
def test_files_that_are_no_model_are_left_alone(kind: str) -> None:
    numbers = metadata("llama") | {"general.type": kind}
    assert check(layout({"blk.0.attn_q.weight": (9, 9), "x": (1,)}, numbers)) == []


@pytest.mark.parametrize("architecture", ["clip", "controlvector"])
def test_kinds_of_files_without_expectations(architecture: str) -> None:
    assert check(layout({"direction.1": (9,)}, {"general.architecture": architecture})) == []


def test_other_formats_and_files_without_tensors_are_silent() -> None:
    assert check(layout({"a": (1,)}, {}, format="imatrix")) == []
    assert check(layout({}, metadata("llama"))) == []
