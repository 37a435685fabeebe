"""Names of checkpoints for which there is no table of an architecture: the same modules under other names.

Lines as in `weightmap.naming.name_tables`: the source's tensor, the GGUF's, and the transform's code. Whoever uses them
proves a pair by its values, so a name may stand for what it usually means.
"""

from __future__ import annotations

from weightmap.naming.name_fragments import affine

LAYERS = "layers.{i}"

ENDS = """
tok_embeddings.weight token_embd.weight
wte.weight token_embd.weight
wpe.weight position_embd.weight
embd.wte.weight token_embd.weight
embedding.word_embeddings.weight token_embd.weight
embed_in.weight token_embd.weight
embeddings.tok_embeddings.weight token_embd.weight
embeddings.weight token_embd.weight
embeddings.LayerNorm.weight token_embd_norm.weight
embeddings.LayerNorm.bias token_embd_norm.bias
embeddings.norm.weight token_embd_norm.weight
embedding_norm.weight token_embd_norm.weight
embed_positions.weight position_embd.weight
output.weight output.weight
output_layer.weight output.weight
head.weight output.weight
lm_head.linear.weight output.weight
altup_projections.{x}.weight altup_proj.weight S
altup_unembed_projections.{x}.weight altup_unembd_proj.weight S
embed_tokens_per_layer.weight per_layer_token_embd.weight
per_layer_model_projection.weight per_layer_model_proj.weight
per_layer_projection_norm.weight per_layer_proj_norm.weight
classifier.weight cls.output.weight
classifier.bias cls.output.bias
score.weight cls.output.weight
score.bias cls.output.bias
head.dense.weight cls.weight
head.norm.weight cls.norm.weight
dense.weight dense_2.weight
visual.patch_embed.proj.weight v.patch_embd.weight [:,:,0]
visual.patch_embed.proj.weight v.patch_embd.weight.1 [:,:,1]
"""
ENDS += affine(
    "norm_f output_norm",
    "ln_f output_norm",
    "norm output_norm",
    "final_norm output_norm",
    "final_layernorm output_norm",
    "final_layer_norm output_norm",
    "encoder.final_layernorm output_norm",
    "visual.merger.ln_q v.post_ln",
    "visual.merger.norm v.post_ln",
    "visual.merger.mlp.0 mm.0",
    "visual.merger.mlp.2 mm.2",
    "visual.merger.linear_fc1 mm.0",
    "visual.merger.linear_fc2 mm.2",
    "multi_modal_projector.linear_1 mm.1",
    "multi_modal_projector.linear_2 mm.2",
)

ATTENTION = affine(
    ".attention.wq .attn_q",
    ".attention.wk .attn_k",
    ".attention.wv .attn_v",
    ".attention.wo .attn_output",
    ".attention.wqkv .attn_qkv",
    ".attn.q_proj .attn_q",
    ".attn.k_proj .attn_k",
    ".attn.v_proj .attn_v",
    ".attn.o_proj .attn_output",
    ".attn.out_proj .attn_output",
    ".attn.c_attn .attn_qkv",
    ".attn.c_proj .attn_output",
    ".attn.Wqkv .attn_qkv",
    ".attn.Wo .attn_output",
    ".attention.q_proj .attn_q",
    ".attention.k_proj .attn_k",
    ".attention.v_proj .attn_v",
    ".attention.o_proj .attn_output",
    ".attn.attention.q_proj .attn_q",
    ".attn.attention.k_proj .attn_k",
    ".attn.attention.v_proj .attn_v",
    ".attn.attention.out_proj .attn_output",
    ".self_attn.out_proj .attn_output",
    ".self_attn.dense .attn_output",
    ".self_attn.qkv_proj .attn_qkv",
    ".self_attn.W_pack .attn_qkv",
    ".self_attn.query_key_value .attn_qkv",
    ".self_attention.query_key_value .attn_qkv",
    ".self_attention.dense .attn_output",
    ".attention.query_key_value .attn_qkv",
    ".attention.dense .attn_output",
    ".norm_attn_norm.attn.Wqkv .attn_qkv",
    ".norm_attn_norm.attn.out_proj .attn_output",
    ".mixer.Wqkv .attn_qkv",
    ".mixer.out_proj .attn_output",
    ".mixer.q_proj .attn_q",
    ".mixer.k_proj .attn_k",
    ".mixer.v_proj .attn_v",
    ".mixer.o_proj .attn_output",
    ".self_attn.q_norm .attn_q_norm",
    ".self_attn.k_norm .attn_k_norm",
    ".self_attn.q_layernorm .attn_q_norm",
    ".self_attn.k_layernorm .attn_k_norm",
    ".self_attn.query_layernorm .attn_q_norm",
    ".self_attn.key_layernorm .attn_k_norm",
    ".attention.query_layernorm .attn_q_norm",
    ".attention.key_layernorm .attn_k_norm",
    ".self_attn.g_proj .attn_gate",
    ".self_attn.gate_proj .attn_gate",
    ".attn.proj v.blk.{i}.attn_out",
    ".attn.qkv v.blk.{i}.attn_qkv",
)

