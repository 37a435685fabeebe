"""Names of Hugging Face checkpoints beside those of GGUF, by architecture of GGUF: data of `weightmap.naming.names`.

Each table goes with the source's name of a block. Where a source tensor has two lines it is split, or a file has one of
the two targets; where a target has two lines, a checkpoint has one of the two sources.
"""

from __future__ import annotations

from weightmap.naming import name_fragments as f

LLAMA_LAYERS = "model.layers.{i}"
QWEN2 = f.ENDS + f.HEADS + f.HEAD_BIASES + f.NORMS
PHI3 = """
.self_attn.qkv_proj.weight .attn_qkv.weight
.self_attn.o_proj.weight .attn_output.weight
.mlp.gate_up_proj.weight .ffn_up.weight
.mlp.down_proj.weight .ffn_down.weight
"""
QWEN2_SHARED_EXPERT = """
.mlp.shared_expert.gate_proj.weight .ffn_gate_shexp.weight
.mlp.shared_expert.up_proj.weight .ffn_up_shexp.weight
.mlp.shared_expert.down_proj.weight .ffn_down_shexp.weight
.mlp.shared_expert_gate.weight .ffn_gate_inp_shexp.weight
"""
NOMIC = """
embeddings.word_embeddings.weight token_embd.weight
embeddings.token_type_embeddings.weight token_types.weight
"""

