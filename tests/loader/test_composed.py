"""A weight of several tensors as scripts use it: listed under its name, read in parts, loaded in place of its tensors."""

from __future__ import annotations

import gc
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from support.composed import checkpoint

import weightmap
from weightmap.types.float8 import F8_E4M3

CODES = np.random.default_rng(1).integers(0, 0x7F, (6, 40), np.uint8)
SCALES = np.linspace(0.5, 2, 6, dtype=np.float32).reshape(6, 1)
VALUES = F8_E4M3().values()[CODES] * SCALES
NORM = np.arange(6, dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tensors = {"a.weight_scale": SCALES, "norm.weight": NORM, "a.weight": ("F8_E4M3", CODES)}
    return checkpoint(tmp_path / "m", tensors)


def test_what_it_says_of_itself(folder: Path) -> None:
    with weightmap.open(folder) as model:
        assert list(model.composed) == ["a.weight"]
        weight = model.composed["a.weight"]
        assert (weight.name, weight.scheme, weight.shape, weight.count) == ("a.weight", "fp8_channel", (6, 40), 240)
        assert weight.about == "F8_E4M3 codes times one F32 scale per row"
        assert weight.sources == ("a.weight", "a.weight_scale")
        assert weight.nbytes == 240 + 24
        assert weight.bits_per_weight == 8.8
        assert weight.path == str(folder / "model.safetensors")
        assert weight.offset == model.tensors["a.weight"].offset
        assert (weight.assumed, weight.readings, weight.reading, weight.problem) == (None, (), None, None)
        assert len(weight) == 6
        assert list(model.tensors) == ["a.weight_scale", "norm.weight", "a.weight"]
        with pytest.raises(KeyError, match="no reading"):
            weight.with_reading("upside down")
        assert repr(weight) == "<weight 'a.weight' fp8_channel (6, 40) of 2 tensors>"
        again = pickle.loads(pickle.dumps(weight))
        assert (again.name, again.scheme, again.sources) == (weight.name, weight.scheme, weight.sources)
        assert np.array_equal(again.array(), weight.array())
        layer = pickle.loads(pickle.dumps(weight.layer("scales")))
        assert np.array_equal(layer.array(), weight.layer("scales").array())


def test_values_and_parts_of_them(folder: Path) -> None:
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert weight.array().dtype == np.float32
        assert np.array_equal(weight.array(), VALUES)
        assert not weight.array().flags.writeable
        assert np.array_equal(weight.array(np.float64), VALUES.astype(np.float64))
        with pytest.raises(TypeError):
            weight.array(np.int32)
        for key in (3, (2, 5), np.s_[1:5:2, ::-1], np.s_[..., 7], np.s_[::-1, 3:30:9], np.s_[4:, 11:13]):
            assert np.array_equal(weight[key], VALUES[key])
        assert np.array_equal(weight.layer("scales").array(), SCALES)
        assert np.array_equal(weight.layer("codes").array(np.float32), F8_E4M3().values()[CODES])
        assert weight.layer("scales").statistics().max == 2.0
        with pytest.raises(KeyError):
            weight.layer("zeros")


def test_how_one_value_is_made(folder: Path) -> None:
    with weightmap.open(folder) as model:
        steps = model.composed["a.weight"].explain((4, 17))
        code, value = CODES[4, 17], F8_E4M3().values()[CODES[4, 17]]
        assert steps[0] == ("code", f"{code:#04x} = {value}")
        assert steps[1] == ("scale [4, 0]", str(SCALES[4, 0]))
        assert steps[-1] == ("value", str(VALUES[4, 17]))
        assert model.composed["a.weight"].explain(4 * 40 + 17) == steps
        with pytest.raises(IndexError):
            model.composed["a.weight"].explain(240)


def test_measures_are_those_of_the_values(folder: Path) -> None:
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert not weight.values_checked
        found = weight.statistics(bins=16)
        assert weight.values_checked
        assert (found.count, found.min, found.max) == (240, VALUES.min(), VALUES.max())
        assert found.histogram.counts.tolist() == np.histogram(VALUES, found.histogram.edges)[0].tolist()
        assert weight.histogram(4, (0, 8)).counts.tolist() == np.histogram(VALUES, 4, (0, 8))[0].tolist()
        assert np.array_equal(weight.heatmap(6, 40).cells, VALUES)


def test_what_is_found_among_the_values_is_said_of_the_weight_though_no_tensor_has_its_name(tmp_path: Path) -> None:
    packed = np.full((16, 8), -0x77777778, np.int32)  # eight codes of 8 each, which stand for zero
    tensors = {"a.weight_packed": packed, "a.weight_scale": np.ones((16, 1), np.float32)}
    tensors["a.weight_shape"] = ("I64", np.array([16, 64], np.int64))
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        weight = model.composed["a.weight"]
        before = weight.findings
        found = weight.check_values()
        assert [one.code for one in found] == ["all_zero"]
        assert weight.findings == (*before, *found)
        assert all(one not in tensor.findings for one in found for tensor in model.tensors.values())
        assert not weight.array().any()


def test_loading_gives_values_in_place_of_parts(folder: Path) -> None:
    with weightmap.load_weights(folder) as weights:
        assert list(weights) == ["norm.weight", "a.weight"]
        assert np.array_equal(weights["a.weight"], VALUES)
        assert np.array_equal(weights["norm.weight"], NORM)
    with weightmap.load_weights(folder, names="a.*", dtype=np.float64) as weights:
        assert {name: array.dtype.name for name, array in weights.items()} == {"a.weight": "float64"}
    with weightmap.load_weights(folder, names=["a.weight_scale"]) as weights:
        assert np.array_equal(weights["a.weight_scale"], SCALES)
    with weightmap.load_weights(folder, keep_quantized=True) as weights:
        assert isinstance(weights["a.weight"], weightmap.Composed)
        assert isinstance(weights["norm.weight"], np.ndarray)
    with pytest.raises(KeyError, match="no tensor"):
        weightmap.load_weights(folder, names="b.*")


def test_after_closing_and_after_a_change(folder: Path) -> None:
    model = weightmap.open(folder)
    weight = model.composed["a.weight"]
    del model
    gc.collect()
    assert np.array_equal(weight.array(), VALUES)  # it keeps the file open
    path = folder / "model.safetensors"
    os.truncate(path, path.stat().st_size - 5)
    with pytest.raises(weightmap.FileChangedError):
        weight.array()
    with weightmap.open(folder) as cut:
        assert cut.composed["a.weight"].status == "error"
        with pytest.raises(weightmap.TruncatedFileError):
            cut.composed["a.weight"].array()
    with pytest.raises(weightmap.ClosedError):
        cut.composed["a.weight"].array()


def test_an_open_model_lets_go_of_its_file(folder: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    model = weightmap.open(folder)
    assert model.composed["a.weight"].status == "ok"
    del model
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before  # nothing refers in circles


def test_parts_of_a_set_make_one_weight(tmp_path: Path) -> None:
    import json

    folder = tmp_path / "m"
    for number, tensors in enumerate([{"a.weight": ("F8_E4M3", CODES)}, {"a.weight_scale": SCALES}], 1):
        checkpoint(tmp_path / str(number), tensors)
        folder.mkdir(exist_ok=True)
        (tmp_path / str(number) / "model.safetensors").rename(folder / f"model-0000{number}-of-00002.safetensors")
    places = {"a.weight": "model-00001-of-00002.safetensors", "a.weight_scale": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    with weightmap.open(folder) as model:
        assert np.array_equal(model.composed["a.weight"].array(), VALUES)
    with weightmap.open(folder / "model-00002-of-00002.safetensors") as model:
        assert "orphan_scale" not in {found.code for found in model.findings}
