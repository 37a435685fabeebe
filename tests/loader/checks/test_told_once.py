"""A look at all values says of one cause no more than one finding, however many tensors and weights it reaches."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from support.build import safetensors

import weightmap

CODES = np.random.default_rng(4).integers(1, 0x70, 64 * 96).astype("u1").tobytes()


def scaled(name, scale=0.001, codes=CODES):
    return [
        (f"{name}.weight", "F8_E4M3", (64, 96), codes),
        (f"{name}.weight_scale", "F32", (), struct.pack("<f", scale)),
    ]


def looked(tmp_path, *tensors):
    """The findings of a model of four scaled weights, of which the last ones are given; statuses of its weights."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors([*scaled("a"), *scaled("b"), *tensors]))
    verdict = weightmap.validate(path, values=True)
    return [one for one in verdict.findings if one.severity != "info"], {
        name: str(s) for name, *_, s in verdict.composed
    }


@pytest.mark.parametrize("scale", [np.nan, np.inf, 0.0])
def test_a_scale_that_is_no_number(tmp_path, scale):
    [one], statuses = looked(tmp_path, *scaled("c", scale), *scaled("d"))
    assert (one.code, one.tensor) == ("odd_scale", "c.weight_scale")
    assert (statuses["c.weight"], statuses["d.weight"]) == ("warning", "ok")


@pytest.mark.parametrize(("codes", "code"), [(bytes(len(CODES)), "all_zero"), (b"\x7f" + CODES[1:], "non_finite")])
def test_codes_that_are_none(tmp_path, codes, code):
    [one], statuses = looked(tmp_path, *scaled("c", codes=codes), *scaled("d"))
    assert (one.code, one.tensor, one.offset is None) == (code, "c.weight", False)
    assert (statuses["c.weight"], statuses["d.weight"]) == ("warning", "ok")


def test_weights_that_are_all_too_large(tmp_path):
    [one], statuses = looked(tmp_path, *scaled("c", 1e6), *scaled("d", 1e7))
    assert (one.code, one.tensor) == ("odd_scale", "c.weight")
    assert one.message.endswith(" 1 more weight is outside as well.")
    assert (statuses["c.weight"], statuses["d.weight"]) == ("warning", "warning")


def test_two_causes_are_two_findings(tmp_path):
    found, _ = looked(tmp_path, *scaled("c", np.nan), *scaled("d", codes=b"\x7f" + CODES[1:]))
    assert [(one.code, one.tensor) for one in found] == [("odd_scale", "c.weight_scale"), ("non_finite", "d.weight")]


def test_scales_that_text_mode_shifted_are_not_judged(tmp_path):
    path = tmp_path / "model.safetensors"
    codes = b"\n\x7f" * (64 * 48)
    tensors = [x for name in "abcd" for x in scaled(name, codes=codes)]
    path.write_bytes(safetensors(tensors).replace(b"\n", b"\r\n"))
    for values in (False, True):
        assert [one.code for one in weightmap.validate(path, values=values).findings] == ["text_mode"]


def test_a_part_of_a_weight_that_cannot_be_read_is_said_of_it_alone(tmp_path):
    data = safetensors([*scaled("a"), *scaled("b")])
    path = tmp_path / "model.safetensors"
    path.write_bytes(data.replace(b'"F32"', b'"F33"', 1))
    verdict = weightmap.validate(path)
    assert [(one.code, one.tensor) for one in verdict.findings] == [("unsupported_dtype", "a.weight_scale")]
    assert {name: str(status) for name, *_, status in verdict.composed} == {"a.weight": "error", "b.weight": "ok"}