TABLES: dict[str, tuple[str, str]] = {
    "llama": (LLAMA_LAYERS, f.ENDS + f.ROTATED_HEADS + f.NORMS + f.GATED + f.GATED_BIASES + f.MIXTRAL),
    "qwen2": (LLAMA_LAYERS, QWEN2 + f.GATED),
    "qwen3": (LLAMA_LAYERS, f.ENDS + f.HEADS + f.HEAD_NORMS + f.NORMS + f.GATED),
    "qwen2moe": (LLAMA_LAYERS, QWEN2 + f.EXPERTS + QWEN2_SHARED_EXPERT),
    "qwen3moe": (LLAMA_LAYERS, f.ENDS + f.HEADS + f.HEAD_NORMS + f.NORMS + f.EXPERTS),
    "gemma": (LLAMA_LAYERS, f.GEMMA + f.HEADS + f.GATED + "\n.post_attention_layernorm.weight .ffn_norm.weight +1\n"),
    "gemma2": (LLAMA_LAYERS, f.GEMMA2),
    "gemma3": (
        LLAMA_LAYERS,
        f.GEMMA2
        + """
        lm_head.weight output.weight
        .self_attn.q_norm.weight .attn_q_norm.weight +1
        .self_attn.k_norm.weight .attn_k_norm.weight +1
        """,
    ),
    "phi3": (LLAMA_LAYERS, f.ENDS + f.NORMS + PHI3),
    "phi2": (
        LLAMA_LAYERS,
        "\nmodel.embed_tokens.weight token_embd.weight\n"
        + f.affine(
            "model.final_layernorm output_norm",
            "lm_head output",
            ".input_layernorm .attn_norm",
            ".self_attn.q_proj .attn_q",
            ".self_attn.k_proj .attn_k",
            ".self_attn.v_proj .attn_v",
            ".self_attn.dense .attn_output",
            ".mlp.fc1 .ffn_up",
            ".mlp.fc2 .ffn_down",
        ),
    ),
    "gpt2": (
        "transformer.h.{i}",
        f.GPT2_ENDS + f.affine("transformer.ln_f output_norm", ".ln_1 .attn_norm", ".ln_2 .ffn_norm"),
    ),
    "bert": (
        "encoder.layer.{i}",
        f.affine(
            "embeddings.LayerNorm token_embd_norm",
            ".attention.self.query .attn_q",
            ".attention.self.key .attn_k",
            ".attention.self.value .attn_v",
            ".attention.output.dense .attn_output",
            ".attention.output.LayerNorm .attn_output_norm",
            ".intermediate.dense .ffn_up",
            ".output.dense .ffn_down",
            ".output.LayerNorm .layer_output_norm",
            "classifier.dense cls",
            "classifier.out_proj cls.output",
            # DistilBERT
            "transformer.layer.{i}.attention.q_lin .attn_q",
            "transformer.layer.{i}.attention.k_lin .attn_k",
            "transformer.layer.{i}.attention.v_lin .attn_v",
            "transformer.layer.{i}.attention.out_lin .attn_output",
            "transformer.layer.{i}.sa_layer_norm .attn_output_norm",
            "transformer.layer.{i}.ffn.lin1 .ffn_up",
            "transformer.layer.{i}.ffn.lin2 .ffn_down",
            "transformer.layer.{i}.output_layer_norm .layer_output_norm",
        )
        + f.BERT_EMBEDDINGS,
    ),
    "nomic-bert": (
        "encoder.layers.{i}",
        NOMIC
        + f.affine(
            "emb_ln token_embd_norm",
            ".attn.Wqkv .attn_qkv",
            ".attn.out_proj .attn_output",
            ".norm1 .attn_output_norm",
            ".mlp.fc11 .ffn_up",
            ".mlp.fc12 .ffn_gate",
            ".mlp.fc2 .ffn_down",
            ".norm2 .layer_output_norm",
        ),
    ),
    "falcon": (
        "transformer.h.{i}",
        "\ntransformer.word_embeddings.weight token_embd.weight\nlm_head.weight output.weight\n"
        + f.affine(
            "transformer.ln_f output_norm",
            ".input_layernorm .attn_norm",
            ".ln_mlp .attn_norm",
            ".ln_attn .attn_norm_2",
            ".self_attention.query_key_value .attn_qkv F",
            ".self_attention.dense .attn_output",
            ".mlp.dense_h_to_4h .ffn_up",
            ".mlp.dense_4h_to_h .ffn_down",
        ),
    ),
    "gptneox": (
        "gpt_neox.layers.{i}",
        "\ngpt_neox.embed_in.weight token_embd.weight\nembed_out.weight output.weight\n"
        + f.affine(
            "gpt_neox.final_layer_norm output_norm",
            ".input_layernorm .attn_norm",
            ".post_attention_layernorm .ffn_norm",
            ".attention.query_key_value .attn_qkv B",
            ".attention.dense .attn_output",
            ".mlp.dense_h_to_4h .ffn_up",
            ".mlp.dense_4h_to_h .ffn_down",
        ),
    ),
    "bloom": (
        "h.{i}",
        "\nword_embeddings.weight token_embd.weight\nlm_head.weight output.weight\n"
        + f.affine(
            "word_embeddings_layernorm token_embd_norm",
            "ln_f output_norm",
            ".input_layernorm .attn_norm",
            ".self_attention.query_key_value .attn_qkv B",
            ".self_attention.dense .attn_output",
            ".post_attention_layernorm .ffn_norm",
            ".mlp.dense_h_to_4h .ffn_up",
            ".mlp.dense_4h_to_h .ffn_down",
        ),
    ),
    "deepseek2": (LLAMA_LAYERS, f.ENDS + f.NORMS + f.GATED + f.EXPERTS + f.DEEPSEEK),
    "mamba": ("backbone.layers.{i}", f.MAMBA),
    "t5": (
        "",
        f.T5_ENDS + f.T5_BLOCK.format("encoder", "enc", 1) + f.T5_BLOCK.format("decoder", "dec", 2) + f.T5_CROSS,
    ),
    "gpt-oss": (LLAMA_LAYERS, f.ENDS + f.HEADS + f.HEAD_BIASES + f.GPT_OSS),
    "clip": (
        "vision_tower.vision_model.encoder.layers.{i}",
        """
        vision_tower.vision_model.embeddings.class_embedding v.class_embd
        vision_tower.vision_model.embeddings.patch_embedding.weight v.patch_embd.weight
        vision_tower.vision_model.embeddings.position_embedding.weight v.position_embd.weight
        """
        + f.CLIP_BLOCK
        + f.affine(
            "vision_tower.vision_model.pre_layrnorm v.pre_ln",
            "vision_tower.vision_model.post_layernorm v.post_ln",
            ".mlp.fc1 v.blk.{i}.ffn_up",
            ".mlp.fc2 v.blk.{i}.ffn_down",
        ),
    ),
}
