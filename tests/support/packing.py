"""Packs codes as quantizers do, bit by bit, whole tensors at once: nothing of the product's arithmetic is used."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def bits_of(codes: Array, bits: int) -> Array:
    """The bits of codes one after the other along the last axis, lowest first."""
    spread = codes[..., None].astype(np.uint32) >> np.arange(bits, dtype=np.uint32) & 1
    return spread.astype(np.uint8).reshape(*codes.shape[:-1], -1)


def words(codes: Array, bits: int) -> Array:
    """A dense stream of codes along the last axis in words of 32 bits, int32."""
    stream = bits_of(codes, bits)
    room = [(0, 0)] * (stream.ndim - 1) + [(0, -stream.shape[-1] % 32)]
    packed = np.packbits(np.pad(stream, room), axis=-1, bitorder="little")
    return np.ascontiguousarray(packed).view("<i4")


def down(codes: Array, bits: int) -> Array:
    """The same down the axis before the last."""
    return np.ascontiguousarray(words(np.swapaxes(codes, -1, -2), bits).swapaxes(-1, -2))


def aligned(codes: Array, bits: int) -> Array:
    """As many codes as fit into each word, the rest of its bits zero: int32."""
    per = 32 // bits
    room = [(0, 0)] * (codes.ndim - 1) + [(0, -codes.shape[-1] % per)]
    groups = np.pad(codes, room).astype(np.uint64).reshape(*codes.shape[:-1], -1, per)
    shifted = groups << (bits * np.arange(per)).astype(np.uint64)
    return shifted.sum(axis=-1).astype(np.uint32).view(np.int32)


AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def awq(codes: Array) -> Array:
    """Nibbles along the last axis in AWQ's order, int32."""
    groups = codes.reshape(*codes.shape[:-1], -1, 8)[..., AWQ_ORDER]
    return words(groups.reshape(codes.shape), 4)


def repeated(numbers: Array, size: int, columns: int) -> Array:
    """Each number `size` times along the last axis, cut to so many columns."""
    return np.repeat(numbers, size, axis=-1)[..., :columns]
