"""Which tensors an architecture of GGUF has, and how their dimensions follow from its hyperparameters.

The formulas are those that llama.cpp's loader compares a file with. Letters are explained in `weightmap.naming.symbols`.
Architectures whose widths change from block to block by rules of their own (sliding windows with other heads, hybrid
blocks without a key that says which is which) are left out rather than half told.
"""

from __future__ import annotations

from functools import cache

from weightmap.naming import shape_fragments as f
from weightmap.naming.rules import TensorRule, parse_rules

OUTPUT_BIAS = "\noutput_norm.bias D\n"
POST_NORMS = f.norms("post_attention_norm", "post_ffw_norm")
LLAMA = f.EMBEDDING + f.ROPE + f.HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED + f.experts("F")
LLAMA += f.shared_expert("FS")
QWEN2 = f.EMBEDDING + "\noutput.bias? NV\n" + f.SHARED_HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED
QWEN3_HEADS = f.attention("K*H", "V*HK", "V*HK") + f.HEAD_NORMS
QWEN3 = f.EMBEDDING + "\ncls.output.weight? D NC\n" + QWEN3_HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED
QWEN3MOE = f.EMBEDDING + QWEN3_HEADS + f.norms("attn_norm", "ffn_norm") + f.experts("FE")
GEMMA = f.TIED + f.HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED
GEMMA3 = GEMMA + POST_NORMS + f.HEAD_NORMS + "\noutput.weight? D NV\ndense_2.weight? D D2\ndense_3.weight? D3 D\n"
BERT_START = """
token_embd.weight D NV
token_types.weight? D NT
token_embd_norm.weight D
token_embd_norm.bias D
"""
BERT_NORMS = f.norms("attn_output_norm", "layer_output_norm", bias="")
NEOX = f.EMBEDDING + OUTPUT_BIAS + f.FUSED_HEADS + f.norms("attn_norm", "ffn_norm", bias="") + f.PLAIN + f.FUSED_BIASES
GPT2 = NEOX + "\nposition_embd.weight D C\n"
COMMAND_R = f.TIED + f.SHARED_HEADS + f.norms("attn_norm") + f.GATED
OLMOE_NORMS = f.norms("attn_norm", "ffn_norm", "attn_q_norm", "attn_k_norm")
T5_BLOCK = """
{0}.blk.{{i}}.attn_norm.weight D
{0}.blk.{{i}}.attn_rel_b.weight? H RB
{0}.blk.{{i}}.attn_q.weight D K*HK
{0}.blk.{{i}}.attn_k.weight D K*HK
{0}.blk.{{i}}.attn_v.weight D V*HK
{0}.blk.{{i}}.attn_o.weight V*HK D
{0}.blk.{{i}}.ffn_norm.weight D
{0}.blk.{{i}}.ffn_gate.weight? D F
{0}.blk.{{i}}.ffn_up.weight D F
{0}.blk.{{i}}.ffn_down.weight F D
{0}.output_norm.weight D
"""
T5_CROSS = """
dec.blk.{i}.cross_attn_norm.weight D
dec.blk.{i}.cross_attn_rel_b.weight? H RB
dec.blk.{i}.cross_attn_q.weight D K*HK
dec.blk.{i}.cross_attn_k.weight D K*HK
dec.blk.{i}.cross_attn_v.weight D V*HK
dec.blk.{i}.cross_attn_o.weight V*HK D
"""
T5_ENCODER = "\ntoken_embd.weight D NV\noutput.weight? D NV\n" + T5_BLOCK.format("enc")
LATENT_HEADS = """
.attn_q_a_norm.weight? LQ
.attn_kv_a_norm.weight LK
.attn_q_a.weight? D LQ
.attn_q_b.weight? LQ H*KM
.attn_q.weight? D H*KM
.attn_kv_a_mqa.weight D LK+R
.attn_k_b.weight? KM-R LK H
.attn_v_b.weight? LK VM H
.attn_kv_b.weight? LK H*(KM-R+VM)
.attn_output.weight H*VM D
"""
GPT_OSS = f.EMBEDDING + f.attention("H*R", "HK*R", "HK*R") + f.norms("attn_norm", "post_attention_norm")
GPT_OSS += f.experts("FE") + "\noutput.weight D NV\n.attn_output.bias D\n.attn_sinks.weight H\n.ffn_gate_inp.bias E\n"
GPT_OSS += "\n.ffn_gate_exps.bias FE E\n.ffn_up_exps.bias FE E\n.ffn_down_exps.bias D E\n"

