"""Small floats worked out from their definitions, one bit at a time: what decoders are held against."""

from __future__ import annotations

import numpy as np


def minifloat(code: int, exponent: int, mantissa: int, bias: int) -> float:
    """The value of a code of sign, exponent and mantissa bits where no code is set apart."""
    sign = -1.0 if code >> (exponent + mantissa) else 1.0
    power, fraction = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1
    if power == 0:
        return sign * fraction * 2.0 ** (1 - bias - mantissa)
    return sign * (1 + fraction / (1 << mantissa)) * 2.0 ** (power - bias)


E2M1 = np.array([minifloat(code, 2, 1, 1) for code in range(16)], np.float32)
E2M3 = np.array([minifloat(code, 2, 3, 1) for code in range(64)], np.float32)
E4M3 = np.array([np.nan if code & 127 == 127 else minifloat(code, 4, 3, 7) for code in range(256)], np.float32)
E8M0 = np.array([np.nan if code == 255 else 2.0 ** (code - 127) for code in range(256)], np.float32)


def low_first(codes: np.ndarray) -> np.ndarray:
    """4-bit codes (..., n) packed in pairs, the first in the low nibble: uint8 (..., n / 2)."""
    return (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.uint8)


def high_first(codes: np.ndarray) -> np.ndarray:
    """The same, the first in the high nibble."""
    return low_first(codes[..., ::-1])[..., ::-1]


def six_bits(codes: np.ndarray) -> np.ndarray:
    """6-bit codes (..., n) packed four in three bytes, the first in the lowest bits."""
    four = codes.reshape(*codes.shape[:-1], -1, 4).astype(np.uint32)
    word = four[..., 0] | four[..., 1] << 6 | four[..., 2] << 12 | four[..., 3] << 18
    return np.stack([word & 255, word >> 8 & 255, word >> 16], axis=-1).astype(np.uint8).reshape(*codes.shape[:-1], -1)


def grouped(scales: np.ndarray, group: int, width: int) -> np.ndarray:
    """A scale (..., groups) for each of `width` elements."""
    return np.repeat(scales, group, axis=-1)[..., :width]


def swizzled(scales: np.ndarray) -> np.ndarray:
    """Scales (rows, columns) in tiles of 128 × 4, padded with zeros."""
    rows, columns = scales.shape
    padded = np.zeros((-(-rows // 128) * 128, -(-columns // 4) * 4), scales.dtype)
    padded[:rows, :columns] = scales
    flat = np.zeros(padded.size, scales.dtype)
    for r in range(padded.shape[0]):
        for c in range(padded.shape[1]):
            tile = (r // 128) * (padded.shape[1] // 4) + c // 4
            flat[tile * 512 + (r % 32) * 16 + ((r % 128) // 32) * 4 + c % 4] = padded[r, c]
    return flat.reshape(padded.shape)


def hadamard(size: int) -> np.ndarray:
    """ComfyUI's matrix of a power of four times its root, float64: 1 or -1."""
    four = np.array([[1, 1, 1, -1], [1, 1, -1, 1], [1, -1, 1, 1], [-1, 1, 1, 1]], np.float64)
    whole = np.ones((1, 1))
    while len(whole) < size:
        whole = np.kron(whole, four)
    return whole
