"""Towers for pictures and sound, and what joins them to a language model, in checkpoints without a table.

Lines as in `weightmap.naming.name_tables`; whoever uses them proves a pair by its values. Modules that are called as in a
language model need no line: see `weightmap.naming.roles`.
"""

from __future__ import annotations

from weightmap.naming.name_fragments import CLIP_BLOCK, affine

VISION = CLIP_BLOCK + affine(
    ".attention.q_proj v.blk.{i}.attn_q",
    ".attention.k_proj v.blk.{i}.attn_k",
    ".attention.v_proj v.blk.{i}.attn_v",
    ".attention.o_proj v.blk.{i}.attn_out",
    ".attention_norm v.blk.{i}.ln1",
    ".ffn_norm v.blk.{i}.ln2",
    ".feed_forward.gate_proj v.blk.{i}.ffn_gate",
    ".feed_forward.up_proj v.blk.{i}.ffn_up",
    ".feed_forward.down_proj v.blk.{i}.ffn_down",
    ".mlp.gate_proj v.blk.{i}.ffn_gate",
    ".mlp.up_proj v.blk.{i}.ffn_up",
    ".mlp.down_proj v.blk.{i}.ffn_down",
    ".norm_1 v.blk.{i}.ln1",
    ".norm_2 v.blk.{i}.ln2",
    ".norm0 v.blk.{i}.ln1",
    ".norm1 v.blk.{i}.ln2",
    ".layernorm_before v.blk.{i}.ln1",
    ".layernorm_after v.blk.{i}.ln2",
    ".wq v.blk.{i}.attn_q",
    ".wk v.blk.{i}.attn_k",
    ".wv v.blk.{i}.attn_v",
    ".wqkv v.blk.{i}.attn_qkv",
    ".wo v.blk.{i}.attn_out",
    ".attn.in_proj v.blk.{i}.attn_qkv",
    ".self_attn.projection_layer v.blk.{i}.attn_out",
    ".attention.projection_layer v.blk.{i}.attn_out",
    ".attention.q_norm v.blk.{i}.attn_q_norm",
    ".attention.k_norm v.blk.{i}.attn_k_norm",
    ".mlp.fc0 v.blk.{i}.ffn_up",
    ".mlp.fc1 v.blk.{i}.ffn_down",
    ".mlp.fc1 v.blk.{i}.ffn_gate",
    ".mlp.fc3 v.blk.{i}.ffn_up",
    ".mlp.w1_gate v.blk.{i}.ffn_gate",
    ".mlp.w1_up v.blk.{i}.ffn_up",
    ".linear_fc1 v.deepstack.{i}.fc1",
    ".linear_fc2 v.deepstack.{i}.fc2",
    ".norm v.deepstack.{i}.norm",
)
VISION += """
.attn.in_proj_weight v.blk.{i}.attn_qkv.weight
.attn.in_proj_bias v.blk.{i}.attn_qkv.bias
.ls_1.gamma v.blk.{i}.ls1.weight
.ls_2.gamma v.blk.{i}.ls2.weight
.ls1 v.blk.{i}.ls1.weight
.ls2 v.blk.{i}.ls2.weight
.lambda_1 v.blk.{i}.ls1.weight
.lambda_2 v.blk.{i}.ls2.weight
"""

SOUND = affine(
    ".attn.pre_norm a.blk.{i}.ln1",
    ".attn.to_q a.blk.{i}.attn_q",
    ".attn.to_out a.blk.{i}.attn_out",
    ".ff1.pre_norm a.blk.{i}.ffn_norm",
    ".ff1.up_proj a.blk.{i}.ffn_up",
    ".ff1.down_proj a.blk.{i}.ffn_down",
    ".ff2.pre_norm a.blk.{i}.ffn_norm_1",
    ".ff2.up_proj a.blk.{i}.ffn_up_1",
    ".ff2.down_proj a.blk.{i}.ffn_down_1",
    ".conv.norm a.blk.{i}.norm_conv",
    ".conv.up_conv a.blk.{i}.conv_pw1",
    ".conv.down_conv a.blk.{i}.conv_pw2",
    ".conv.depth_conv.conv a.blk.{i}.conv_dw",
    ".post_norm a.blk.{i}.ln2",
    ".self_attn_layer_norm a.blk.{i}.ln1",
    ".final_layer_norm a.blk.{i}.ln2",
)
SOUND += """
.attn.to_kv.weight a.blk.{i}.attn_k.weight rows[:half]
.attn.to_kv.weight a.blk.{i}.attn_v.weight rows[half:]
.attn.rel_pos_emb.weight a.blk.{i}.attn_rel_pos_emb
"""

JOINTS = """
visual.pos_embed.weight v.position_embd.weight
vision_model.positional_embedding v.position_embd.weight
vision_model.class_embedding v.class_embd
"""
JOINTS += affine(
    "visual.patch_embed.proj v.patch_embd",
    "visual.embeddings.position_embedding v.position_embd",
    "visual.post_layernorm v.post_ln",
    "visual.post_conv_layernorm v.norm_embd",
    "visual.merger.proj mm.model.fc",
    "visual.merger.gate_proj mm.gate",
    "visual.merger.up_proj mm.up",
    "visual.merger.down_proj mm.down",
    "visual.merger.post_projection_norm mm.post_norm",
    "visual.downsample mm.patch_merger",
    "vision_model.embeddings.patch_embedding v.patch_embd",
    "vision_model.embeddings.position_embedding v.position_embd",
    "vision_model.conv1 v.patch_embd",
    "vision_model.ln_pre v.pre_ln",
    "vision_model.ln_post v.post_ln",
    "vision_model.pre_layrnorm v.pre_ln",
    "vision_model.post_layernorm v.post_ln",
    "connector.modality_projection.proj mm.model.fc",
    "input_linear a.input_projection",
    "out a.enc_ctc_out",
    "out_mid a.enc_ctc_out_mid",
)
