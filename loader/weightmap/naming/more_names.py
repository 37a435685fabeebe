"""Names of checkpoints for which there is no table of an architecture, joined, and those outside of blocks.

Lines as in `weightmap.naming.name_tables`: the source's tensor, the GGUF's, and the transform's code. Whoever uses them
proves a pair by its values, so a name may stand for what it usually means.
"""

from __future__ import annotations

from weightmap.naming.more_experts import EXPERTS, FEED_FORWARD
from weightmap.naming.more_heads import ATTENTION, NORMS
from weightmap.naming.more_mixers import GEMMA3N, NEXT_TOKENS, RWKV, STATE_SPACE
from weightmap.naming.more_towers import JOINTS, SOUND, VISION
from weightmap.naming.name_fragments import affine

LAYERS = "layers.{i}"

ENDS = """
tok_embeddings.weight token_embd.weight
embedding.weight token_embd.weight
token_embeddings.weight token_embd.weight
in_out_embed.weight token_embd.weight
rwkv.embeddings.weight token_embd.weight
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
fc.weight fc.weight
encoder.output_norm_enc.weight enc.output_norm.weight
embed_tokens_per_layer.weight per_layer_token_embd.weight
per_layer_model_projection.weight per_layer_model_proj.weight
per_layer_projection_norm.weight per_layer_proj_norm.weight
classifier.weight cls.output.weight
classifier.weight cls.weight
classifier.bias cls.output.bias
classifier.bias cls.bias
pre_classifier.weight cls.weight
pre_classifier.bias cls.bias
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
    "rms_norm output_norm",
    "ln_out output_norm",
    "pre_ln token_embd_norm",
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

MORE = (
    LAYERS,
    ENDS
    + JOINTS
    + ATTENTION
    + FEED_FORWARD
    + NORMS
    + EXPERTS
    + STATE_SPACE
    + RWKV
    + GEMMA3N
    + NEXT_TOKENS
    + VISION
    + SOUND,
)
