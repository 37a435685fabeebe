"""What a comparison says of a tensor that is not what its name says: exchanged, scaled, noised, reordered, zeroed."""

import re

import libgguf
import numpy as np
import pytest
from support.convert import HD, H, convert, save

import weightmap

ROWS = [
    {"gguf": "token_embd.weight", "hf": ["model.embed_tokens.weight"], "transform": "="},
    {"gguf": "output_norm.weight", "hf": ["model.norm.weight"], "transform": "="},
    {"gguf": "blk.{i}.attn_norm.weight", "hf": ["model.layers.{i}.input_layernorm.weight"], "transform": "="},
    {"gguf": "blk.{i}.attn_q.weight", "hf": ["model.layers.{i}.self_attn.q_proj.weight"], "transform": "P(q)"},
    {"gguf": "blk.{i}.attn_k.weight", "hf": ["model.layers.{i}.self_attn.k_proj.weight"], "transform": "P(k)"},
    {"gguf": "blk.{i}.attn_v.weight", "hf": ["model.layers.{i}.self_attn.v_proj.weight"], "transform": "="},
    {"gguf": "blk.{i}.ffn_up.weight", "hf": ["model.layers.{i}.mlp.up_proj.weight"], "transform": "="},
    {"gguf": "blk.{i}.ffn_down.weight", "hf": ["model.layers.{i}.mlp.down_proj.weight"], "transform": "="},
]


def q8(values):
    return 8, libgguf.quantize_rows(np.ascontiguousarray(values), 8).tobytes()


