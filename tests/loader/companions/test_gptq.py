"""GPTQ weights of every width, version and order, against numpy on the whole; and what does not fit together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.composed_reads import every_way, same
from support.packing import down, words

import weightmap

ROWS, COLUMNS, SIZE = 64, 160, 64  # the last group has half as many columns


class Made:
    """A weight (rows, columns) as GPTQ would store it: `stack` matrices of it, zeros `less` one for version 1."""

    def __init__(self, bits: int, *, symmetric: bool = False, order: bool = False, stack: tuple[int, ...] = ()) -> None:
        random, groups = np.random.default_rng(bits), -(-COLUMNS // SIZE)
        self.bits = bits
        self.codes = random.integers(0, 1 << bits, (*stack, COLUMNS, ROWS), np.uint8)
        self.scales = random.uniform(0.001, 0.01, (*stack, groups, ROWS)).astype(np.float16)
        self.zeros = random.integers(1, 1 << bits, (*stack, groups, ROWS), np.uint8)
        if symmetric:
            self.zeros[...] = 1 << bits - 1
        self.order = (np.arange(COLUMNS) // SIZE).astype(np.int32)
        if order:
            self.order = random.permutation(self.order)

    def tensors(self, less: int) -> dict[str, Any]:
        return {
            "a.qweight": down(self.codes, self.bits),
            "a.qzeros": words(self.zeros - np.uint8(less), self.bits),
            "a.scales": self.scales,
            "a.g_idx": self.order,
        }

    @property
    def values(self) -> np.ndarray:
        numbers = self.codes.astype(np.float32) - self.zeros[..., self.order, :]
        return np.swapaxes(numbers * self.scales[..., self.order, :].astype(np.float32), -1, -2)


def gptq(**more: Any) -> dict[str, Any]:
    return quantized_by(quant_method="gptq", group_size=SIZE, **more)


@pytest.mark.parametrize("order", [False, True], ids=["neighbours", "ordered"])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_every_width(tmp_path: Path, bits: int, version: int, order: bool) -> None:
    made = Made(bits, order=order)
    config = gptq(bits=bits, checkpoint_format="gptq" if version == 1 else "gptq_v2")
    folder = checkpoint(tmp_path / "m", made.tensors(2 - version), config)
    assert np.array_equal(every_way(folder, "a.weight"), made.values)
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert weight.scheme == ("gptq" if version == 1 else "gptq_v2")
        assert weight.assumed is None
        assert set(weight.sources) == {"a.qweight", "a.qzeros", "a.scales", "a.g_idx"}
        assert ("groups" in weight.layers()) is order
        row = dict(weight.explain((3, 70)))
        group = int(made.order[70])
        assert row["code"] == str(made.codes[70, 3])
        assert row[f"zero of group {group}"] == str(made.zeros[group, 3])
        assert np.array_equal(weight.layer("codes").array(), made.codes.T)
        assert np.array_equal(weight.layer("zeros").array(), made.zeros.T)
        assert np.array_equal(weight.layer("scales").array(), made.scales.T.astype(np.float32))


@pytest.mark.parametrize("order", [False, True])
def test_stacks_of_experts(tmp_path: Path, order: bool) -> None:
    made = Made(4, order=order, stack=(3,))
    folder = checkpoint(tmp_path / "m", made.tensors(1), gptq(bits=4))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
@pytest.mark.parametrize("version", [1, 2])
def test_symmetric_zeros_tell_the_version_themselves(tmp_path: Path, bits: int, version: int) -> None:
    made = Made(bits, symmetric=True)
    tensors = made.tensors(2 - version)
    assert np.array_equal(every_way(checkpoint(tmp_path / "bare", tensors), "a.weight"), made.values)
    liar = gptq(bits=bits, checkpoint_format="gptq_v2" if version == 1 else "gptq")
    folder = checkpoint(tmp_path / "liar", tensors, liar)
    assert np.array_equal(every_way(folder, "a.weight", "warning"), made.values)
    with weightmap.open(folder) as model:
        assert [found.code for found in model.composed["a.weight"].findings] == ["quant_config"]


def test_other_zeros_without_a_config_leave_it_open(tmp_path: Path) -> None:
    made = Made(4)
    with weightmap.open(checkpoint(tmp_path / "m", made.tensors(0))) as model:
        weight = model.composed["a.weight"]
        assert weight.assumed is not None
        assert "zeros" in weight.assumed
        (other,) = weight.readings
        assert not np.array_equal(weight.array(), made.values)
        same(weight.with_reading(other), made.values)


def test_without_order_and_config_the_zeros_tell_the_width(tmp_path: Path) -> None:
    for bits in (2, 3, 4, 8):
        made = Made(bits, symmetric=True)
        tensors = made.tensors(1)
        del tensors["a.g_idx"]
        folder = checkpoint(tmp_path / str(bits), tensors)
        assert np.array_equal(
            every_way(folder, "a.weight", "info"), made.values
        )  # groups of 64, a power of two, are assumed
        made.order = (np.arange(COLUMNS) // 54).astype(np.int32)
        with weightmap.open(folder) as model:
            assert model.read_as("groups of 54") == ("a.weight",)
            assert np.array_equal(model.composed["a.weight"].array(), made.values)


def test_without_zeros_a_symmetric_weight_has_the_middle(tmp_path: Path) -> None:
    made = Made(4, symmetric=True)
    tensors = made.tensors(1)
    del tensors["a.qzeros"]
    folder = checkpoint(tmp_path / "m", tensors, gptq(bits=4, sym=True))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)
    with weightmap.open(checkpoint(tmp_path / "open", tensors)) as model:
        assert model.composed["a.weight"].problem.code == "scale_missing"


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
        assert weight.status == model.status == "error"
        assert weight.problem.code == WRONG[what]
        assert any(name in weight.problem.message for name in tensors)
        with pytest.raises(weightmap.WeightFileError):
            weight.array()
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


def test_a_config_of_other_bits_is_stale(tmp_path: Path) -> None:
    made = Made(8, symmetric=True)
    folder = checkpoint(tmp_path / "m", made.tensors(1), gptq(bits=4))
    assert np.array_equal(every_way(folder, "a.weight", "warning"), made.values)


def test_parts_in_several_files(tmp_path: Path) -> None:
    made = Made(4, order=True)
    tensors = made.tensors(1)
    files = {"one": ["a.qweight", "a.g_idx"], "two": ["a.scales", "a.qzeros"]}
    for name, held in files.items():
        checkpoint(tmp_path / name, {one: tensors[one] for one in held})
        (tmp_path / name / "model.safetensors").rename(tmp_path / f"{name}.safetensors")
        (tmp_path / name).rmdir()
    places = {one: f"{name}.safetensors" for name, held in files.items() for one in held}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    (tmp_path / "config.json").write_text(json.dumps(gptq(bits=4, checkpoint_format="gptq")))
    assert np.array_equal(every_way(tmp_path, "a.weight"), made.values)


def test_negative_scales_are_warned_of_and_read(tmp_path: Path) -> None:
    made = Made(4)
    made.scales[1, 5] *= -1
    folder = checkpoint(tmp_path / "m", made.tensors(1), gptq(bits=4, checkpoint_format="gptq"))
    assert np.array_equal(every_way(folder, "a.weight", "warning"), made.values)
    with weightmap.open(folder) as model:
        (said,) = model.composed["a.weight"].findings
        assert (said.code, said.tensor, said.found) == ("odd_scale", "a.scales", "1 negative")


@pytest.mark.parametrize("told", [None, 8])
def test_zeros_of_few_rows_leave_the_width_open(tmp_path: Path, told: int | None) -> None:
    draw = np.random.default_rng(5)
    codes, zeros = draw.integers(0, 16, (64, 4), np.uint8), draw.integers(1, 16, (2, 4), np.uint8)
    scales = draw.uniform(0.01, 0.02, (2, 4)).astype(np.float16)
    tensors = {"a.qweight": down(codes, 4), "a.qzeros": words(zeros - np.uint8(1), 4), "a.scales": scales}
    config = None if told is None else gptq(bits=told)
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        weight = model.composed["a.weight"]
        if told is not None:  # then it is told
            assert weight.shape == (4, 32)
            assert weight.assumed is None or "how many bits" not in weight.assumed
            return
        assert weight.shape == (4, 64)
        assert weight.assumed is not None
        assert "how many bits the codes of a.qweight have: 4 are assumed, and 8 and 2 would fit" in weight.assumed
        values = (codes.astype(np.float32) - np.repeat(zeros, 32, 0)) * np.repeat(scales, 32, 0).astype(np.float32)
        assert np.array_equal(weight.array(), values.T)
        other = weight.with_reading("8 bits")
        assert other.shape == other.array().shape == (4, 32)
