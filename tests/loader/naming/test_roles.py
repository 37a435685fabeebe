"""Names of checkpoints lead to the tensors of a GGUF that they become, whatever the architecture."""

import re

import pytest
from gguf.constants import MODEL_ARCH
from gguf.tensor_mapping import get_tensor_name_map

from weightmap.naming.roles import Role, gguf_roles, roles


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("model.layers.12.self_attn.q_proj.weight", Role("blk.12.attn_q.weight")),
        ("layers.0.attention.wq.weight", Role("blk.0.attn_q.weight")),
        ("language_model.model.embed_tokens.weight", Role("token_embd.weight")),
        ("bert.encoder.layer.3.output.LayerNorm.gamma", Role("blk.3.layer_output_norm.weight")),
        ("model.layers.1.mlp.experts.7.up_proj.weight", Role("blk.1.ffn_up_exps.weight", 7)),
        ("decoder.block.2.layer.1.EncDecAttention.q.weight", Role("dec.blk.2.cross_attn_q.weight")),
        ("encoder.block.2.layer.0.SelfAttention.q.weight", Role("enc.blk.2.attn_q.weight")),
        ("vision_tower.vision_model.encoder.layers.4.self_attn.k_proj.bias", Role("v.blk.4.attn_k.bias")),
        ("audio_tower.layers.4.self_attn.k_proj.weight", Role("a.blk.4.attn_k.weight")),
        ("model.vision_tower.layers.4.attn.k_proj.weight", Role("v.blk.4.attn_k.weight")),
        ("vision_model.model.layers.1.self_attn.o_proj.weight", Role("v.blk.1.attn_out.weight")),
        ("visual.blocks.3.attn.q_norm.weight", Role("v.blk.3.attn_q_norm.weight")),
        ("vpm.encoder.layers.1.mlp.fc2.bias", Role("v.blk.1.ffn_down.bias")),
        ("vision_model.transformer.resblocks.0.attn.in_proj_weight", Role("v.blk.0.attn_qkv.weight")),
        ("model.visual.deepstack_merger_list.0.linear_fc1.weight", Role("v.deepstack.0.fc1.weight")),
        ("model.vision_model.embeddings.patch_embedding.bias", Role("v.patch_embd.bias")),
        ("encoder.layers.2.ff2.up_proj.weight", Role("a.blk.2.ffn_up_1.weight")),
        ("classifier.bias", Role("cls.bias")),
        ("model.layers.1.mlp.experts.e_score_correction_bias", Role("blk.1.exp_probs_b.bias")),
        ("model.layers.0.block_sparse_moe.experts.gate_up_proj", Role("blk.0.ffn_gate_up_exps.weight")),
        ("model.layers.0.post_attention_layernorm.weight", Role("blk.0.post_attention_norm.weight")),
        ("gpt_neox.layers.9.attention.dense.bias", Role("blk.9.attn_output.bias")),
    ],
)
def test_a_name_leads_to_its_role(source, target):
    assert target in roles(source)


def test_a_tower_is_not_taken_for_the_language_model():
    assert not any(role.target.startswith("blk.") for role in roles("visual.blocks.3.attn.proj.weight"))


def test_an_ending_may_be_left_out():
    assert Role("blk.1.ffn_norm.weight") in gguf_roles("blk.1.ffn_norm")
    assert Role("blk.1.exp_probs_b.bias") in gguf_roles("blk.1.exp_probs_b")


def test_experts_of_old_files_are_parts_of_a_stack():
    assert gguf_roles("blk.3.ffn_down.5.weight") == (Role("blk.3.ffn_down_exps.weight", 5),)
    assert gguf_roles("blk.3.ffn_down.weight") == (Role("blk.3.ffn_down.weight"),)


@pytest.mark.parametrize(
    "source", ["", ".", "a" * 5000, "model.layers.99999999999.x", "0.0.0", "\udcff.1.weight", "{i}.{x}"]
)
def test_any_text_is_a_name(source):
    assert roles(source) == ()


def test_most_names_of_language_models_that_gguf_maps():
    """The map of the gguf package, without towers: all but a few rare modules."""
    wanted = {}
    for architecture in MODEL_ARCH:
        for key, (_, name) in get_tensor_name_map(architecture, 2).mapping.items():
            if key != name and not re.match(r"(v|a|mm|s|enc|resampler|posnet|convnext)\.", name):
                wanted.setdefault(re.sub(r"\.\d+\.", ".1.", key), set()).add(re.sub(r"\.\d+\.", ".1.", name))
    found = 0
    for key, names in wanted.items():
        targets = {role.target for end in (".weight", ".bias", "") for role in roles(key + end)}
        found += any(f"{name}{end}" in targets for name in names for end in (".weight", ".bias", ""))
    assert found / len(wanted) > 0.75
