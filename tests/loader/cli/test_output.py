from __future__ import annotations

import json
from types import MappingProxyType

import numpy as np
import pytest
from support.work import lines

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
    once, twice = "é\udcff\ud800" * 500, "é\udcff\ud800" * 1000
    assert lines(lambda: output.plain(once)) == lines(lambda: output.plain(twice))
    assert output.plain("é\udcff\ud800" * 500_000) == "é\\xff\\ud800" * 500_000
