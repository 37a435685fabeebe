"""Feed-forward layers and experts of checkpoints without a table.

Lines as in `weightmap.naming.name_tables`; whoever uses them proves a pair by its values.
"""

from __future__ import annotations

from weightmap.naming.name_fragments import affine

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
    ".mlp.fc_in .ffn_up",
    ".mlp.fc_out .ffn_down",
    ".ffn.proj_1 .ffn_up",
    ".ffn.proj_2 .ffn_down",
    ".mlp.gated_layers .ffn_up",
    ".mlp.up_gated_layer .ffn_up",
    ".mlp.gated_layers_v .ffn_up",
    ".mlp.gated_layers_w .ffn_gate",
    ".mlp.down_layer .ffn_down",
    ".ffn.w12 .ffn_up",
    ".ffn.w3 .ffn_down",
    ".ff_proj .ffn_gate",
    ".up_proj .ffn_up",
    ".ff_out .ffn_down",
    ".mlp.c_fc2 .ffn_gate",
    ".mlp.linear_1 .ffn_gate",
    ".mlp.linear_3 .ffn_up",
    ".shared_experts.w1 .ffn_gate_shexp",
    ".shared_experts.w2 .ffn_down_shexp",
    ".shared_experts.w3 .ffn_up_shexp",
    ".share_expert.gate_proj .ffn_gate_shexp",
    ".share_expert.up_proj .ffn_up_shexp",
    ".share_expert.down_proj .ffn_down_shexp",
    ".block_sparse_moe.shared_experts.gate_proj .ffn_gate_shexp",
    ".block_sparse_moe.shared_experts.up_proj .ffn_up_shexp",
    ".block_sparse_moe.shared_experts.down_proj .ffn_down_shexp",
)

EXPERTS = """
.block_sparse_moe.input_linear.weight .ffn_gate_exps.weight rows[:half]
.block_sparse_moe.input_linear.weight .ffn_up_exps.weight rows[half:]
.block_sparse_moe.output_linear.weight .ffn_down_exps.weight
.block_sparse_moe.router.weight .ffn_gate_inp.weight
.block_sparse_moe.experts.gate_up_proj .ffn_gate_up_exps.weight
.block_sparse_moe.experts.gate_up_proj .ffn_gate_exps.weight rows[:half]
.block_sparse_moe.experts.gate_up_proj .ffn_up_exps.weight rows[half:]
.block_sparse_moe.experts.down_proj .ffn_down_exps.weight
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
.mlp.experts.gate_proj .ffn_gate_exps.weight
.mlp.experts.up_proj .ffn_up_exps.weight
.mlp.experts.down_proj .ffn_down_exps.weight
.feed_forward.experts.gate_proj .ffn_gate_exps.weight
.feed_forward.experts.up_proj .ffn_up_exps.weight
.experts.gate_up_proj .ffn_gate_up_exps.weight
.experts.gate_up_proj .ffn_gate_exps.weight rows[:half]
.experts.gate_up_proj .ffn_up_exps.weight rows[half:]
.experts.down_proj .ffn_down_exps.weight
.experts.{x}.w1.weight .ffn_gate_exps.weight S
.experts.{x}.w2.weight .ffn_down_exps.weight S
.experts.{x}.w3.weight .ffn_up_exps.weight S
.moe.{x}.linear.weight .ffn_gate_exps.weight S
.moe.{x}.linear_1.weight .ffn_down_exps.weight S
.moe.{x}.linear_v.weight .ffn_up_exps.weight S
.moe.gate_proj.weight .ffn_gate_exps.weight
.moe.up_proj.weight .ffn_up_exps.weight
.moe.down_proj.weight .ffn_down_exps.weight
.router.weight .ffn_gate_inp.weight
.router.proj.weight .ffn_gate_inp.weight
.gate.weight .ffn_gate_inp.weight
.moe.gate.weight .ffn_gate_inp.weight
.moe.router_bias .exp_probs_b.bias
.block_sparse_moe.primary_router.weight .ffn_gate_inp.weight
.block_sparse_moe.gate.e_score_correction_bias .exp_probs_b.bias
.mlp.gate.expert_bias .exp_probs_b.bias
.mlp.experts.e_score_correction_bias .exp_probs_b.bias
.mlp.e_score_correction_bias .exp_probs_b.bias
.self_attn.attention_sink_bias .attn_sinks.weight
.mixer.fc1_latent_proj.weight .ffn_latent_down.weight
.mixer.fc2_latent_proj.weight .ffn_latent_up.weight
"""
