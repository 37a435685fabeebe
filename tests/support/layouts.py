"""Layouts without files: whole models of an architecture as its tables describe it, to be spoilt in one place at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weightmap.formats.layout import Layout, Part, TensorRecord
from weightmap.naming.names import names
from weightmap.naming.rules import TensorRule
from weightmap.naming.shapes import shapes
from weightmap.types.registry import by_name

Tensors = Mapping[str, tuple[int, ...]]

NUMBERS = {
    "embedding_length": 24,
    "feed_forward_length": 40,
    "context_length": 128,
    "block_count": 3,
    "decoder_block_count": 3,
    "attention.head_count": 6,
    "attention.head_count_kv": 2,
    "attention.key_length": 4,
    "attention.value_length": 4,
    "attention.key_length_mla": 10,
    "attention.value_length_mla": 5,
    "attention.q_lora_rank": 11,
    "attention.kv_lora_rank": 9,
    "attention.relative_buckets_count": 7,
    "rope.dimension_count": 4,
    "expert_count": 8,
    "expert_used_count": 2,
    "expert_feed_forward_length": 14,
    "expert_shared_feed_forward_length": 18,
    "expert_shared_count": 2,
    "ssm.inner_size": 48,
    "ssm.conv_kernel": 3,
    "ssm.state_size": 16,
    "ssm.time_step_rank": 12,
    "ssm.group_count": 2,
    "dense_2_feat_out": 31,
    "dense_3_feat_in": 33,
}
"""Hyperparameters by their keys behind the architecture's name; heads share out the embedding, as some models need."""
VOCABULARY = 50
LETTERS = {
    "D": 24, "F": 40, "C": 128, "B": 3, "BD": 3, "H": 6, "HK": 2, "K": 4, "V": 4, "KM": 10, "VM": 5, "LQ": 11, "LK": 9,
    "RB": 7, "R": 4, "E": 8, "EU": 2, "FE": 14, "FS": 18, "ES": 2, "DI": 48, "DC": 3, "DS": 16, "DT": 12, "DG": 2,
    "D2": 31, "D3": 33, "NV": VOCABULARY, "NT": 2, "NC": 1,
}  # fmt: skip


def layout(
    tensors: Tensors,
    metadata: Mapping[str, Any],
    *,
    path: str = "model.gguf",
    type_name: str = "F32",
    format: str = "gguf",
) -> Layout:
    """A layout of one part with these tensors, whose data lies nowhere."""
    kind = by_name(type_name)
    assert kind is not None
    records = tuple(TensorRecord(name, shape, kind, 0, 0, 0, 0) for name, shape in tensors.items())
    return Layout(format, path, (Part(path, 1 << 30),), records, metadata)


def metadata(architecture: str, **more: Any) -> dict[str, Any]:
    """The metadata of a whole model; `more` replaces hyperparameters, with _ for the dots and None to leave one out."""
    numbers: dict[str, Any] = dict(NUMBERS)
    for word, value in more.items():
        numbers[next(key for key in numbers if key.replace(".", "_") == word)] = value
    return {
        "general.architecture": architecture,
        "general.type": "model",
        **{f"{architecture}.{key}": value for key, value in numbers.items() if value is not None},
        "tokenizer.ggml.tokens": [f"<{n}>" for n in range(VOCABULARY)],
        "tokenizer.ggml.token_type_count": 2,
    }


def tensors(architecture: str, blocks: int = 3) -> dict[str, tuple[int, ...]]:
    """Every tensor of an architecture's table, in all blocks, required or not, with the shapes that NUMBERS give."""
    rules = shapes(architecture)
    assert rules is not None
    found = {}
    for rule in rules:
        for block in range(blocks if rule.blocks else 1):
            for expert in range(LETTERS["E"] if "{x}" in rule.name else 1):
                found[rule.name.format(i=block, x=expert)] = shape(rule)
    return found


def shape(rule: TensorRule) -> tuple[int, ...]:
    """The numpy shape that NUMBERS give this tensor."""
    dims = [dim(LETTERS.get) for dim in reversed(rule.dims)]
    assert None not in dims, rule
    return tuple(dim for dim in dims if dim is not None)


def whole_model(architecture: str, **more: Any) -> Layout:
    """A model that has every tensor of its table, in agreement with its metadata."""
    return layout(tensors(architecture), metadata(architecture, **more))


def sources(architecture: str) -> Sequence[str]:
    """The names of a checkpoint's tensors, as the table has them."""
    return [name.source for name in names(architecture)]
