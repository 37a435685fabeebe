"""Which module a header of ComfyUI means: paths under other prefixes, in the headers of several files, and modules left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.comfy import drawn, told
from support.composed import assert_no_values, checkpoint
from support.floats import E2M1, E4M3, grouped, high_first, swizzled

import weightmap

CODES, SCALES = drawn((128, 64)), drawn((128, 4), 0x7F, 8)  # as many scales in rows as in tiles
WANTED = E2M1[CODES] * grouped(E4M3[SCALES] * np.float32(0.5), 16, 64)
PATH = "blocks.0.attn.to_q"


def weight(module: str) -> dict[str, Any]:
    return {
        f"{module}.weight": high_first(CODES),
        f"{module}.weight_scale": ("F8_E4M3", swizzled(SCALES)),
        f"{module}.weight_scale_2": np.float32(0.5),
    }


def header(*modules: str) -> dict[str, str]:
    return {"_quantization_metadata": json.dumps({"layers": {module: {"format": "nvfp4"} for module in modules}})}


@pytest.mark.parametrize(
    ("module", "key"),
    [
        (PATH, PATH),
        (f"transformer.{PATH}", PATH),
        (f"text_encoders.qwen.transformer.{PATH}", PATH),
        (f"text_encoders.qwen.transformer.{PATH}", f"transformer.{PATH}"),
        (f"model.diffusion_model.{PATH}", f"model.diffusion_model.{PATH}"),
        (PATH, f"model.diffusion_model.{PATH}"),
        (f"model.diffusion_model.{PATH}", f"{PATH}.weight"),
    ],
)
def test_paths_under_other_prefixes(tmp_path: Path, module: str, key: str) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", weight(module), metadata=header(key))) as model:
        assert model.composed[f"{module}.weight"].scheme == "comfy_nvfp4"
        assert np.array_equal(model.composed[f"{module}.weight"].array(), WANTED)
        assert model.status in ("ok", "info")


def test_the_same_path_under_two_prefixes(tmp_path: Path) -> None:
    tensors = weight(f"one.{PATH}") | weight(f"two.{PATH}") | {f"three.{PATH}.weight": np.ones((4, 4), np.float32)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=header(PATH))) as model:
        assert [entry.scheme for entry in model.composed.values()] == ["comfy_nvfp4"] * 2
        assert all(np.array_equal(entry.array(), WANTED) for entry in model.composed.values())


def test_each_file_of_a_set_describes_its_own(tmp_path: Path) -> None:
    placed = {}
    for number, module in enumerate(("a", "b")):
        folder = checkpoint(tmp_path / module, weight(module), metadata=header(module))
        file = f"model-0000{number + 1}-of-00002.safetensors"
        (folder / "model.safetensors").rename(tmp_path / file)
        folder.rmdir()
        placed |= dict.fromkeys(weight(module), file)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": placed}))
    with weightmap.open(tmp_path) as model:
        for name in ("a.weight", "b.weight"):
            assert np.array_equal(model.composed[name].array(), WANTED), name
            assert model.composed[name].scheme == "comfy_nvfp4"


@pytest.mark.parametrize("key", ["x", "another.attn.to_q", "to_k", ""])
def test_no_order_is_guessed_for_what_the_header_leaves_out(tmp_path: Path, key: str) -> None:
    tensors: dict[str, Any] = {
        **weight(PATH),
        "c.weight": ("F8_E4M3", drawn((4, 8), 0x7F)),
        "c.weight_scale": np.float32(0.5),
    }
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=header(key))) as model:
        assert_no_values(model.composed[f"{PATH}.weight"], "quant_metadata")
        assert set(model.composed[f"{PATH}.weight"].sources) == set(weight(PATH))
        assert model.composed["c.weight"].status == "ok"  # one scale is in no order


@pytest.mark.parametrize("other", ["nvfp4", "mxfp8", "unheard of"])
def test_a_marker_and_a_header_have_to_agree(tmp_path: Path, other: str) -> None:
    tensors = weight(PATH) | {f"{PATH}.comfy_quant": told(format="nvfp4")}
    metadata = {"_quantization_metadata": json.dumps({"layers": {PATH: {"format": other}}})}
    with weightmap.open(checkpoint(tmp_path / "m", tensors, metadata=metadata)) as model:
        if other == "nvfp4":
            assert np.array_equal(model.composed[f"{PATH}.weight"].array(), WANTED)
        else:
            assert_no_values(model.composed[f"{PATH}.weight"], "quant_metadata")
            assert other in model.composed[f"{PATH}.weight"].problem.message
