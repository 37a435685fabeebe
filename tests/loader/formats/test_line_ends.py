"""Headers that a transfer in text mode shifted cannot be read on: the cause is said, not what is met behind it."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from support.build import gguf

import weightmap

VALUES = np.random.default_rng(4).normal(0, 0.02, 8192).astype("<f4").tobytes()
WITH_TEN = gguf([("general.architecture", "str", "none"), ("ten.bytes.", "u32", 10)], [("w", (8192,), 0, VALUES)])


def found_in(tmp_path, data, name="model"):
    path = tmp_path / name
    path.write_bytes(data)
    verdict = weightmap.validate(path)
    return [one for one in verdict.findings if one.severity == "error"]


def test_a_shifted_header_of_gguf_is_said_to_come_of_text_mode(tmp_path):
    data = WITH_TEN.replace(b"\n", b"\r\n")
    [found] = found_in(tmp_path, data)
    assert (found.code, found.offset) == ("text_mode", data.index(b"\r\n"))
    assert "what lies behind it is shifted. The " in found.message


def test_a_shifted_length_of_safetensors_is_said_to_come_of_text_mode(tmp_path):
    text = json.dumps({"w": {"dtype": "F32", "shape": [8192], "data_offsets": [0, len(VALUES)]}}).encode()
    text += b" " * (0x30A - len(text))
    data = (struct.pack("<Q", len(text)) + text + VALUES).replace(b"\n", b"\r\n")
    [found] = found_in(tmp_path, data, "model.safetensors")
    assert (found.code, found.offset) == ("text_mode", 0)


def test_a_text_with_such_line_ends_in_a_cut_header_is_no_sign(tmp_path):
    keys = [
        ("general.architecture", "str", "none"),
        ("general.description", "str", "a line\r\n" * 40),
        ("x.y", "u32", 1),
    ]
    data = gguf(keys, [("w", (8192,), 0, VALUES)])
    [found] = found_in(tmp_path, data[: data.index(b"x.y") - 4])
    assert found.code == "truncated"
    cut = data[: data.index(b"x.y") - 8] + b"\xff" * 8
    [found] = found_in(tmp_path, cut)
    assert found.code == "bad_length"


def test_a_text_that_ends_with_a_line_and_a_number_behind_it_are_no_sign(tmp_path):
    keys = [("general.license", "str", "a line\r\n" * 40), ("general.quantized_by", "str", "one")]
    data = gguf(keys, [("w", (8192,), 0, VALUES)])
    key = b"general.quantized_by"
    assert b"a line\r\n" + struct.pack("<Q", len(key)) in data
    [found] = found_in(tmp_path, data.replace(key + struct.pack("<I", 8), key + struct.pack("<I", 77)))
    assert found.code == "unknown_kv_type"


@pytest.mark.parametrize("name", ["log.txt", "log.gguf"])
def test_a_text_with_such_line_ends_is_a_text(tmp_path, name):
    [found] = found_in(tmp_path, b"\x1b[32mdone\r\n" * 50, name)
    assert found.code == "unknown_format"


@pytest.mark.parametrize("lost", [1, 40])
def test_one_line_feed_without_its_carriage_return_is_no_text_mode(tmp_path, lost):
    data = WITH_TEN.replace(b"\n", b"\r\n", WITH_TEN.count(b"\n") - lost)
    assert [one.code for one in found_in(tmp_path, data)] != ["text_mode"]
