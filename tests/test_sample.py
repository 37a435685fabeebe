"""The bundled sample: sound, small, of many types, and true to its original."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.shared import ROOT

import weightmap

SAMPLE = ROOT / "app" / "tensorloupe" / "sample"
QUANTIZED, ORIGINAL = SAMPLE / "minilm-sample.gguf", SAMPLE / "minilm-sample.safetensors"

# relative root mean square error of each type on these weights, with room for what is near
ERRORS = {
    "Q4_0": 0.12,
    "Q4_1": 0.11,
    "Q5_0": 0.06,
    "Q5_1": 0.05,
    "Q8_0": 0.008,
    "Q4_K": 0.09,
    "Q6_K": 0.025,
    "BF16": 0.003,
}

NAMES = {
    "blk.0.attn_q.weight": "encoder.layer.0.attention.self.query.weight",
    "blk.0.attn_k.weight": "encoder.layer.0.attention.self.key.weight",
    "blk.0.attn_v.weight": "encoder.layer.0.attention.self.value.weight",
    "blk.0.attn_output.weight": "encoder.layer.0.attention.output.dense.weight",
    "blk.0.ffn_up.weight": "encoder.layer.0.intermediate.dense.weight",
    "blk.0.ffn_down.weight": "encoder.layer.0.output.dense.weight",
    "blk.1.attn_k.weight": "encoder.layer.1.attention.self.key.weight",
    "blk.1.attn_output.weight": "encoder.layer.1.attention.output.dense.weight",
    "blk.1.ffn_down.weight": "encoder.layer.1.output.dense.weight",
}


@pytest.mark.parametrize("path", [QUANTIZED, ORIGINAL], ids=lambda path: path.suffix)
def test_it_is_sound_to_the_last_value(path: Path) -> None:
    with weightmap.open(path) as model:
        for tensor in model.records:
            tensor.check_values()
        assert model.findings == ()
        assert len(model.tensors) == 37


def test_it_is_small_and_says_where_it_is_from() -> None:
    assert QUANTIZED.stat().st_size + ORIGINAL.stat().st_size < 2_000_000
    notice = (SAMPLE / "NOTICE.md").read_text(encoding="utf-8")
    assert "Apache-2.0" in notice
    assert "MIT License" in notice


def test_it_has_something_for_every_panel() -> None:
    with weightmap.open(QUANTIZED) as model:
        tokens = model.metadata["tokenizer.ggml.tokens"]
        assert (len(tokens), tokens[2], tokens[5]) == (1024, "[CLS]", "\u2581the")
        assert model.metadata["general.architecture"] == "bert"
        assert {tensor.type.name for tensor in model.records} == {*ERRORS, "F32", "F16"}


@pytest.mark.parametrize("name", NAMES)
def test_the_two_files_belong_together(name: str) -> None:
    with weightmap.open(QUANTIZED) as quantized, weightmap.open(ORIGINAL) as original:
        tensor = quantized.tensors[name]
        found = tensor.array(np.float32).astype(np.float64)
        wanted = original.tensors[NAMES[name]].array(np.float64)
    error = np.sqrt(np.mean((found - wanted) ** 2) / np.mean(wanted**2))
    assert 0 < error < ERRORS[tensor.type.name]
