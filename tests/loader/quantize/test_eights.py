"""Q8_1 and Q8_K, which no package that tests have can write: held against the reference's rule, a value at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weightmap.quantize.registry import ENCODERS
from weightmap.types.registry import by_name
from weightmap.types.workspace import Workspace

F = np.float32


def encoded(name, values):
    kind = by_name(name)
    blocks = np.empty((values.size // kind.elements, kind.bytes), np.uint8)
    ENCODERS[kind].encode(values.reshape(-1, kind.elements), blocks, Workspace())
    return blocks


def q8_1(values):
    largest = F(0)
    for value in values:
        largest = max(largest, abs(value))
    d = F(largest / F(127))
    factor = F(1) / d if d else F(0)
    codes = []
    for value in values:
        scaled = float(F(value * factor))
        codes.append(
            int(math.copysign(math.floor(abs(scaled) + 0.5), scaled))
        )  # halves away from zero; exact in doubles
    return np.float16(d).tobytes() + np.float16(F(sum(codes)) * d).tobytes() + np.array(codes, np.int8).tobytes()


def q8_k(values):
    largest = F(0)
    for value in values:
        if abs(value) > abs(largest):
            largest = value
    if not largest:
        return bytes(292)
    factor = F(-127) / largest
    codes = np.array([min(round(float(F(factor * value))), 127) for value in values], np.int8)  # halves to even
    sums = [sum(codes[at : at + 16].tolist()) for at in range(0, 256, 16)]
    return (F(1) / factor).tobytes() + codes.tobytes() + np.array(sums, "<i2").tobytes()


def values_of(name):
    rng = np.random.default_rng(11)
    if name == "laplace":
        return rng.laplace(0, 0.02, 2048).astype(F)
    if name == "whole numbers":
        return rng.integers(-127, 128, 2048).astype(F) / F(2)
    return np.repeat(np.array([0, -0.0, 3, -7.5, 1e-30, 1e30, -254, 127], F), 256)


@pytest.mark.parametrize("name", ["laplace", "whole numbers", "all the same"])
@pytest.mark.parametrize(("kind", "rule"), [("Q8_1", q8_1), ("Q8_K", q8_k)])
def test_equals_the_rule_of_the_reference(kind, rule, name):
    values = values_of(name)
    with np.errstate(over="ignore"):
        expected = [rule(row) for row in values.reshape(-1, by_name(kind).elements)]
    assert [block.tobytes() for block in encoded(kind, values)] == expected


def test_what_has_no_inverse():
    tiny = np.full(256, 1e-42, F)  # 127 of it are below the smallest normal number
    assert not encoded("Q8_K", tiny)[:, 4:].any()
    assert not encoded("Q8_1", tiny).any()
