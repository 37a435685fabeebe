"""Small quantized checkpoints for tests: written from arrays, or taken from the collection with the values that they stand for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.build import safetensors
from support.shared import SHARED

import weightmap

TRUTH = SHARED / "models" / "composed"

_DTYPES = {"f4": "F32", "f2": "F16", "f8": "F64", "i1": "I8", "u1": "U8", "i4": "I32", "u4": "U32", "i8": "I64"}


def checkpoint(
    folder: Path,
    tensors: Mapping[str, np.ndarray | tuple[str, np.ndarray]],
    config: Mapping[str, Any] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Path:
    """A folder with model.safetensors, and config.json where a config is given.

    An array is stored in its own dtype; (dtype, bytes as uint8 or uint16) as another one: ("F8_E4M3", codes).
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for name, given in tensors.items():
        dtype, array = given if isinstance(given, tuple) else (_DTYPES[given.dtype.str[1:]], given)
        entries.append((name, dtype, array.shape, np.ascontiguousarray(array).tobytes()))
    (folder / "model.safetensors").write_bytes(safetensors(entries, metadata))
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    return folder


def quantized_by(**values: Any) -> dict[str, Any]:
    """A config.json that says how the model is quantized."""
    return {"model_type": "made_up", "quantization_config": values}


def digest(values: np.ndarray) -> str:
    """What the collection keeps of float32 values: -0 as 0, every NaN the same."""
    plain = np.array(values, "<f4") + np.float32(0)
    plain.view("<u4")[np.isnan(plain)] = 0x7FC00000
    return hashlib.sha256(plain.tobytes()).hexdigest()


def assert_truth(case: str, names: Iterable[str] | None = None) -> None:
    """Every weight of a folder of the collection: its shape, its sources, its values; of lies that none are given."""
    expected = json.loads((TRUTH / case / "expected.json").read_text())
    with weightmap.open(TRUTH / case) as model:
        for name, want in expected.items():
            if name.startswith("_") or (names is not None and name not in names):
                continue
            _assert_weight(model, name, want)


def _assert_weight(model: weightmap.WeightFile, name: str, want: dict[str, Any]) -> None:
    if want.get("status", "").startswith("error"):
        assert model.composed[name].status == "error"
        try:
            model.composed[name].array()
        except weightmap.WeightFileError:
            return
        raise AssertionError(f"{name}: values of a lie")
    if "shape" not in want or ("sha256" not in want and "samples" not in want):
        return
    weight = model.composed[name]
    assert list(weight.shape) == want["shape"], name
    assert set(weight.sources) == set(want["sources"]), name
    values = weight.array()
    if want.get("exact") is False:
        for at, value in want["samples"]:
            assert abs(values.reshape(-1)[at] - value) <= want["atol"], name
    else:
        assert digest(values) == want["sha256"], name


def assert_no_values(weight: weightmap.ComposedTensor, code: str, status: str = "error") -> None:
    """A weight says what is wrong with it, by `code`, and gives values in no way."""
    assert (weight.status, weight.problem.code) == (status, code), weight.problem
    for ask in (weight.array, weight.statistics, lambda: weight[0]):
        with pytest.raises(weightmap.WeightFileError):
            ask()