def rope(w):
    return w.reshape(H, 2, HD // 2, -1).swapaxes(1, 2).reshape(w.shape)


@pytest.fixture(params=["gguf", "checkpoint"])
def damaged(request, tmp_path):
    """Compare a file in which `change` changed its tensors with the sound file, or with the checkpoint."""

    def compare(change):
        good, bad = convert(ROWS, blocks=3), convert(ROWS, blocks=3)
        change(bad.gguf)
        for name in ("good", "bad"):
            (tmp_path / name).mkdir()
        sound, checkpoint = save(good, tmp_path / "good", "llama")
        quantized, _ = save(bad, tmp_path / "bad", "llama", encode=q8)
        return weightmap.compare(quantized, sound if request.param == "gguf" else checkpoint)

    return compare


def only(found, *names):
    """The first rows of the table are these, and all others are normal."""
    ranked = found.ranked()
    assert {pair.tensor for pair in ranked[: len(names)]} == set(names)
    assert all(pair.verdict == "normal" for pair in ranked[len(names) :])
    assert not found.unpaired_quantized
    return ranked[0]


def test_nothing_changed(damaged):
    assert all(pair.verdict == "normal" for pair in damaged(lambda tensors: None).pairs)


def test_two_exchanged_tensors(damaged):
    def change(t):
        t["blk.0.ffn_up.weight"], t["blk.2.ffn_up.weight"] = t["blk.2.ffn_up.weight"], t["blk.0.ffn_up.weight"]

    first = only(damaged(change), "blk.0.ffn_up.weight", "blk.2.ffn_up.weight")
    assert first.verdict == "wrong"
    assert first.relative_rmse == pytest.approx(2**0.5, rel=0.05)
    assert "exchanged" in first.note


def test_exchanged_keys_are_named_though_their_rows_are_reordered(damaged):
    names = "blk.0.attn_k.weight", "blk.2.attn_k.weight"

    def change(t):
        t[names[0]], t[names[1]] = t[names[1]], t[names[0]]

    found = damaged(change)
    only(found, *names)
    for row, other in zip(sorted(found.ranked()[:2], key=lambda row: row.tensor), (2, 0), strict=True):
        assert row.verdict == "wrong"
        assert re.search(
            rf"The values are those of (blk|model\.layers)\.{other}\..*two tensors are exchanged", row.note
        )


def test_a_scaled_tensor(damaged):
    first = only(damaged(lambda t: t["blk.1.ffn_up.weight"].__imul__(1.5)), "blk.1.ffn_up.weight")
    assert first.verdict == "wrong"
    assert first.scale == pytest.approx(1.5, rel=0.01)
    assert "times 1.5" in first.note


def test_a_noised_tensor(damaged):
    noise = np.random.default_rng(1).standard_normal((H * HD, 64)).astype(np.float32) * 0.2
    first = only(damaged(lambda t: t["blk.1.attn_q.weight"].__iadd__(noise)), "blk.1.attn_q.weight")
    assert first.verdict == "worse"
    assert "resemble" in first.note


def test_a_tensor_of_zeros(damaged):
    first = only(damaged(lambda t: t["token_embd.weight"].fill(0)), "token_embd.weight")
    assert (first.verdict, first.note) == ("wrong", "Every value is zero, and the reference's are not.")


def test_half_a_tensor_lost(damaged):
    first = only(damaged(lambda t: t["blk.2.ffn_down.weight"][20:].fill(0)), "blk.2.ffn_down.weight")
    assert first.verdict == "worse"


def test_a_value_that_is_not_finite(damaged):
    first = only(damaged(lambda t: t["output_norm.weight"].__setitem__(3, np.nan)), "output_norm.weight")
    assert (first.verdict, first.nonfinite) == ("wrong", 1)
    assert first.note.startswith("1 value is NaN or Inf on one side")


def test_a_small_factor_is_worse_and_no_more(damaged):
    first = only(damaged(lambda t: t["blk.1.ffn_up.weight"].__imul__(1.05)), "blk.1.ffn_up.weight")
    assert (first.verdict, "times 1.05" in first.note) == ("worse", True)


def test_rows_reordered_once_too_often(damaged):
    def change(t):
        t["blk.1.attn_q.weight"] = rope(t["blk.1.attn_q.weight"])

    first = only(damaged(change), "blk.1.attn_q.weight")
    assert (first.verdict, first.relative_rmse > 1) == ("wrong", True)
    assert "once too often" in first.note or "order" in first.note


def test_a_checkpoint_in_the_order_of_the_gguf_is_said_to_be_so(tmp_path):
    made = convert(ROWS)
    for name in list(made.gguf):
        source = made.truth[name][0]
        made.gguf[name] = made.hf[next(iter(source))]
    found = weightmap.compare(*save(made, tmp_path, "llama"))
    pair = next(pair for pair in found.pairs if pair.tensor == "blk.0.attn_q.weight")
    assert (pair.transform, pair.identical) == ("=", True)
    assert "Mistral" in pair.note


def test_a_name_that_may_mean_two_tensors_is_no_pair_for_the_second(tmp_path):
    """post_attention_layernorm is ffn_norm in most families and another norm in some: what it is not, it is not paired with."""
    made = convert(
        [
            *ROWS,
            {
                "gguf": "blk.{i}.ffn_norm.weight",
                "hf": ["model.layers.{i}.post_attention_layernorm.weight"],
                "transform": "=",
            },
        ]
    )
    other = np.random.default_rng(9).standard_normal(64).astype(np.float32)
    made.gguf["blk.0.post_attention_norm.weight"] = other
    found = weightmap.compare(*save(made, tmp_path, "llama"))
    assert [entry.tensor for entry in found.unpaired_quantized] == ["blk.0.post_attention_norm.weight"]
    assert "have little in common" in found.unpaired_quantized[0].reason
    assert len(found.pairs) == len(made.truth)


MISSTEPS = {
    "queries not reordered": (
        "blk.1.attn_q.weight",
        "P(q)",
        "not reordered for the rotary embedding, unlike in the other",
    ),
    "a square matrix transposed": ("blk.1.attn_output.weight", "=", "It is transposed, unlike in the other blocks"),
    "a norm without the one": ("blk.1.attn_norm.weight", "+1", "One was not added to its values, unlike in the other"),
}


@pytest.mark.parametrize("what", MISSTEPS)
def test_a_step_that_was_left_out_in_one_block_is_wrong_and_said(tmp_path, what):
    name, transform, said = MISSTEPS[what]
    row = {"gguf": name.replace(".1.", ".{i}."), "hf": ["model.layers.{i}.some.weight"], "transform": transform}
    source = {"blk.1.attn_q.weight": "self_attn.q_proj", "blk.1.attn_output.weight": "self_attn.o_proj"}
    row["hf"] = [f"model.layers.{{i}}.{source.get(name, 'input_layernorm')}.weight"]
    made = convert([row, *[r for r in ROWS if r["gguf"] != row["gguf"]]], blocks=3)
    (of,) = made.truth[name][0]
    made.gguf[name] = np.ascontiguousarray(made.hf[of].T if "output" in name else made.hf[of])
    first = only(weightmap.compare(*save(made, tmp_path, "some", encode=q8)), name)
    assert (first.verdict, first.relative_rmse > 0.5) == ("wrong", True)
    assert said in first.note
    assert "the values agree" in first.note


def test_ones_that_were_added_to_no_norm_are_missed_where_the_converter_always_adds_them(tmp_path):
    rows = [{"gguf": "blk.{i}.attn_norm.weight", "hf": ["model.layers.{i}.input_layernorm.weight"], "transform": "="}]
    made = convert(rows, blocks=3)
    for architecture, verdict in (("gemma2", "wrong"), ("llama", "normal")):
        found = weightmap.compare(*save(made, tmp_path, architecture))
        assert {pair.verdict for pair in found.pairs} == {verdict}
        assert all(pair.note is None or "which the converter always does" in pair.note for pair in found.pairs)


def test_a_tower_has_steps_of_its_own(tmp_path):
    """Many blocks of a language model whose queries are reordered say nothing of the few that look at pictures."""
    vision = {"gguf": "v.blk.{i}.attn_q.weight", "hf": ["vision_tower.encoder.layers.{i}.self_attn.q_proj.weight"]}
    made, few = convert(ROWS, blocks=6), convert([vision | {"transform": "="}], blocks=2, seed=5)
    for part in ("hf", "gguf", "truth"):
        getattr(made, part).update(getattr(few, part))
    found = weightmap.compare(*save(made, tmp_path, "llama", encode=q8))
    assert len(found.pairs) == len(made.truth)
    assert {(pair.verdict, pair.note) for pair in found.pairs} == {("normal", None)}
