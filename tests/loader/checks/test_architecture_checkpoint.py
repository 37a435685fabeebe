"""Safetensors against the config.json beside it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.layouts import layout, shape

from weightmap.checks.architecture import check
from weightmap.checks.architecture.book import checkpoint_book
from weightmap.checks.architecture.config import MOST_BYTES
from weightmap.findings import Finding

CONFIG = {
    "model_type": "llama",
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 50,
}
BLOCK = {
    "input_layernorm.weight": (24,),
    "post_attention_layernorm.weight": (24,),
    "self_attn.q_proj.weight": (24, 24),
    "self_attn.k_proj.weight": (8, 24),
    "self_attn.v_proj.weight": (8, 24),
    "self_attn.o_proj.weight": (24, 24),
    "mlp.gate_proj.weight": (40, 24),
    "mlp.up_proj.weight": (40, 24),
    "mlp.down_proj.weight": (24, 40),
}
MODEL = {
    "model.embed_tokens.weight": (50, 24),
    "model.norm.weight": (24,),
    **{f"model.layers.{i}.{name}": shape for i in range(2) for name, shape in BLOCK.items()},
}


def judged(
    folder: Path, tensors: dict[str, tuple[int, ...]], config: object = CONFIG, type_name: str = "BF16", **more: Any
) -> list[Finding]:
    data = (
        config
        if isinstance(config, bytes)
        else json.dumps(config | more if isinstance(config, dict) else config).encode()
    )
    (folder / "config.json").write_bytes(data)
    path = str(folder / "model.safetensors")
    return check(layout(tensors, {}, path=path, type_name=type_name, format="safetensors"))


def test_agreement_is_silent(tmp_path: Path) -> None:
    assert judged(tmp_path, MODEL) == []


@pytest.mark.parametrize("name", MODEL)
def test_every_tensor_of_another_shape_is_named(tmp_path: Path, name: str) -> None:
    spoilt = (*MODEL[name][:-1], MODEL[name][-1] + 1)
    (found,) = judged(tmp_path, {**MODEL, name: spoilt})
    assert (found.severity, found.code, found.tensor) == ("warning", "shape_mismatch", name)
    assert "hidden_size 24" in found.message or "intermediate_size 40" in found.message


@pytest.mark.parametrize("key", ["hidden_size", "intermediate_size", "num_key_value_heads", "num_attention_heads"])
def test_every_number_is_checked(tmp_path: Path, key: str) -> None:
    found = judged(tmp_path, MODEL, **{key: CONFIG[key] * 2})
    assert {(str(one.severity), one.code) for one in found} == {("warning", "shape_mismatch")}
    assert len(found) <= 2
    assert f"{key} {CONFIG[key] * 2}" in found[0].message


def test_a_count_that_no_model_has_is_a_warning(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, MODEL, num_hidden_layers=4_000_000_000)
    assert (found.severity, found.code, found.key) == ("warning", "block_count", "num_hidden_layers")
    assert "num_hidden_layers is 4,000,000,000, and the file has tensors of 2 blocks" in found.message


@pytest.mark.parametrize("prefix", ["", "model.language_model.", "language_model.model."])
def test_other_prefixes(tmp_path: Path, prefix: str) -> None:
    renamed = {prefix + name.removeprefix("model."): shape for name, shape in MODEL.items()}
    assert judged(tmp_path, renamed) == []
    spoilt = prefix + "layers.1.mlp.up_proj.weight"
    assert [one.tensor for one in judged(tmp_path, {**renamed, spoilt: (41, 24)})] == [spoilt]


def test_numbers_of_the_language_model_count(tmp_path: Path) -> None:
    outer = {"model_type": "llava", "hidden_size": 7, "text_config": CONFIG}
    tower = {f"vision_tower.layers.{i}.mlp.fc1.weight": (9, 9) for i in range(3)}
    assert judged(tmp_path, {**MODEL, **tower}, outer) == []
    assert judged(tmp_path, {**MODEL, **tower}, outer | {"head_dim": 11}) == []
    found = judged(tmp_path, {**MODEL, **tower}, outer | {"text_config": CONFIG | {"head_dim": 11}})
    assert {one.code for one in found} == {"shape_mismatch"}


def test_a_width_that_heads_only_share_out_with_a_remainder_is_one_cause(tmp_path: Path) -> None:
    [found] = judged(tmp_path, MODEL, hidden_size=25, model_type="qwen2")
    assert (found.code, found.key) == ("shape_mismatch", "hidden_size")
    assert found.message.startswith("No tensor agrees with hidden_size.")


def test_experts_in_one_tensor_stand_for_the_single_ones(tmp_path: Path) -> None:
    config = CONFIG | {"model_type": "qwen3_moe", "head_dim": 4, "num_experts": 3, "moe_intermediate_size": 5}
    tensors = {name: shape for name, shape in MODEL.items() if ".mlp." not in name}
    for i in range(2):
        at = f"model.layers.{i}."
        tensors |= {f"{at}self_attn.q_norm.weight": (4,), f"{at}self_attn.k_norm.weight": (4,)}
        tensors |= {f"{at}mlp.gate.weight": (3, 24), f"{at}mlp.experts.down_proj": (3, 24, 5)}
        tensors[f"{at}mlp.experts.gate_up_proj"] = (3, 10, 24)
    assert judged(tmp_path, tensors, config) == []
    [found] = judged(tmp_path, {**tensors, "model.layers.1.mlp.experts.gate_up_proj": (3, 24, 10)}, config)
    assert (found.code, found.tensor) == ("shape_mismatch", "model.layers.1.mlp.experts.gate_up_proj")
    [found] = judged(tmp_path, {k: v for k, v in tensors.items() if ".gate_up_proj" not in k}, config)
    assert (found.code, found.expected) == ("missing_tensor", "model.layers.0.mlp.experts.0.gate_proj.weight")


def test_a_draft_may_have_fewer_tokens(tmp_path: Path) -> None:
    drafts = {**MODEL, "lm_head.weight": (7, 24)}
    assert [one.code for one in judged(tmp_path, drafts)] == ["vocabulary_size"]
    assert judged(tmp_path, drafts, draft_vocab_size=7) == []


def test_vocabulary(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, MODEL, vocab_size=51)
    assert (found.severity, found.code, found.key) == ("warning", "vocabulary_size", "vocab_size")
    assert [one.severity for one in judged(tmp_path, MODEL, vocab_size=49)] == ["info"]


def test_missing_and_unexpected_are_remarks(tmp_path: Path) -> None:
    spoilt = {name: shape for name, shape in MODEL.items() if name != "model.layers.1.mlp.up_proj.weight"}
    found = judged(tmp_path, {**spoilt, "model.extra": (3,), "model.layers.0.self_attn.rotary_emb.inv_freq": (2,)})
    assert [(str(one.severity), one.code) for one in found] == [
        ("info", "missing_tensor"),
        ("info", "unexpected_tensor"),
    ]
    assert found[0].tensor == "model.layers.1.mlp.up_proj.weight"
    assert found[1].tensor == "model.extra"


def test_an_adapter_beside_a_config_is_left_alone(tmp_path: Path) -> None:
    adapter = {f"base_model.model.model.layers.{i}.self_attn.q_proj.lora_A.weight": (8, 24) for i in range(2)}
    assert judged(tmp_path, adapter) == []


def test_packed_weights_are_left_alone(tmp_path: Path) -> None:
    packed = {name: (*shape[:-1], 3) for name, shape in MODEL.items()}
    assert judged(tmp_path, packed, type_name="I32", quantization_config={"bits": 4}) == []
    found = judged(tmp_path, packed, quantization_config={"bits": 8})
    assert {one.code for one in found} == {"shape_mismatch"}


@pytest.mark.parametrize(
    "config",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"hidden_size": ' + b"9" * 5000 + b"}",
        b" " * (MOST_BYTES + 1),
    ],
    ids=["empty", "open", "list", "utf8", "deep", "digits", "long"],
)
def test_a_damaged_config_is_a_remark(tmp_path: Path, config: bytes) -> None:
    (found,) = judged(tmp_path, MODEL, config)
    assert (found.severity, found.code) == ("info", "bad_config")
    assert found.path == str(tmp_path / "config.json")


@pytest.mark.parametrize("value", [None, True, -1, 0, 1.5, float("nan"), "24", [24], {}, 10**400, -(2**63), 2**64 - 1])
def test_odd_numbers_do_no_harm(tmp_path: Path, value: object) -> None:
    for key in CONFIG:
        assert all(one.severity != "error" for one in judged(tmp_path, MODEL, **{key: value}))


def test_no_config_and_no_file(tmp_path: Path) -> None:
    path = str(tmp_path / "model.safetensors")
    assert check(layout(MODEL, {}, path=path, format="safetensors")) == []
    os.mkfifo(tmp_path / "config.json")
    assert check(layout(MODEL, {}, path=path, format="safetensors")) == []


def test_unknown_model_type(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, MODEL, model_type="nobody")
    assert (found.severity, found.code, found.found) == ("info", "unknown_arch", "nobody")
    assert judged(tmp_path, MODEL, {"in_features": 3}) == []


@pytest.mark.parametrize(
    ("flags", "rows"),
    [({}, 32), ({"multi_query": False}, 72), ({"new_decoder_architecture": True, "num_kv_heads": 3}, 48)],
)
def test_falcon_counts_its_heads_by_flags(tmp_path: Path, flags: dict[str, object], rows: int) -> None:
    config = {"model_type": "falcon", "hidden_size": 24, "num_attention_heads": 6, "vocab_size": 50, **flags}
    qkv = {"transformer.h.0.self_attention.query_key_value.weight": (rows, 24), "transformer.ln_f.weight": (24,)}
    assert [one for one in judged(tmp_path, qkv, config) if one.severity != "info"] == []
    spoilt = dict.fromkeys(qkv, (rows + 1, 24)) | {"transformer.ln_f.weight": (24,)}
    assert [one.severity for one in judged(tmp_path, spoilt, config) if one.severity != "info"] == ["warning"]


def test_blocks_beyond_the_count_are_a_remark_unless_they_predict_more_tokens(tmp_path: Path) -> None:
    more = {f"model.layers.2.{name}": shape for name, shape in BLOCK.items()}
    [found] = judged(tmp_path, MODEL | more)
    assert (found.severity, found.code) == ("info", "unexpected_tensor")
    assert found.message.startswith("num_hidden_layers is 2, and 9 tensors belong to a block beyond: model.layers.2.")
    assert judged(tmp_path, MODEL | more, num_nextn_predict_layers=1) == []


@pytest.mark.parametrize("decoders", [1, 3])
def test_decoders_are_counted_by_their_own_number(tmp_path: Path, decoders: int) -> None:
    book = checkpoint_book("t5")
    assert book is not None
    counts = {"enc.": 2, "dec.": decoders}
    tensors = {
        entry.rule.name.replace("{i}", str(block)): shape(entry.rule)
        for entry in book.entries
        for block in range(counts[entry.target[:4]] if entry.rule.blocks else 1)
    }
    config = CONFIG | {"model_type": "t5", "d_kv": 4, "num_hidden_layers": None, "num_layers": 2}
    config |= {"relative_attention_num_buckets": 7}
    assert judged(tmp_path, tensors, config, num_decoder_layers=decoders) == []
    found = judged(tmp_path, tensors, config)
    assert [one.code for one in found] == ["missing_tensor" if decoders < 2 else "unexpected_tensor"]
