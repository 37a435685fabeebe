"""Names that differ by a wrapper's words belong together, whatever the values are."""

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap
from weightmap.pairing.aliases import aliases, plain

RANDOM = np.random.default_rng(8)
TENSORS = {
    name: (RANDOM.standard_normal(shape) * 0.1).astype("<f4")
    for block in range(3)
    for name, shape in (
        (f"double_blocks.{block}.img_attn.qkv.weight", (48, 16)),
        (f"double_blocks.{block}.img_attn.proj.weight", (16, 16)),
        (f"double_blocks.{block}.img_mod.lin.bias", (96,)),
    )
}


def wrapped(prefix, tensors):
    return {prefix + name: values for name, values in tensors.items()}


def compare(folder, first, second):
    for name, tensors in (("a", first), ("b", second)):
        data = safetensors((key, "F32", values.shape, values.tobytes()) for key, values in tensors.items())
        (folder / f"{name}.safetensors").write_bytes(data)
    return weightmap.compare(folder / "a.safetensors", folder / "b.safetensors")


@pytest.mark.parametrize(
    "prefixes", [("model.diffusion_model.", ""), ("", "module."), ("net.student.", ""), ("", "ema.")]
)
def test_a_prefix_is_no_guess_and_hides_no_damage(tmp_path, prefixes):
    damaged = dict(TENSORS)
    name = "double_blocks.1.img_attn.proj.weight"
    damaged[name] = damaged[name] * np.float32(2)
    damaged["double_blocks.2.img_mod.lin.bias"] = np.zeros(96, "<f4")
    found = compare(tmp_path, wrapped(prefixes[0], damaged), wrapped(prefixes[1], TENSORS))
    assert {(pair.tensor, pair.reference) for pair in found.pairs} == {
        (prefixes[0] + key, (prefixes[1] + key,)) for key in TENSORS
    }
    assert not any(pair.guessed for pair in found.pairs)
    wrong = {pair.tensor for pair in found.pairs if pair.verdict == "wrong"}
    assert wrong == {prefixes[0] + name, prefixes[0] + "double_blocks.2.img_mod.lin.bias"}
    assert sum(pair.verdict == "normal" for pair in found.pairs) == len(TENSORS) - 2


def test_a_gguf_keeps_the_names_of_a_picture_model(tmp_path):
    tensors = dict(TENSORS) | {"double_blocks.0.img_mod.lin.bias": np.zeros(96, "<f4")}
    metadata = [("general.architecture", "str", "flux")]
    stored = [(name, values.shape, 0, values.tobytes()) for name, values in tensors.items()]
    (tmp_path / "a.gguf").write_bytes(gguf(metadata, stored))
    inside = wrapped("model.diffusion_model.", tensors)
    data = safetensors((key, "F32", values.shape, values.tobytes()) for key, values in inside.items())
    (tmp_path / "b.safetensors").write_bytes(data)
    found = weightmap.compare(tmp_path / "a.gguf", tmp_path / "b.safetensors")
    assert [(pair.verdict, pair.guessed) for pair in found.pairs] == [("normal", False)] * len(TENSORS)


def test_words_of_wrappers_are_left_out():
    assert plain("base_model.model.model.layers.0.q_proj.base_layer.weight") == "model.layers.0.q_proj.weight"
    assert plain("_orig_mod.module.a.weight") == "a.weight"


def test_what_two_names_could_mean_is_no_alias():
    assert aliases(["module.a", "_orig_mod.a"], ["a"]) == {}
    assert aliases(["a"], ["module.a", "_orig_mod.a"]) == {}


def test_a_few_names_make_no_prefix():
    names = [f"block.{n}.weight" for n in range(6)]
    assert aliases([*names, "norm"], ["x.norm", *(f"y.{n}" for n in range(6))]) == {}
    assert aliases([*names, "norm"], [f"x.{name}" for name in names]) == {name: f"x.{name}" for name in names}


def test_a_name_that_is_there_is_no_alias():
    assert aliases(["a.b", "module.a.b"], ["a.b"]) == {}
