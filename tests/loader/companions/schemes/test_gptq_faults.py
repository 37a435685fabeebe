"""GPTQ weights whose tensors do not fit together, or hold scales and zeros that none should: told, and read where they can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint
from support.composed_reads import every_way
from support.gptq import Made, gptq

import weightmap


def test_zeros_that_ran_over(tmp_path: Path) -> None:
    made = Made(4)
    tensors = made.tensors(1)
    tensors["a.qzeros"].view(np.uint32)[1, 2] = 0xFFFFF777
    with weightmap.open(checkpoint(tmp_path / "m", tensors, gptq(bits=4, checkpoint_format="gptq"))) as model:
        weight = model.composed["a.weight"]
        assert weight.status == "warning"
        (found,) = weight.findings
        assert (found.code, found.tensor) == ("odd_zero", "a.qzeros")
        assert np.isfinite(weight.array()).all()
        assert weight.explain((19, 64))[1] == ("zero of group 1", "16")


def spoilt(what: str) -> dict[str, Any]:
    made = Made(4, order=True)
    tensors = made.tensors(1)
    match what:
        case "no scales":
            del tensors["a.scales"]
        case "no zeros":
            del tensors["a.qzeros"]
        case "fewer groups of scales":
            tensors["a.scales"] = tensors["a.scales"][:2]
            tensors["a.qzeros"] = tensors["a.qzeros"][:2]
        case "fewer groups of zeros":
            tensors["a.qzeros"] = tensors["a.qzeros"][:2]
        case "narrow zeros":
            tensors["a.qzeros"] = tensors["a.qzeros"][:, :7]
        case "narrow scales":
            tensors["a.scales"] = tensors["a.scales"][:, :63]
        case "scales of bytes":
            tensors["a.scales"] = tensors["a.scales"].view(np.uint8)[:, :64]
        case "a group beyond":
            tensors["a.g_idx"][17] = 3
        case "a group before":
            tensors["a.g_idx"][17] = -1
        case "indices of other columns":
            tensors["a.g_idx"] = tensors["a.g_idx"][:-3]
        case "no indices":
            tensors["a.g_idx"] = tensors["a.g_idx"][:0]
        case "indices that are floats":
            tensors["a.g_idx"] = tensors["a.g_idx"].astype(np.float32)
    return tensors


WRONG = {
    "no scales": "scale_missing",
    "no zeros": "scale_missing",
    "fewer groups of scales": "group_index",
    "fewer groups of zeros": "scale_shape",
    "narrow zeros": "scale_shape",
    "narrow scales": "scale_shape",
    "scales of bytes": "dtype_mismatch",
    "a group beyond": "group_index",
    "a group before": "group_index",
    "indices of other columns": "packed_size",
    "indices that are floats": "group_index",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit(tmp_path: Path, what: str) -> None:
    tensors = spoilt(what)
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        weight = model.composed["a.weight"]
        assert_no_values(weight, WRONG[what])
        assert model.status == "error"
        assert any(name in weight.problem.message for name in tensors)
        assert model.tensors["a.qweight"].array().shape == (20, 64)  # the codes are shown all the same


def test_planes_of_bits_are_named(tmp_path: Path) -> None:
    tensors = Made(4).tensors(0)
    config = gptq(bits=6, checkpoint_format="gptq_p")
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        assert model.composed["a.weight"].status == "info"
        with pytest.raises(weightmap.UnsupportedFormatError, match="planes of bits"):
            model.composed["a.weight"].array()


def test_scales_that_are_no_numbers(tmp_path: Path) -> None:
    made = Made(4, symmetric=True)
    made.scales[1, 5] = np.nan
    with weightmap.open(checkpoint(tmp_path / "m", made.tensors(1), gptq(bits=4))) as model:
        weight = model.composed["a.weight"]
        assert weight.status == "warning"
        assert weight.findings[0].code == "odd_scale"
        assert np.isnan(weight.array()[5, 64:128]).all()


def test_negative_scales_are_warned_of_and_read(tmp_path: Path) -> None:
    made = Made(4)
    made.scales[1, 5] *= -1
    folder = checkpoint(tmp_path / "m", made.tensors(1), gptq(bits=4, checkpoint_format="gptq"))
    assert np.array_equal(every_way(folder, "a.weight", "warning"), made.values)
    with weightmap.open(folder) as model:
        (said,) = model.composed["a.weight"].findings
        assert (said.code, said.tensor, said.found) == ("odd_scale", "a.scales", "1 negative")


def test_bits_of_single_modules(tmp_path: Path) -> None:
    tensors = Made(8).tensors(1)
    whole = {"bits": 4}
    with weightmap.open(checkpoint(tmp_path / "whole", tensors, gptq(**whole))) as model:
        assert [found.code for found in model.composed["a.weight"].findings] == ["quant_config"]
    for at, pattern in enumerate(["a", "+:.*a", "+:^a$"]):
        config = gptq(**whole, dynamic={"-:b": {}, pattern: {"bits": 8}, ".*": {"bits": 3}})
        with weightmap.open(checkpoint(tmp_path / str(at), tensors, config)) as model:
            assert not model.composed["a.weight"].findings


@pytest.mark.parametrize("ordered", [True, False])
def test_an_order_that_the_config_says_has_to_be_there(tmp_path: Path, ordered: bool) -> None:
    tensors = Made(4, order=ordered).tensors(1)
    tensors.pop("a.g_idx", None)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, gptq(bits=4, desc_act=ordered))) as model:
        if ordered:
            assert_no_values(model.composed["a.weight"], "scale_missing")
            assert "a.g_idx" in model.composed["a.weight"].problem.message
        else:
            assert model.composed["a.weight"].problem is None


def test_an_order_that_the_config_denies(tmp_path: Path) -> None:
    made = Made(4, order=True)
    for said in (False, True):
        told = gptq(bits=4, desc_act=said, checkpoint_format="gptq")
        folder = checkpoint(tmp_path / str(said), made.tensors(1), told)
        assert np.array_equal(every_way(folder, "a.weight", "ok" if said else "warning"), made.values)
    with weightmap.open(tmp_path / "False") as model:
        (found,) = model.composed["a.weight"].findings
        assert (found.code, found.tensor) == ("quant_config", "a.g_idx")
    natural = Made(4)
    told = gptq(bits=4, desc_act=False, checkpoint_format="gptq")
    assert np.array_equal(
        every_way(checkpoint(tmp_path / "natural", natural.tensors(1), told), "a.weight"), natural.values
    )


def test_an_order_of_no_groups_at_all_is_said(tmp_path: Path) -> None:
    made = Made(4)
    tensors = made.tensors(1) | {"a.g_idx": np.full(made.values.shape[1], -1, np.int32)}
    told = gptq(bits=4, checkpoint_format="gptq")
    folder = checkpoint(tmp_path / "m", tensors, told)
    assert np.array_equal(every_way(folder, "a.weight", "warning"), made.values)
    with weightmap.open(folder) as model:
        (found,) = model.composed["a.weight"].findings
        assert (found.code, found.tensor) == ("group_index", "a.g_idx")


@pytest.mark.parametrize("bits", [5, 6, 7])
def test_bits_of_planes_that_indices_contradict(tmp_path: Path, bits: int) -> None:
    made = Made(4, order=True)
    folder = checkpoint(tmp_path / "m", made.tensors(1), gptq(bits=bits, desc_act=True, checkpoint_format="gptq"))
    assert np.array_equal(every_way(folder, "a.weight", "warning"), made.values)
    with weightmap.open(folder) as model:
        (found,) = model.composed["a.weight"].findings
        assert (found.code, found.tensor) == ("quant_config", "a.qweight")


def test_groups_that_an_order_leaves_empty_or_uneven(tmp_path: Path) -> None:
    made = Made(4, order=True)
    tensors = made.tensors(1)
    tensors["a.g_idx"] = np.where(tensors["a.g_idx"] == 1, 0, tensors["a.g_idx"])
    with weightmap.open(checkpoint(tmp_path / "empty", tensors)) as model:
        assert_no_values(model.composed["a.weight"], "group_index")
    tensors = made.tensors(1)
    column = int(np.flatnonzero(tensors["a.g_idx"] == 0)[0])
    tensors["a.g_idx"][column] = 1
    with weightmap.open(checkpoint(tmp_path / "uneven", tensors)) as model:
        (found,) = (one for one in model.composed["a.weight"].findings if one.severity == "warning")
        assert (found.code, found.tensor) == ("group_index", "a.g_idx")
        same = np.arange(made.values.shape[1]) != column
        assert np.array_equal(model.composed["a.weight"].array()[:, same], made.values[:, same])
    tensors = Made(4, order=True).tensors(1)
    for group in (0, 1):  # all alike, but for a last one that is larger
        tensors["a.g_idx"][np.flatnonzero(tensors["a.g_idx"] == group)[:20]] = 2
    with weightmap.open(checkpoint(tmp_path / "large", tensors)) as model:
        (found,) = (one for one in model.composed["a.weight"].findings if one.severity == "warning")
        assert "makes groups of 44 to 72 columns" in found.message


@pytest.mark.parametrize("kind", ["I8", "I16", "I64"])
@pytest.mark.parametrize("ordered", [True, False])
def test_words_of_other_types_are_named(tmp_path: Path, kind: str, ordered: bool) -> None:
    tensors = Made(4, order=ordered).tensors(1)
    for name in ("a.qweight", "a.qzeros"):
        tensors[name] = (kind, tensors[name].astype(kind.lower().replace("i", "int")))
    with weightmap.open(checkpoint(tmp_path / "m", tensors | {"n.codes": np.zeros(1, np.int32)})) as model:
        assert list(model.composed) == ["a.weight"]
        assert_no_values(model.composed["a.weight"], "unknown_scheme", "info")


@pytest.mark.parametrize("part", ["a.g_idx", "a.qzeros", "a.scales"])
def test_a_weight_whose_parts_are_cut_keeps_its_name(tmp_path: Path, part: str) -> None:
    tensors = Made(4, order=True).tensors(1)
    last = {name: array for name, array in tensors.items() if name != part} | {part: tensors[part]}
    path = checkpoint(tmp_path / "m", last) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-4])
    with weightmap.open(path) as model:
        assert list(model.composed) == ["a.weight"]
        assert_no_values(model.composed["a.weight"], "truncated")
