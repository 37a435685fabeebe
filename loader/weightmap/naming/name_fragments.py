"""Groups of tensor names that several families of checkpoints share, as lines for `weightmap.naming.names`.

A line holds the source's tensor, the GGUF's, and the code of the transform where the values are not the same. A leading
dot stands for the block, on either side.
"""

from __future__ import annotations

ENDS = """
model.embed_tokens.weight token_embd.weight
model.norm.weight output_norm.weight
lm_head.weight output.weight
"""
HEADS = """
.self_attn.q_proj.weight .attn_q.weight
.self_attn.k_proj.weight .attn_k.weight
.self_attn.v_proj.weight .attn_v.weight
.self_attn.o_proj.weight .attn_output.weight
"""
ROTATED_HEADS = """
.self_attn.q_proj.weight .attn_q.weight P(q)
.self_attn.k_proj.weight .attn_k.weight P(k)
.self_attn.v_proj.weight .attn_v.weight
.self_attn.o_proj.weight .attn_output.weight
.self_attn.q_proj.bias .attn_q.bias P(q)
.self_attn.k_proj.bias .attn_k.bias P(k)
.self_attn.v_proj.bias .attn_v.bias
.self_attn.o_proj.bias .attn_output.bias
"""
HEAD_BIASES = """
.self_attn.q_proj.bias .attn_q.bias
.self_attn.k_proj.bias .attn_k.bias
.self_attn.v_proj.bias .attn_v.bias
"""
HEAD_NORMS = """
.self_attn.q_norm.weight .attn_q_norm.weight
.self_attn.k_norm.weight .attn_k_norm.weight
"""
NORMS = """
.input_layernorm.weight .attn_norm.weight
.post_attention_layernorm.weight .ffn_norm.weight
"""
GATED = """
.mlp.gate_proj.weight .ffn_gate.weight
.mlp.up_proj.weight .ffn_up.weight
.mlp.down_proj.weight .ffn_down.weight
"""
GATED_BIASES = """
.mlp.gate_proj.bias .ffn_gate.bias
.mlp.up_proj.bias .ffn_up.bias
.mlp.down_proj.bias .ffn_down.bias
"""
EXPERTS = """
.mlp.gate.weight .ffn_gate_inp.weight
.mlp.experts.{x}.gate_proj.weight .ffn_gate_exps.weight S
.mlp.experts.{x}.up_proj.weight .ffn_up_exps.weight S
.mlp.experts.{x}.down_proj.weight .ffn_down_exps.weight S
.mlp.experts.gate_up_proj .ffn_gate_exps.weight rows[:half]
.mlp.experts.gate_up_proj .ffn_up_exps.weight rows[half:]
.mlp.experts.down_proj .ffn_down_exps.weight
"""
MIXTRAL = """
.block_sparse_moe.gate.weight .ffn_gate_inp.weight
.block_sparse_moe.experts.{x}.w1.weight .ffn_gate_exps.weight S
.block_sparse_moe.experts.{x}.w2.weight .ffn_down_exps.weight S
.block_sparse_moe.experts.{x}.w3.weight .ffn_up_exps.weight S
"""
GEMMA = """
model.embed_tokens.weight token_embd.weight
model.norm.weight output_norm.weight +1
.input_layernorm.weight .attn_norm.weight +1
"""
GEMMA2 = (
    GEMMA
    + HEADS
    + GATED
    + """
.post_attention_layernorm.weight .post_attention_norm.weight +1
.pre_feedforward_layernorm.weight .ffn_norm.weight +1
.post_feedforward_layernorm.weight .post_ffw_norm.weight +1
"""
)


def affine(*pairs: str) -> str:
    """Lines for the weight and the bias of each pair of names."""
    return "\n".join(f"{a}.{s} {b}.{s} {t}" for a, b, t in map(_three, pairs) for s in ("weight", "bias")) + "\n"


def _three(pair: str) -> tuple[str, str, str]:
    source, target, transform = (*pair.split(), "=")[:3]
    return source, target, transform