FEED_FORWARD = affine(
    ".feed_forward.w1 .ffn_gate",
    ".feed_forward.w2 .ffn_down",
    ".feed_forward.w3 .ffn_up",
    ".feed_forward.gate_proj .ffn_gate",
    ".feed_forward.up_proj .ffn_up",
    ".feed_forward.down_proj .ffn_down",
    ".mlp.c_fc .ffn_up",
    ".mlp.c_fc_0 .ffn_gate",
    ".mlp.c_fc_1 .ffn_up",
    ".mlp.c_proj .ffn_down",
    ".mlp.w1 .ffn_up",
    ".mlp.w2 .ffn_gate",
    ".mlp.fc1 .ffn_up",
    ".mlp.fc2 .ffn_down",
    ".mlp.Wi .ffn_up",
    ".mlp.Wo .ffn_down",
    ".mlp.wi .ffn_up",
    ".mlp.wo .ffn_down",
    ".mlp.gate_up_proj .ffn_up",
    ".mlp.up_gated_layer .ffn_up",
    ".mlp.dense_h_to_4h .ffn_up",
    ".mlp.dense_4h_to_h .ffn_down",
    ".mlp.linear_fc1 v.blk.{i}.ffn_up",
    ".mlp.linear_fc2 v.blk.{i}.ffn_down",
    ".mlp.fc1 v.blk.{i}.ffn_up",
    ".mlp.fc2 v.blk.{i}.ffn_down",
    ".ffn.up_proj .ffn_up",
    ".ffn.down_proj .ffn_down",
    ".ffn.lin1 .ffn_up",
    ".ffn.lin2 .ffn_down",
    ".fc1 .ffn_up",
    ".fc2 .ffn_down",
    ".mixer.up_proj .ffn_up",
    ".mixer.down_proj .ffn_down",
    ".feed_forward.shared_expert.gate_proj .ffn_gate_shexp",
    ".feed_forward.shared_expert.up_proj .ffn_up_shexp",
    ".feed_forward.shared_expert.down_proj .ffn_down_shexp",
    ".shared_mlp.output_linear .ffn_down_shexp",
    ".mlp.shared_mlp.gate_proj .ffn_gate_shexp",
    ".mlp.shared_mlp.up_proj .ffn_up_shexp",
    ".mlp.shared_mlp.down_proj .ffn_down_shexp",
    ".residual_mlp.w1 .ffn_gate",
    ".residual_mlp.w2 .ffn_down",
    ".residual_mlp.w3 .ffn_up",
)

NORMS = affine(
    ".attention_norm .attn_norm",
    ".ffn_norm .ffn_norm",
    ".operator_norm .attn_norm",
    ".norm_1 .attn_norm",
    ".norm_2 .ffn_norm",
    ".norm1 v.blk.{i}.ln1",
    ".norm2 v.blk.{i}.ln2",
    ".norm_attn_norm.norm_1 .attn_norm",
    ".norm_attn_norm.norm_2 .attn_output_norm",
    ".ln_1 .attn_norm",
    ".ln_2 .ffn_norm",
    ".ln .attn_norm",
    ".norm .attn_norm",
    ".input_norm .attn_norm",
    ".attn_norm .attn_norm",
    ".mlp_norm .ffn_norm",
    ".input_layernorm .attn_norm",
    ".ln_attn .attn_norm",
    ".ln_mlp .ffn_norm",
    ".post_attention_layernorm .ffn_norm",
    ".post_attention_layernorm .post_attention_norm",
    ".post_attention_layernorm .attn_post_norm",
    ".post_self_attn_layernorm .post_attention_norm",
    ".post_mlp_layernorm .post_ffw_norm",
    ".post_feedforward_layernorm .post_ffw_norm",
    ".pre_feedforward_layernorm .ffn_norm",
    ".pre_ff_layernorm .ffn_norm",
    ".pre_mlp_layernorm .ffn_norm",
    ".pre_mixer_norm .attn_norm",
    ".post_mixer_norm .post_attention_norm",
    ".pre_mlp_norm .ffn_norm",
    ".post_mlp_norm .post_ffw_norm",
    ".post_attn_norm .post_attention_norm",
    ".pre_moe_norm .ffn_norm",
    ".residual_layernorm .ffn_norm",
    ".self_attn_layer_norm .attn_norm",
    ".attention_layernorm .attn_norm",
    ".feedforward_layernorm .ffn_norm",
)