TABLES: dict[str, str] = {
    "llama": LLAMA,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
    "qwen2moe": f.EMBEDDING
    + f.SHARED_HEADS
    + f.norms("attn_norm", "ffn_norm")
    + f.experts("FE")
    + f.shared_expert("FS")
    + "\n.ffn_gate_inp_shexp.weight D\n",
    "qwen3moe": QWEN3MOE,
    "gemma": GEMMA,
    "gemma2": GEMMA + POST_NORMS,
    "gemma3": GEMMA3,
    "phi2": f.EMBEDDING
    + OUTPUT_BIAS
    + "\noutput.weight D NV\noutput.bias NV\n"
    + f.SHARED_HEADS
    + f.norms("attn_norm", bias="")
    + f.PLAIN
    + f.BIASES,
    "phi3": f.EMBEDDING + f.ROPE_FACTORS + f.SHARED_HEADS + f.norms("attn_norm", "ffn_norm") + f.TWO_IN_ONE,
    "gpt2": GPT2,
    "bert": BERT_START + "\nposition_embd.weight D C\n" + f.LABELS + f.SHARED_HEADS + BERT_NORMS + f.PLAIN,
    "nomic-bert": BERT_START + f.SHARED_HEADS + BERT_NORMS + f.GATED,
    "falcon": f.EMBEDDING
    + OUTPUT_BIAS
    + f.FUSED_HEADS
    + f.norms("attn_norm", bias="")
    + "\n.attn_norm_2.weight? D\n.attn_norm_2.bias? D\n"
    + f.PLAIN,
    "mamba": f.EMBEDDING + f.norms("attn_norm") + f.MAMBA,
    "deepseek2": f.EMBEDDING
    + LATENT_HEADS
    + f.norms("attn_norm", "ffn_norm")
    + f.GATED
    + f.experts("FE")
    + f.shared_expert("FE*ES")
    + f.NEXT_TOKENS,
    "gpt-oss": GPT_OSS,
    "gptneox": NEOX,
    "bloom": NEOX + "\ntoken_embd_norm.weight D\ntoken_embd_norm.bias D\n",
    "t5": T5_ENCODER + T5_BLOCK.format("dec") + T5_CROSS,
    "t5encoder": T5_ENCODER,
    # not in the name tables, but their formulas are as plain
    "mistral3": LLAMA,
    "granite": LLAMA,
    "granitemoe": LLAMA,
    "minicpm": LLAMA,
    "refact": LLAMA,
    "exaone": f.EMBEDDING + f.ROPE + f.HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED,
    "smollm3": f.EMBEDDING + f.ROPE + f.HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED,
    "arcee": f.EMBEDDING + f.ROPE + f.HEADS + f.norms("attn_norm", "ffn_norm") + f.PLAIN,
    "seed-oss": f.EMBEDDING + f.HEADS + f.norms("attn_norm", "post_attention_norm") + f.GATED,
    "openelm": f.TIED
    + "\n.attn_qkv.weight D K*(H+2*HK)\n.attn_output.weight H*K D\n"
    + f.HEAD_NORMS
    + f.norms("attn_norm", "ffn_norm")
    + f.GATED,
    "glm4": f.EMBEDDING + f.HEADS + f.norms("attn_norm", "ffn_norm") + POST_NORMS + f.TWO_IN_ONE + f.NEXT_TOKENS,
    "qwen2vl": QWEN2,
    "internlm2": f.EMBEDDING + f.SHARED_HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED,
    "baichuan": f.EMBEDDING + f.SHARED_HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED,
    "xverse": f.EMBEDDING + f.SHARED_HEADS + f.norms("attn_norm", "ffn_norm") + f.GATED,
    "orion": f.EMBEDDING + OUTPUT_BIAS + f.SHARED_HEADS + f.norms("attn_norm", "ffn_norm", bias="") + f.GATED,
    "olmo": "\ntoken_embd.weight D NV\noutput.weight? D NV\n" + f.SHARED_HEADS + f.GATED,
    "olmo2": f.EMBEDDING
    + f.SHARED_HEADS
    + POST_NORMS
    + "\n.attn_q_norm.weight D\n.attn_k_norm.weight D/H*HK\n"
    + f.GATED,
    "olmoe": f.EMBEDDING + f.SHARED_HEADS + OLMOE_NORMS + f.experts("F"),
    "command-r": COMMAND_R + "\n.attn_q_norm.weight? K H\n.attn_k_norm.weight? K HK\n",
    "cohere2": COMMAND_R,
    "starcoder": GPT2,
    "starcoder2": f.EMBEDDING
    + OUTPUT_BIAS
    + f.SHARED_HEADS
    + f.norms("attn_norm", "ffn_norm", bias="")
    + f.PLAIN
    + f.BIASES,
    "stablelm": f.EMBEDDING
    + OUTPUT_BIAS
    + f.SHARED_HEADS
    + "\n.attn_q_norm.weight? K H\n.attn_k_norm.weight? K HK\n"
    + f.norms("attn_norm", bias="")
    + "\n.ffn_norm.weight? D\n.ffn_norm.bias? D\n"
    + f.GATED,
    "nemotron": f.EMBEDDING + OUTPUT_BIAS + f.SHARED_HEADS + f.norms("attn_norm", "ffn_norm", bias="") + f.PLAIN,
    "phimoe": f.EMBEDDING
    + OUTPUT_BIAS
    + "\noutput.weight D NV\noutput.bias NV\n"
    + f.SHARED_HEADS
    + f.norms("attn_norm", "ffn_norm", bias="")
    + f.experts("F"),
    "mamba2": f.EMBEDDING + f.norms("attn_norm") + f.MAMBA2,
}


@cache
def shapes(architecture: str) -> tuple[TensorRule, ...] | None:
    """The tensors of this architecture of GGUF, or None where it is not known here."""
    table = TABLES.get(architecture)
    return None if table is None else parse_rules(table)
