"""Every block type against the decoders of ggml: gguf-py in Python, libgguf in C. What neither decodes is worked out here by
the rule, one element at a time."""

from __future__ import annotations

import struct
import zlib

import gguf
import libgguf
import numpy as np
import pytest
from support.blocks import decoded, different, finite_blocks, random_blocks

from weightmap.types.registry import BUILT_IN, by_name

BLOCKS = [type for type in BUILT_IN if type.id is not None and type.elements > 1]
MAKERS = [random_blocks, finite_blocks]

NOT_IN_GGUF_PY = {"Q8_1", "Q8_K", "Q1_0", "Q2_0"}
NOT_IN_LIBGGUF = {"Q8_1", "Q8_K", "Q2_0"}


def seed(name: str) -> int:
    return zlib.crc32(name.encode())


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("type", [t for t in BLOCKS if t.name not in NOT_IN_GGUF_PY], ids=lambda t: t.name)
def test_equals_gguf_py(type, make):
    blocks = make(type, 2**17 // type.elements, seed(type.name))
    with np.errstate(all="ignore"):
        expected = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType(type.id))
    assert different(decoded(type, blocks), expected).size == 0


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("type", [t for t in BLOCKS if t.name not in NOT_IN_LIBGGUF], ids=lambda t: t.name)
def test_equals_the_c_code(type, make):
    blocks = make(type, 2**17 // type.elements, 1 + seed(type.name))
    expected = np.empty(len(blocks) * type.elements, np.float32)
    libgguf.dequantize_rows_into_raw(type.id, blocks.reshape(-1), expected, 1, expected.size)
    assert different(decoded(type, blocks), expected).size == 0


def q8_1(block: bytes) -> list[np.float32]:
    d = np.float32(np.frombuffer(block, "<f2", 1)[0])
    return [np.float32(q) * d for q in struct.unpack("<4x32b", block)]


def q8_k(block: bytes) -> list[np.float32]:
    d = np.frombuffer(block, "<f4", 1)[0]
    return [d * np.float32(q) for q in struct.unpack("<4x256b32x", block)]


def q1_0(block: bytes) -> list[np.float32]:
    d = np.float32(np.frombuffer(block, "<f2", 1)[0])
    return [d if block[2 + e // 8] >> e % 8 & 1 else -d for e in range(128)]


def q2_0(block: bytes) -> list[np.float32]:
    d = np.float32(np.frombuffer(block, "<f2", 1)[0])
    return [np.float32((block[2 + e // 4] >> 2 * (e % 4) & 3) - 1) * d for e in range(64)]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("rule", [q8_1, q8_k, q1_0, q2_0], ids=lambda rule: rule.__name__)
def test_equals_the_rule(rule, make):
    type = by_name(rule.__name__.upper())
    blocks = make(type, 300, seed(type.name))
    with np.errstate(all="ignore"):
        expected = np.array([rule(block.tobytes()) for block in blocks], np.float32)
    assert different(decoded(type, blocks), expected).size == 0
