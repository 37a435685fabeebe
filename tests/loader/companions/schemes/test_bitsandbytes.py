"""bitsandbytes' 4-bit and 8-bit weights against numpy on the whole; and what does not fit together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import assert_no_values, checkpoint
from support.composed_reads import every_way
from support.packing import repeated

import weightmap

_UP = (0.0, 0.0795803, 0.1609302, 0.2461123, 0.3379152, 0.4407098, 0.562617, 0.7229568, 1.0)
_DOWN = (-1.0, -0.6961928, -0.5250731, -0.3949175, -0.2844414, -0.1847734, -0.09105)
NF4 = np.float32([*_DOWN, *_UP])
FP4 = np.float32([0, 1 / 192, 2 / 3, 1, 1 / 3, 1 / 2, 1 / 6, 1 / 4])
TABLES = {"nf4": NF4, "fp4": np.concatenate([FP4, -FP4])}


def told(**settings: Any) -> np.ndarray:
    return np.frombuffer(json.dumps(settings).encode(), np.uint8)


class Made:
    """A 4-bit weight; with `nested` its scales are codes themselves."""

    def __init__(self, shape: tuple[int, ...], block: int = 64, *, nested: bool = False, kind: str = "nf4") -> None:
        random = np.random.default_rng(len(shape))
        count = int(np.prod(shape))
        self.shape, self.block, self.kind = shape, block, kind
        self.codes = random.integers(0, 16, count + count % 2, np.uint8)
        blocks = -(-count // block)
        self.state: dict[str, Any] = {
            "quant_type": kind,
            "blocksize": block,
            "dtype": "bfloat16",
            "shape": list(shape),
        }
        self.scales = random.uniform(0.01, 0.1, blocks).astype(np.float32)
        self.more: dict[str, np.ndarray] = {"absmax": self.scales}
        if nested:
            codes = random.integers(0, 256, blocks, np.uint8)
            table = np.sort(random.uniform(-1, 1, 256)).astype(np.float32)
            outer = random.uniform(0.01, 0.02, -(-blocks // 16)).astype(np.float32)
            self.state |= {"nested_blocksize": 16, "nested_dtype": "float32", "nested_offset": 0.0437}
            self.more = {"absmax": codes, "nested_absmax": outer, "nested_quant_map": table}
            self.scales = table[codes] * repeated(outer, 16, blocks) + np.float32(0.0437)

    def tensors(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "a.weight": (self.codes[0::2] << 4 | self.codes[1::2]).reshape(-1, 1),
            "a.weight.quant_map": TABLES[self.kind],
        }
        found |= {f"a.weight.{name}": array for name, array in self.more.items()}
        found[f"a.weight.quant_state.bitsandbytes__{self.kind}"] = told(**self.state)
        return found

    @property
    def values(self) -> np.ndarray:
        count = int(np.prod(self.shape))
        return (TABLES[self.kind][self.codes[:count]] * repeated(self.scales, self.block, count)).reshape(self.shape)


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
@pytest.mark.parametrize("shape", [(24, 80), (7, 33), (3, 20, 64)], ids=str)
def test_four_bits(tmp_path: Path, shape: tuple[int, ...], nested: bool) -> None:
    for kind in ("nf4", "fp4"):
        made = Made(shape, nested=nested, kind=kind)
        folder = checkpoint(tmp_path / kind, made.tensors())
        assert np.array_equal(every_way(folder, "a.weight"), made.values)
        with weightmap.open(folder) as model:
            weight = model.composed["a.weight"]
            assert set(weight.sources) == set(made.tensors())
            assert weight.scheme == f"bnb_{kind}" + ("_nested" if nested else "")
            assert weight.runtime == "bfloat16"
            assert np.array_equal(weight.layer("scales").array(), made.scales)
            assert dict(weight.explain(65))["scale of block 1"] == str(made.scales[1])
            assert np.array_equal(weight.layer("codes").array().reshape(-1), made.codes[: weight.count])
            assert weight.group_shape == (
                (1, 64) if shape[-1] % 64 == 0 else None
            )  # blocks run on over the ends of rows


def test_other_blocks_and_bytes_kept_as_floats(tmp_path: Path) -> None:
    made = Made((16, 128), 128)
    tensors = made.tensors()
    for kind, wide in (("BF16", np.uint16), ("F32", np.uint32)):
        kept = tensors | {"a.weight": (kind, tensors["a.weight"].reshape(-1).view(wide))}
        assert np.array_equal(every_way(checkpoint(tmp_path / kind, kept), "a.weight"), made.values)


STATES: dict[str, Any] = {
    "another shape": {"shape": [2, 64]},
    "no shape": {"shape": None},
    "a shape of words": {"shape": ["a"]},
    "a negative shape": {"shape": [-8, -64]},
    "a huge shape": {"shape": [1 << 40, 1 << 40]},
    "no block": {"blocksize": 0},
    "a block of text": {"blocksize": "64"},
    "another kind": {"quant_type": "nf3"},
    "an offset that is none": {"nested_offset": None},
}


def spoilt(what: str) -> dict[str, Any]:
    made = Made((8, 64), nested=what.startswith("nested"))
    made.state |= STATES.get(what, {})
    tensors, state = made.tensors(), "a.weight.quant_state.bitsandbytes__nf4"
    match what:
        case "no state":
            del tensors[state]
        case "a state that is cut":
            tensors[state] = tensors[state][:-9]
        case "a state that is a list":
            tensors[state] = np.frombuffer(b"[1]", np.uint8)
        case "a state of a megabyte":
            tensors[state] = np.full(1 << 20, 32, np.uint8)
        case "no scales":
            del tensors["a.weight.absmax"]
        case "fewer scales":
            tensors["a.weight.absmax"] = tensors["a.weight.absmax"][1:]
        case "no table":
            del tensors["a.weight.quant_map"]
        case "a short table":
            tensors["a.weight.quant_map"] = NF4[:15]
        case "nested without scales":
            del tensors["a.weight.nested_absmax"]
        case "nested without a table":
            del tensors["a.weight.nested_quant_map"]
        case "nested with more scales":
            tensors["a.weight.nested_absmax"] = np.ones(2, np.float32)
        case "nested with a short table":
            tensors["a.weight.nested_quant_map"] = np.ones(255, np.float32)
        case "scales of integers":
            tensors["a.weight.absmax"] = np.ones(8, np.int32)
        case "two states":
            tensors[state.replace("nf4", "fp4")] = tensors[state]
    return tensors


WRONG = dict.fromkeys(STATES, "quant_metadata") | {
    "another shape": "packed_size",
    "a huge shape": "packed_size",
    "no state": "quant_metadata",
    "a state that is cut": "quant_metadata",
    "a state that is a list": "quant_metadata",
    "a state of a megabyte": "quant_metadata",
    "no scales": "scale_missing",
    "fewer scales": "scale_shape",
    "no table": "scale_missing",
    "a short table": "scale_shape",
    "nested without scales": "scale_missing",
    "nested without a table": "scale_missing",
    "nested with more scales": "scale_shape",
    "nested with a short table": "scale_shape",
    "scales of integers": "dtype_mismatch",
    "two states": "quant_metadata",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit(tmp_path: Path, what: str) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", spoilt(what))) as model:
        weight = model.composed["a.weight"]
        assert_no_values(weight, WRONG[what])
        assert model.status == "error"
        assert "a.weight" in weight.problem.message


def rows() -> tuple[dict[str, Any], np.ndarray]:
    random = np.random.default_rng(1)
    codes, scales = random.integers(-127, 128, (24, 40), np.int8), random.uniform(0.1, 1, 24).astype(np.float32)
    tensors = {"a.weight": codes, "a.SCB": scales, "a.weight_format": np.array(0, np.uint8)}
    return tensors, codes * scales[:, None] * np.float32(0.007874015718698502)


def test_int8_rows(tmp_path: Path) -> None:
    tensors, values = rows()
    assert np.array_equal(every_way(checkpoint(tmp_path / "m", tensors), "a.weight"), values)
    with weightmap.open(tmp_path / "m") as model:
        assert set(model.composed["a.weight"].sources) == {"a.weight", "a.SCB"}
        assert ("factor", "0.007874016") in model.composed["a.weight"].explain((0, 0))
    del tensors["a.weight_format"]
    assert np.array_equal(every_way(checkpoint(tmp_path / "bare", tensors), "a.weight"), values)


@pytest.mark.parametrize("what", ["scale_missing", "scale_shape", "unknown_scheme"])
def test_int8_rows_that_do_not_fit(tmp_path: Path, what: str) -> None:
    tensors, _ = rows()
    match what:
        case "scale_missing":
            del tensors["a.SCB"]
        case "scale_shape":
            tensors["a.SCB"] = np.ones(40, np.float32)
        case "unknown_scheme":
            tensors["a.weight_format"] = np.array(1, np.uint8)
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert model.composed["a.weight"].problem.code == what
        with pytest.raises(weightmap.WeightFileError):
            model.composed["a.weight"].array()


@pytest.mark.parametrize("offset", [None, "0.1", 10**400, 1e300, [0.1]])
def test_an_offset_of_scales_that_is_no_number(tmp_path: Path, offset: Any) -> None:
    made = Made((24, 80), nested=True)
    made.state["nested_offset"] = offset
    if offset is None:
        del made.state["nested_offset"]
    with weightmap.open(checkpoint(tmp_path / "m", made.tensors())) as model:
        problem = model.composed["a.weight"].problem
        assert problem.code == "quant_metadata"
        assert "offset" in problem.message


@pytest.mark.parametrize("form", [np.float32(np.nan), np.float32(np.inf), np.uint8(3)])
def test_a_layout_that_is_no_row_order(tmp_path: Path, form: Any) -> None:
    tensors = {"a.weight": np.ones((4, 8), np.int8), "a.SCB": np.ones(4, np.float32), "a.weight_format": np.array(form)}
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert model.composed["a.weight"].problem.code == "unknown_scheme"


def test_codes_kept_as_floats_are_no_numbers(tmp_path: Path) -> None:
    made = Made((16, 64))
    tensors = made.tensors()
    tensors["a.weight"] = ("BF16", np.full((256, 1), 0x7FFF, np.uint16))  # NaN, were they numbers
    made.codes[:] = np.tile(np.array([15, 15, 7, 15], np.uint8), 256)
    with weightmap.open(checkpoint(tmp_path / "m", tensors)) as model:
        assert model.tensors["a.weight"].check_values() == ()
        assert np.array_equal(model.composed["a.weight"].array(), made.values)
        assert model.composed["a.weight"].check_values() == ()


def test_a_table_of_scales_that_holds_no_numbers(tmp_path: Path) -> None:
    made = Made((24, 80), nested=True)
    made.more["nested_quant_map"][3] = np.nan
    with weightmap.open(checkpoint(tmp_path / "m", made.tensors())) as model:
        (found,) = model.composed["a.weight"].findings
        assert (found.code, found.tensor) == ("odd_scale", "a.weight.nested_quant_map")
