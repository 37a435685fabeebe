"""GPTQ weights of every width, version and order, against numpy on the whole; what is assumed where nothing tells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.composed import checkpoint
from support.composed_reads import every_way, same
from support.gptq import COLUMNS, Made, gptq
from support.packing import down, words

import weightmap


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


@pytest.mark.parametrize(("bits", "zero"), [(2, 3), (4, 1), (4, 15), (8, 1), (8, 100), (8, 255)])
@pytest.mark.parametrize("order", [False, True])
def test_one_zero_for_all_that_is_not_the_middle(tmp_path: Path, bits: int, zero: int, order: bool) -> None:
    made = Made(bits, order=order)
    made.zeros[...] = zero
    folder = checkpoint(tmp_path / "m", made.tensors(0), gptq(bits=bits, checkpoint_format="gptq_v2"))
    assert np.array_equal(every_way(folder, "a.weight"), made.values)


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
