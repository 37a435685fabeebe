"""What stands in place of attention, or beside it, in checkpoints without a table: state spaces, RWKV, Gemma 3n's extras.

Lines as in `weightmap.naming.name_tables`; whoever uses them proves a pair by its values.
"""

from __future__ import annotations

from weightmap.naming.name_fragments import affine

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
for _module in (".mixer", ".mamba", ".mamba_mixer", ".self_attn", ""):
    STATE_SPACE += f"""
{_module}.A_log .ssm_a -exp
{_module}.D .ssm_d
{_module}.dt_bias .ssm_dt.bias
"""
    STATE_SPACE += affine(
        f"{_module}.in_proj .ssm_in",
        f"{_module}.conv1d .ssm_conv1d",
        f"{_module}.x_proj .ssm_x",
        f"{_module}.bcdt_proj .ssm_x",
        f"{_module}.dt_proj .ssm_dt",
        f"{_module}.norm .ssm_norm",
        f"{_module}.out_proj .ssm_out",
        f"{_module}.dt_layernorm .ssm_dt_norm",
        f"{_module}.b_layernorm .ssm_b_norm",
        f"{_module}.c_layernorm .ssm_c_norm",
        f"{_module}.dt_norm .ssm_dt_norm",
        f"{_module}.B_norm .ssm_b_norm",
        f"{_module}.C_norm .ssm_c_norm",
    )
STATE_SPACE += affine(
    ".mixer.dt .ssm_dt",
    ".mamba.B_layernorm .ssm_b_norm",
    ".mamba.C_layernorm .ssm_c_norm",
    ".linear_attn.dt_proj .ssm_dt",
    ".self_attn.b_proj .ssm_beta",
    ".self_attn.f_a_proj .ssm_f_a",
    ".self_attn.f_b_proj .ssm_f_b",
    ".self_attn.g_a_proj .ssm_g_a",
    ".self_attn.g_b_proj .ssm_g_b",
    ".self_attn.o_norm .ssm_norm",
    ".self_attn.q_conv1d .ssm_conv1d_q",
    ".self_attn.k_conv1d .ssm_conv1d_k",
    ".self_attn.v_conv1d .ssm_conv1d_v",
)

RWKV = """
.attention.time_maa_x .time_mix_lerp_x.weight
.attention.time_maa_w .time_mix_lerp_w.weight
.attention.time_maa_k .time_mix_lerp_k.weight
.attention.time_maa_v .time_mix_lerp_v.weight
.attention.time_maa_r .time_mix_lerp_r.weight
.attention.time_maa_g .time_mix_lerp_g.weight
.attention.time_maa_w1 .time_mix_w1.weight
.attention.time_maa_w2 .time_mix_w2.weight
.attention.time_faaaa .time_mix_first.weight
.attention.time_decay .time_mix_decay.weight
.attention.time_decay_w1 .time_mix_decay_w1.weight
.attention.time_decay_w2 .time_mix_decay_w2.weight
.feed_forward.time_maa_k .channel_mix_lerp_k.weight
.feed_forward.time_maa_r .channel_mix_lerp_r.weight
.feed_forward.x_k .channel_mix_lerp_k.weight
"""
_LOW_RANK = ("w0", "w1", "w2", "a0", "a1", "a2", "v0", "v1", "v2", "g1", "g2", "k_k", "k_a", "r_k")
RWKV += "".join(f".attention.{name} .time_mix_{name}.weight\n" for name in _LOW_RANK)
RWKV += affine(
    ".attention.receptance .time_mix_receptance",
    ".attention.key .time_mix_key",
    ".attention.value .time_mix_value",
    ".attention.gate .time_mix_gate",
    ".attention.output .time_mix_output",
    ".attention.r_proj .time_mix_receptance",
    ".attention.k_proj .time_mix_key",
    ".attention.v_proj .time_mix_value",
    ".attention.o_proj .time_mix_output",
    ".attention.ln_x .time_mix_ln",
    ".feed_forward.key .channel_mix_key",
    ".feed_forward.value .channel_mix_value",
    ".feed_forward.receptance .channel_mix_receptance",
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