EXPERTS = """
.block_sparse_moe.input_linear.weight .ffn_gate_exps.weight rows[:half]
.block_sparse_moe.input_linear.weight .ffn_up_exps.weight rows[half:]
.block_sparse_moe.output_linear.weight .ffn_down_exps.weight
.block_sparse_moe.router.layer.weight .ffn_gate_inp.weight
.shared_mlp.input_linear.weight .ffn_gate_shexp.weight rows[:half]
.shared_mlp.input_linear.weight .ffn_up_shexp.weight rows[half:]
.feed_forward.experts.{x}.gate_proj.weight .ffn_gate_exps.weight S
.feed_forward.experts.{x}.up_proj.weight .ffn_up_exps.weight S
.feed_forward.experts.{x}.down_proj.weight .ffn_down_exps.weight S
.feed_forward.experts.{x}.w1.weight .ffn_gate_exps.weight S
.feed_forward.experts.{x}.w2.weight .ffn_down_exps.weight S
.feed_forward.experts.{x}.w3.weight .ffn_up_exps.weight S
.feed_forward.experts.gate_up_proj .ffn_gate_exps.weight rows[:half]
.feed_forward.experts.gate_up_proj .ffn_up_exps.weight rows[half:]
.feed_forward.experts.down_proj .ffn_down_exps.weight T2
.feed_forward.router.weight .ffn_gate_inp.weight
.feed_forward.gate.weight .ffn_gate_inp.weight
.feed_forward.expert_bias .exp_probs_b.bias
.mlp.experts.{x}.w1.weight .ffn_gate_exps.weight S
.mlp.experts.{x}.w2.weight .ffn_down_exps.weight S
.mlp.experts.{x}.w3.weight .ffn_up_exps.weight S
.mlp.experts.gate_up_proj .ffn_gate_up_exps.weight
.mlp.experts.mlp.w1 .ffn_gate_exps.weight
.mlp.experts.mlp.w2 .ffn_down_exps.weight
.mlp.experts.mlp.v1 .ffn_up_exps.weight
.ffn.experts.mlp.w1 .ffn_gate_exps.weight
.ffn.experts.mlp.w2 .ffn_down_exps.weight
.ffn.experts.mlp.v1 .ffn_up_exps.weight
.ffn.router.layer.weight .ffn_gate_inp.weight
.mlp.router.layer.weight .ffn_gate_inp.weight
.mlp.router.classifier.weight .ffn_gate_inp.weight
.mlp.router.gate.weight .ffn_gate_inp.weight
.mlp.gate.wg.weight .ffn_gate_inp.weight
.mixer.experts.{x}.up_proj.weight .ffn_up_exps.weight S
.mixer.experts.{x}.down_proj.weight .ffn_down_exps.weight S
.mixer.gate.weight .ffn_gate_inp.weight
.mixer.gate.e_score_correction_bias .exp_probs_b.bias
.mixer.shared_experts.up_proj.weight .ffn_up_shexp.weight
.mixer.shared_experts.down_proj.weight .ffn_down_shexp.weight
.block_sparse_moe.e_score_correction_bias .exp_probs_b.bias
.mlp.moe_statics.e_score_correction_bias .exp_probs_b.bias
.mlp.expert_bias .exp_probs_b.bias
.self_attn.sinks .attn_sinks.weight
"""

