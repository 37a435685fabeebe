from __future__ import annotations

import json
import time
from types import MappingProxyType

import numpy as np
import pytest

from weightmap.cli import output


def test_everything_a_file_can_hold_has_a_strict_form() -> None:
    value = {
        "f": float("nan"),
        "g": np.float32(0.5),
        "i": np.uint64(2**64 - 1),
        "b": True,
        "a": np.array([1.0, np.inf, -0.0]),
        "c": np.array([1 + 2j], np.complex64),
        "s": "a\udcff\ud800b",
        "n": None,
        "nested": ([1], ("x",), []),
        "m": MappingProxyType({"k\udc80": 1}),
    }
    text = json.dumps(output.plain(value), allow_nan=False)
    assert json.loads(text) == {
        "f": None,
        "g": 0.5,
        "i": 2**64 - 1,
        "b": True,
        "a": [1.0, None, -0.0],
        "c": [[1.0, 2.0]],
        "s": "a\\xff\\ud800b",
        "n": None,
        "nested": [[1], ["x"], []],
        "m": {"k\\x80": 1},
    }


def test_a_value_without_a_form_is_refused() -> None:
    with pytest.raises(TypeError, match="set has no form in JSON"):
        output.plain({1})


def test_a_text_of_undecodable_characters_is_written_at_once() -> None:
    began = time.process_time()
    assert output.plain("é\udcff\ud800" * 500_000) == "é\\xff\\ud800" * 500_000
    assert time.process_time() - began < 1
