"""Where hyperparameters stand: the letters of the shape formulas, their keys in a GGUF and in a config.json.

Values may be one number or, for those marked so, one per block. A default is a formula over other letters; the one for
a GGUF is what llama.cpp assumes, the one for a config.json what transformers assumes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbol:
    """One hyperparameter.

    key             its GGUF key behind the architecture's name and a dot; behind a leading "/" the whole key
    config          its names in config.json, the first one present counts
    default         formula where the GGUF lacks the key, "" for none
    config_default  the same for config.json
    per_block       the value may be an array with one number per block
    length          the value is how many entries an array has
    """

    key: str
    config: tuple[str, ...] = ()
    default: str = ""
    config_default: str = ""
    per_block: bool = False
    length: bool = False


SYMBOLS: dict[str, Symbol] = {
    "D": Symbol("embedding_length", ("hidden_size", "n_embd", "n_embed", "d_model", "dim")),
    "H": Symbol("attention.head_count", ("num_attention_heads", "n_head", "num_heads", "n_heads"), per_block=True),
    "HK": Symbol("attention.head_count_kv", ("num_key_value_heads",), "H", "H", per_block=True),
    "K": Symbol("attention.key_length", ("head_dim", "d_kv"), "D/H", "D/H"),
    "V": Symbol("attention.value_length", ("head_dim", "d_kv"), "D/H", "D/H"),
    "F": Symbol("feed_forward_length", ("intermediate_size", "n_inner", "d_ff", "hidden_dim"), per_block=True),
    "NV": Symbol("/tokenizer.ggml.tokens", ("vocab_size",), "VS", length=True),
    "VS": Symbol("vocab_size", ("vocab_size",)),
    "C": Symbol("context_length", ("max_position_embeddings", "n_positions")),
    "R": Symbol("rope.dimension_count", ("qk_rope_head_dim",), "K", "K"),
    "E": Symbol("expert_count", ("num_local_experts", "n_routed_experts", "num_experts")),
    "EU": Symbol("expert_used_count", ("num_experts_per_tok",), per_block=True),
    "FE": Symbol("expert_feed_forward_length", ("moe_intermediate_size",)),
    "FS": Symbol("expert_shared_feed_forward_length", ("shared_expert_intermediate_size",)),
    "ES": Symbol("expert_shared_count", ("n_shared_experts",)),
    "LQ": Symbol("attention.q_lora_rank", ("q_lora_rank",)),
    "LK": Symbol("attention.kv_lora_rank", ("kv_lora_rank",)),
    "KN": Symbol("", ("qk_nope_head_dim",)),
    "KM": Symbol("attention.key_length_mla", (), "K", "KN+R"),
    "VM": Symbol("attention.value_length_mla", ("v_head_dim",), "V"),
    "DI": Symbol("ssm.inner_size", ("intermediate_size", "mamba_d_inner")),
    "DC": Symbol("ssm.conv_kernel", ("conv_kernel", "mamba_d_conv")),
    "DS": Symbol("ssm.state_size", ("state_size", "mamba_d_state")),
    "DT": Symbol("ssm.time_step_rank", ("time_step_rank", "mamba_dt_rank")),
    "DG": Symbol("ssm.group_count", ("n_groups",)),
    "NT": Symbol("/tokenizer.ggml.token_type_count", ("type_vocab_size",)),
    "NC": Symbol("classifier.output_labels", (), "1", length=True),
    "D2": Symbol("dense_2_feat_out"),
    "D3": Symbol("dense_3_feat_in"),
    "RB": Symbol("attention.relative_buckets_count", ("relative_attention_num_buckets",)),
    "B": Symbol("block_count", ("num_hidden_layers", "n_layer", "num_layers", "n_layers")),
    "BD": Symbol("decoder_block_count", ("num_decoder_layers",), "B", "B"),
    "BN": Symbol("nextn_predict_layers", ("num_nextn_predict_layers",), "0", "0"),
}

_UNTOLD_HEADS = {
    "HK": Symbol("attention.head_count_kv", ("num_key_value_heads",), "H", per_block=True),
    "K": Symbol("attention.key_length", ("head_dim",), "D/H"),
    "V": Symbol("attention.value_length", ("head_dim",), "D/H"),
}
"""Where transformers has numbers of its own for heads that a config.json does not tell."""

OVERRIDES: dict[str, dict[str, Symbol]] = {
    "gemma": _UNTOLD_HEADS,
    "gemma2": _UNTOLD_HEADS,
    "gemma3": _UNTOLD_HEADS,
    "gpt-oss": _UNTOLD_HEADS,
    "qwen3": _UNTOLD_HEADS,
    # a missing expert width is the dense one shared out over the experts in use, the shared expert's is the dense one
    "qwen3moe": _UNTOLD_HEADS | {"FE": Symbol("expert_feed_forward_length", ("moe_intermediate_size",), "F/EU")},
    "qwen2moe": {
        "FE": Symbol("expert_feed_forward_length", ("moe_intermediate_size",), "F/EU"),
        "FS": Symbol("expert_shared_feed_forward_length", ("shared_expert_intermediate_size",), "F"),
    },
    "gpt2": {"F": Symbol("feed_forward_length", ("n_inner",), "", "4*D", per_block=True)},
    "bloom": {"F": Symbol("feed_forward_length", (), "", "4*D", per_block=True)},
    "falcon": {"F": Symbol("feed_forward_length", ("ffn_hidden_size",), "", "4*D", per_block=True)},
    # its inner width is no key of its own in transformers, and time steps are told as heads
    "mamba2": {"DI": Symbol("ssm.inner_size"), "DT": Symbol("ssm.time_step_rank", ("num_heads",))},
}


def symbols(architecture: str) -> dict[str, Symbol]:
    """All letters as this architecture means them."""
    return SYMBOLS | OVERRIDES.get(architecture, {})
