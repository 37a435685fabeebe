"""What kind of value the well-known keys of GGUF have. Only families are told apart: any integer does for an integer."""

from __future__ import annotations

from collections.abc import Sequence

# families: what a key may be, in the words of a finding
TEXT, TEXTS, WHOLE, NUMBER, FLAG = "a string", "an array of strings", "an integer", "a number", "a bool"
U32 = "an integer of type u32"  # ggml refuses a file for another type here, before anything else is read
WHOLES, NUMBERS, PER_LAYER = "an array of integers", "an array of numbers", "an integer or an array of integers"

_INTEGERS = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64")
_NUMBERS = (*_INTEGERS, "f32", "f64")
_KINDS: dict[str, frozenset[str]] = {
    TEXT: frozenset({"str"}),
    TEXTS: frozenset({"str[]"}),
    WHOLE: frozenset(_INTEGERS),
    NUMBER: frozenset(_NUMBERS),
    FLAG: frozenset({"bool"}),
    U32: frozenset({"u32"}),
    WHOLES: frozenset(f"{kind}[]" for kind in _INTEGERS),
    NUMBERS: frozenset(f"{kind}[]" for kind in _NUMBERS),
    PER_LAYER: frozenset((*_INTEGERS, *(f"{kind}[]" for kind in _INTEGERS))),
}

_GENERAL: dict[str, Sequence[str]] = {
    TEXT: [
        "architecture",
        "type",
        "name",
        "basename",
        "finetune",
        "size_label",
        "version",
        "author",
        "organization",
        "description",
        "quantized_by",
        "license",
        "license.name",
        "license.link",
        "url",
        "doi",
        "uuid",
        "repo_url",
        "source.url",
        "source.repo_url",
    ],
    TEXTS: ["tags", "languages"],
    WHOLE: ["file_type", "quantization_version", "base_model.count", "dataset.count"],
    U32: ["alignment"],
}
_TOKENIZER: dict[str, Sequence[str]] = {
    TEXT: ["model", "pre"],
    TEXTS: ["tokens", "merges"],
    NUMBERS: ["scores"],
    WHOLES: ["token_type"],
    WHOLE: [
        "token_type_count",
        "bos_token_id",
        "eos_token_id",
        "eot_token_id",
        "eom_token_id",
        "unknown_token_id",
        "padding_token_id",
        "mask_token_id",
        "seperator_token_id",
    ],
    FLAG: ["add_bos_token", "add_eos_token", "add_space_prefix", "remove_extra_whitespaces"],
}
_OTHERS: dict[str, Sequence[str]] = {
    WHOLE: ["split.no", "split.count", "split.tensors.count"],
    TEXT: ["tokenizer.chat_template", "tokenizer.huggingface.json", "adapter.type"],
    NUMBER: ["adapter.lora.alpha"],
}
_ARCHITECTURE: dict[str, Sequence[str]] = {
    WHOLE: [
        "vocab_size",
        "context_length",
        "embedding_length",
        "block_count",
        "expert_count",
        "attention.key_length",
        "attention.value_length",
        "rope.dimension_count",
    ],
    PER_LAYER: ["feed_forward_length", "attention.head_count", "attention.head_count_kv"],
    NUMBER: ["attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon", "rope.freq_base"],
}

_EXACT = {
    prefix + name: family
    for prefix, table in (("general.", _GENERAL), ("tokenizer.ggml.", _TOKENIZER), ("", _OTHERS))
    for family, names in table.items()
    for name in names
}
_BY_ENDING = {name: family for family, names in _ARCHITECTURE.items() for name in names}


def family(key: str, architecture: str) -> str | None:
    """What this key should be, in words; None for a key that nobody has an opinion about."""
    if key.startswith(architecture + "."):
        return _BY_ENDING.get(key[len(architecture) + 1 :])
    return _EXACT.get(key)


def belongs(kind: str, family: str) -> bool:
    """Whether a value of this kind ("u32", "str[]") is of the family."""
    return kind in _KINDS[family]