STATE_SPACE = """
.linear_attn.A_log .ssm_a -exp
.linear_attn.dt_bias .ssm_dt.bias
.linear_attn.conv1d.weight .ssm_conv1d.weight sq
.linear_attn.in_proj_ba.weight .ssm_ba.weight
.linear_attn.in_proj_a.weight .ssm_alpha.weight
.linear_attn.in_proj_b.weight .ssm_beta.weight
.linear_attn.in_proj_qkvz.weight .attn_qkv.weight
.linear_attn.in_proj_qkvz.weight .attn_gate.weight
.linear_attn.in_proj_qkv.weight .attn_qkv.weight
.linear_attn.in_proj_z.weight .attn_gate.weight
.linear_attn.norm.weight .ssm_norm.weight
.linear_attn.out_proj.weight .ssm_out.weight
.conv.conv.weight .shortconv.conv.weight
.conv.in_proj.weight .shortconv.in_proj.weight
.conv.out_proj.weight .shortconv.out_proj.weight
"""
for _module in ("mixer", "mamba", "mamba_mixer"):
    STATE_SPACE += f"""
.{_module}.A_log .ssm_a -exp
.{_module}.D .ssm_d
.{_module}.dt_bias .ssm_dt.bias
"""
    STATE_SPACE += affine(
        f".{_module}.in_proj .ssm_in",
        f".{_module}.conv1d .ssm_conv1d",
        f".{_module}.x_proj .ssm_x",
        f".{_module}.bcdt_proj .ssm_x",
        f".{_module}.dt_proj .ssm_dt",
        f".{_module}.norm .ssm_norm",
        f".{_module}.out_proj .ssm_out",
        f".{_module}.dt_layernorm .ssm_dt_norm",
        f".{_module}.b_layernorm .ssm_b_norm",
        f".{_module}.c_layernorm .ssm_c_norm",
        f".{_module}.dt_norm .ssm_dt_norm",
        f".{_module}.B_norm .ssm_b_norm",
        f".{_module}.C_norm .ssm_c_norm",
    )

GEMMA3N = """
.altup.correct_output_scale .altup_correct_scale.weight
.altup.correction_coefs.weight .altup_correct_coef.weight
.altup.modality_router.weight .altup_router.weight
.altup.prediction_coefs.weight .altup_predict_coef.weight
.altup.router_norm.weight .altup_router_norm.weight
.laurel.linear_left.weight .laurel_l.weight
.laurel.linear_right.weight .laurel_r.weight
.laurel.post_laurel_norm.weight .laurel_post_norm.weight
.per_layer_input_gate.weight .inp_gate.weight
.per_layer_projection.weight .proj.weight
.post_per_layer_input_norm.weight .post_norm.weight
"""

NEXT_TOKENS = """
.eh_proj.weight .nextn.eh_proj.weight
.enorm.weight .nextn.enorm.weight
.hnorm.weight .nextn.hnorm.weight
.embed_tokens.weight .nextn.embed_tokens.weight
.shared_head.head.weight .nextn.shared_head_head.weight
.shared_head.norm.weight .nextn.shared_head_norm.weight
"""

VISION = affine(
    ".attention.q_proj v.blk.{i}.attn_q",
    ".attention.k_proj v.blk.{i}.attn_k",
    ".attention.v_proj v.blk.{i}.attn_v",
    ".attention.o_proj v.blk.{i}.attn_out",
    ".self_attn.q_proj v.blk.{i}.attn_q",
    ".self_attn.k_proj v.blk.{i}.attn_k",
    ".self_attn.v_proj v.blk.{i}.attn_v",
    ".self_attn.out_proj v.blk.{i}.attn_out",
    ".layer_norm1 v.blk.{i}.ln1",
    ".layer_norm2 v.blk.{i}.ln2",
    ".attention_norm v.blk.{i}.ln1",
    ".ffn_norm v.blk.{i}.ln2",
    ".feed_forward.gate_proj v.blk.{i}.ffn_gate",
    ".feed_forward.up_proj v.blk.{i}.ffn_up",
    ".feed_forward.down_proj v.blk.{i}.ffn_down",
    ".mlp.gate_proj v.blk.{i}.ffn_gate",
    ".mlp.up_proj v.blk.{i}.ffn_up",
    ".mlp.down_proj v.blk.{i}.ffn_down",
)

MORE = (LAYERS, ENDS + ATTENTION + FEED_FORWARD + NORMS + EXPERTS + STATE_SPACE + GEMMA3N + NEXT_TOKENS + VISION)
