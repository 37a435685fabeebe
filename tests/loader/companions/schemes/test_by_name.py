"""Schemes that are named and not decoded: a note, and tensors as they are stored."""

from __future__ import annotations

import numpy as np
import pytest
from support.composed import checkpoint

import weightmap
from weightmap.companions.schemes.by_name import KNOWN

BYTES, FLOATS = np.zeros((8, 4), np.int8), np.ones(4, np.float32)
CODES = {"U8": np.uint8, "I32": np.int32}  # by the first of the types that a scheme's codes have


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_it_is_named_and_its_tensors_stay(tmp_path, known) -> None:
    codes = BYTES.view(CODES.get(known.types[0], np.int8) if known.types else np.int8)
    tensors = {f"a.b{known.codes}": codes, f"a.b{known.beside[0]}": FLOATS, "norm.weight": FLOATS}
    folder = checkpoint(tmp_path / "m", tensors)
    with weightmap.open(folder) as model:
        (weight,) = model.composed.values()
        assert weight.scheme == known.name
        assert set(weight.sources) == {f"a.b{known.codes}", f"a.b{known.beside[0]}"}
        assert weight.status == model.status == "info"
        assert known.called in model.composed["a.b.weight"].findings[0].message
        with pytest.raises(weightmap.UnsupportedFormatError):
            weight.array()
    with weightmap.load_weights(folder) as weights:
        assert list(weights) == list(tensors)
        assert np.array_equal(weights[f"a.b{known.codes}"], codes)


def test_what_is_only_called_like_codes(tmp_path) -> None:
    words = np.zeros((4, 8), np.int64)  # of an audio codec, of a projection
    tensors = {"q.codes": words, "q.codebooks": FLOATS, "c.B": FLOATS, "c.s": FLOATS, "x.weight": BYTES}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert not model.composed


@pytest.mark.parametrize("method", ["gptq", "awq", None])
def test_bytes_of_a_packer_are_no_int8(tmp_path, method: str | None) -> None:
    config = {"quantization_config": {"quant_method": method, "bits": 4}} if method else None
    folder = checkpoint(tmp_path / "m", {"a.qweight": BYTES, "a.scales": np.ones((8, 1), np.float16)}, config)
    with weightmap.open(folder) as model:
        (weight,) = model.composed.values()
        assert weight.name == ("a.weight" if method else "a")
        assert weight.status == ("info" if method else "ok")
        assert (weight.problem is not None) == (method is not None)


def test_many_weights_of_one_scheme_are_one_note(tmp_path) -> None:
    tensors = {f"l.{i}{end}": BYTES if end == ".W_q" else FLOATS for i in range(9) for end in (".W_q", ".scale")}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert len(model.composed) == 9
        said = [found for found in model.findings if found.code == "unknown_scheme"]
        assert len(said) == 1
        assert said[0].message.endswith(" 8 more are like this.")


def test_int8_pairs_of_any_rank(tmp_path) -> None:
    codes = np.random.default_rng(1).integers(-127, 128, (4, 6, 3), np.int8)
    spread = {"": (), "rows": (4, 1, 1), "planes": (4, 6, 1), "columns": (3,), "each": (4, 6, 3), "first": (4,)}
    for kind, shape in spread.items():
        scales = np.random.default_rng(2).uniform(0.1, 1, shape).astype(np.float32)
        folder = checkpoint(tmp_path / (kind or "one"), {"x.qweight": codes, "x.scale": scales})
        with weightmap.open(folder) as model:
            wanted = codes.astype(np.float32) * (scales[:, None, None] if kind == "first" else scales)
            assert np.array_equal(model.composed["x"].array(), wanted)
            assert np.array_equal(model.composed["x"][1:3, ::2, 1:], wanted[1:3, ::2, 1:])
    folder = checkpoint(tmp_path / "misfit", {"x.qweight": codes, "x.scale": np.ones((5, 1, 1), np.float32)})
    with weightmap.open(folder) as model, pytest.raises(weightmap.CorruptWeightError, match="cannot be spread"):
        model.composed["x"].array()


@pytest.mark.parametrize(
    ("module", "down", "up"),
    [
        ("a", "a.svdquant_lora_a", "a.svdquant_lora_b"),
        ("a", "a.lora_A.default.weight", "a.lora_B.default.weight"),
        ("a.base_layer", "a.lora_A.weight", "a.lora_B.weight"),
    ],
)
def test_a_low_rank_addition_is_named_and_left_out(tmp_path, module: str, down: str, up: str) -> None:
    codes = np.arange(32, dtype=np.int8).reshape(4, 8)
    scales = np.linspace(0.1, 0.4, 4, dtype=np.float32)[:, None]
    tensors = {f"{module}.weight": codes, f"{module}.weight_scale": scales}
    tensors |= {down: np.ones((2, 8), np.float32), up: np.ones((4, 2), np.float32)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        weight = model.composed[f"{module}.weight"]
        assert np.array_equal(weight.array(), codes * scales)
        (said,) = weight.findings
        assert (said.code, said.severity, said.tensor) == ("low_rank", "info", f"{module}.weight")
        assert f"{down} and {up}" in said.message
        assert np.array_equal(model.tensors[down].array(), np.ones((2, 8), np.float32))
    del tensors[up]
    with weightmap.open(checkpoint(tmp_path / "half", tensors)) as model:
        assert model.composed[f"{module}.weight"].findings == ()