GPT2_ENDS = """
transformer.wte.weight token_embd.weight
transformer.wpe.weight position_embd.weight
lm_head.weight output.weight
.attn.c_attn.weight .attn_qkv.weight T
.attn.c_attn.bias .attn_qkv.bias
.attn.c_proj.weight .attn_output.weight T
.attn.c_proj.bias .attn_output.bias
.mlp.c_fc.weight .ffn_up.weight T
.mlp.c_fc.bias .ffn_up.bias
.mlp.c_proj.weight .ffn_down.weight T
.mlp.c_proj.bias .ffn_down.bias
"""
BERT_EMBEDDINGS = """
embeddings.word_embeddings.weight token_embd.weight
embeddings.token_type_embeddings.weight token_types.weight
embeddings.position_embeddings.weight position_embd.weight
embeddings.LayerNorm.gamma token_embd_norm.weight
embeddings.LayerNorm.beta token_embd_norm.bias
.attention.output.LayerNorm.gamma .attn_output_norm.weight
.attention.output.LayerNorm.beta .attn_output_norm.bias
.output.LayerNorm.gamma .layer_output_norm.weight
.output.LayerNorm.beta .layer_output_norm.bias
"""
MAMBA = """
backbone.embeddings.weight token_embd.weight
backbone.norm_f.weight output_norm.weight
lm_head.weight output.weight
.norm.weight .attn_norm.weight
.mixer.in_proj.weight .ssm_in.weight
.mixer.conv1d.weight .ssm_conv1d.weight sq
.mixer.conv1d.bias .ssm_conv1d.bias
.mixer.x_proj.weight .ssm_x.weight
.mixer.dt_proj.weight .ssm_dt.weight
.mixer.dt_proj.bias .ssm_dt.bias
.mixer.A_log .ssm_a -exp
.mixer.D .ssm_d
.mixer.out_proj.weight .ssm_out.weight
"""
DEEPSEEK = """
.self_attn.o_proj.weight .attn_output.weight
.self_attn.q_proj.weight .attn_q.weight
.self_attn.q_a_proj.weight .attn_q_a.weight
.self_attn.q_a_layernorm.weight .attn_q_a_norm.weight
.self_attn.q_b_proj.weight .attn_q_b.weight
.self_attn.kv_a_proj_with_mqa.weight .attn_kv_a_mqa.weight
.self_attn.kv_a_layernorm.weight .attn_kv_a_norm.weight
.self_attn.kv_b_proj.weight .attn_kv_b.weight
.self_attn.kv_b_proj.weight .attn_k_b.weight KB
.self_attn.kv_b_proj.weight .attn_v_b.weight VB
.mlp.gate.e_score_correction_bias .exp_probs_b.bias
.mlp.gate.e_score_correction.bias .exp_probs_b.bias
.mlp.shared_experts.gate_proj.weight .ffn_gate_shexp.weight
.mlp.shared_experts.up_proj.weight .ffn_up_shexp.weight
.mlp.shared_experts.down_proj.weight .ffn_down_shexp.weight
"""
CLIP_BLOCK = affine(
    ".self_attn.q_proj v.blk.{i}.attn_q",
    ".self_attn.k_proj v.blk.{i}.attn_k",
    ".self_attn.v_proj v.blk.{i}.attn_v",
    ".self_attn.out_proj v.blk.{i}.attn_out",
    ".layer_norm1 v.blk.{i}.ln1",
    ".layer_norm2 v.blk.{i}.ln2",
)
GPT_OSS = """
.input_layernorm.weight .attn_norm.weight
.post_attention_layernorm.weight .post_attention_norm.weight
.self_attn.o_proj.bias .attn_output.bias
.self_attn.sinks .attn_sinks.weight
.mlp.router.weight .ffn_gate_inp.weight
.mlp.router.bias .ffn_gate_inp.bias
.mlp.experts.gate_up_proj .ffn_gate_exps.weight T2,rows[0::2]
.mlp.experts.gate_up_proj .ffn_up_exps.weight T2,rows[1::2]
.mlp.experts.gate_up_proj_bias .ffn_gate_exps.bias cols[0::2]
.mlp.experts.gate_up_proj_bias .ffn_up_exps.bias cols[1::2]
.mlp.experts.down_proj .ffn_down_exps.weight T2
.mlp.experts.down_proj_bias .ffn_down_exps.bias
"""
T5_ENDS = """
shared.weight token_embd.weight
encoder.final_layer_norm.weight enc.output_norm.weight
decoder.final_layer_norm.weight dec.output_norm.weight
lm_head.weight output.weight
"""
T5_BLOCK = """
{0}.block.{{i}}.layer.0.layer_norm.weight {1}.blk.{{i}}.attn_norm.weight
{0}.block.{{i}}.layer.0.SelfAttention.q.weight {1}.blk.{{i}}.attn_q.weight
{0}.block.{{i}}.layer.0.SelfAttention.k.weight {1}.blk.{{i}}.attn_k.weight
{0}.block.{{i}}.layer.0.SelfAttention.v.weight {1}.blk.{{i}}.attn_v.weight
{0}.block.{{i}}.layer.0.SelfAttention.o.weight {1}.blk.{{i}}.attn_o.weight
{0}.block.{{i}}.layer.0.SelfAttention.relative_attention_bias.weight {1}.blk.{{i}}.attn_rel_b.weight
{0}.block.{{i}}.layer.{2}.layer_norm.weight {1}.blk.{{i}}.ffn_norm.weight
{0}.block.{{i}}.layer.{2}.DenseReluDense.wi.weight {1}.blk.{{i}}.ffn_up.weight
{0}.block.{{i}}.layer.{2}.DenseReluDense.wi_0.weight {1}.blk.{{i}}.ffn_gate.weight
{0}.block.{{i}}.layer.{2}.DenseReluDense.wi_1.weight {1}.blk.{{i}}.ffn_up.weight
{0}.block.{{i}}.layer.{2}.DenseReluDense.wo.weight {1}.blk.{{i}}.ffn_down.weight
"""
T5_CROSS = """
decoder.block.{i}.layer.1.layer_norm.weight dec.blk.{i}.cross_attn_norm.weight
decoder.block.{i}.layer.1.EncDecAttention.q.weight dec.blk.{i}.cross_attn_q.weight
decoder.block.{i}.layer.1.EncDecAttention.k.weight dec.blk.{i}.cross_attn_k.weight
decoder.block.{i}.layer.1.EncDecAttention.v.weight dec.blk.{i}.cross_attn_v.weight
decoder.block.{i}.layer.1.EncDecAttention.o.weight dec.blk.{i}.cross_attn_o.weight
"""
