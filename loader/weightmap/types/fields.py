"""How decoders get at the fields of a block: columns of the byte matrix, brought into contiguous scratch memory first.

A block is short and its fields lie at odd places, so working on slices of rows would spend its time on starting loops.
Copying a field's columns as a few wide items costs little; after that, arithmetic runs over the whole chunk at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

INDICES = 1 << 16  # 512 KiB of indices
FEW = 1 << 12  # halves: for fewer, the table of all halves would only be fetched into the cache

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

Decode = TypeVar("Decode", bound=Callable[..., Any])


def quiet(decode: Decode) -> Decode:
    """Decorates what computes with scales: those of a damaged file are NaN or Inf, which is no news to numpy's user."""

    @wraps(decode)
    def without_warnings(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return decode(*args, **kwargs)

    return cast(Decode, without_warnings)


def column(blocks: Bytes, offset: int, dtype: str) -> NDArray[Any]:
    """The field at `offset` of every block as a strided, possibly misaligned view (n, 1) of `dtype`."""
    return blocks[:, offset : offset + np.dtype(dtype).itemsize].view(dtype)


@cache
def number(value: int, dtype: str = "u1") -> NDArray[Any]:
    """A whole number as an array of no dimensions: a ufunc starts on it in half the time that a Python number takes."""
    array = np.array(value, dtype)
    array.flags.writeable = False
    return array


@cache
def halves() -> Floats:
    """(65536,): the value of every half by its bits, which is quicker to look up than numpy is to convert."""
    with np.errstate(invalid="ignore"):  # signalling NaN
        return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


def half(blocks: Bytes, offset: int, work: Workspace, name: str) -> Floats:
    """The little-endian fp16 field at `offset` of every block, widened exactly: float32 (n, 1) in the workspace."""
    out = work.array(name, (len(blocks), 1), np.float32)
    widened(column(blocks, offset, "<u2"), out, work)
    return out


def widened(bits: NDArray[np.uint16], out: Floats, work: Workspace) -> None:
    """Write the value of each half to `out`, of the same shape: few are converted, many looked up in a table that then pays."""
    if bits.size > FEW:
        looked_up(halves(), bits, out, work)
        return
    with np.errstate(invalid="ignore"):  # signalling NaN
        np.copyto(out, bits.view("<f2"))


def scaled(codes: NDArray[Any], scales: Floats, out: Floats) -> None:
    """Write codes * scales to `out` (n, elements): the scales (n, groups) share out the elements of a block evenly.

    `codes` are numbers of any kind, as many as `out` has and in their order. They are widened first: numpy would do that in
    small pieces while it multiplies, and copy the scales for each.
    """
    np.copyto(out, codes.reshape(out.shape))
    multiplied(scales, out)


def multiplied(scales: Floats, out: Floats) -> None:
    """Multiply `out` with scales (n, groups) in place, shared out as in `scaled`."""
    grouped = by_group(out, scales)
    np.multiply(grouped, scales.reshape(-1, 1), out=grouped)


def raised(minima: Floats, out: Floats) -> None:
    """Add minima (n, groups) to `out` in place, shared out as in `scaled`."""
    grouped = by_group(out, minima)
    np.add(grouped, minima.reshape(-1, 1), out=grouped)


def lowered(minima: Floats, out: Floats) -> None:
    """Subtract minima (n, groups) from `out` in place, shared out as in `scaled`."""
    grouped = by_group(out, minima)
    np.subtract(grouped, minima.reshape(-1, 1), out=grouped)


def by_group(out: Floats, values: Floats) -> Floats:
    """The elements of `out` (n, elements) in rows, one for each of the values (n, groups)."""
    return out.reshape(-1, out.shape[1] // values.shape[1])


def products(codes: NDArray[Any], d: Floats, work: Workspace, name: str) -> Floats:
    """Whole numbers (..., n, groups) times the half of their block (..., n, 1): float32, in the workspace."""
    out = work.array(name, codes.shape, np.float32)
    np.multiply(codes, d, out=out)
    return out


def moved(source: Bytes, target: Bytes) -> None:
    """Copy rows of bytes (n, width) between places with any distance from row to row.

    As one item a row: numpy would spend more time on starting a loop for each row than on copying it. Of the kinds of items
    that it copies fast, it lets other threads run only with this one.
    """
    item = f"V{source.shape[1]}"
    target.view(item)[...] = source.view(item)


def moved_bits(packed: Bytes, left: int, mask: int, out: Bytes) -> None:
    """Write the bits of each byte to `out`, moved `left` (to the right where negative), those of `mask` alone.

    Rows are whole words of 64 bits, and are shifted as such, which is quicker than bytes; what comes from the byte beside is
    never among the bits that stay.
    """
    words, target = packed.view("<u8"), out.view("<u8")
    if left:
        shift = np.left_shift if left > 0 else np.right_shift
        words = shift(words, number(abs(left), "<u8"), out=target)
    np.bitwise_and(words, number(mask * 0x0101010101010101, "<u8"), out=target)


def gathered(blocks: Bytes, offset: int, width: int, work: Workspace, name: str) -> Bytes:
    """`width` bytes from `offset` of every block, contiguous: uint8 (n, width) in the workspace."""
    out = work.array(name, (len(blocks), width), np.uint8)
    moved(blocks[:, offset : offset + width], out)
    return out


def spread(values: NDArray[Any], bits: int, lanes: int, work: Workspace, name: str) -> NDArray[Any]:
    """The `lanes` lowest fields of `bits` bits of each value, lowest first, moved apart: "<u8" words of so many equal lanes.

    Halving again and again: the upper half of the fields goes to the upper half of its room, for all halves at once.
    """
    words, part = work.array(name, values.shape, "<u8"), work.array(".spread", values.shape, "<u8")
    np.copyto(words, values)
    for distance, mask in _halvings(bits, lanes):
        np.left_shift(words, distance, out=part)
        np.bitwise_or(words, part, out=words)
        np.bitwise_and(words, mask, out=words)
    return words


@cache
def _halvings(bits: int, lanes: int) -> tuple[tuple[NDArray[Any], NDArray[Any]], ...]:
    """(how far to the left, which bits stay) for each step of `spread`."""
    steps, lane = [], 64 // lanes
    while lanes > 1:
        lanes //= 2
        mask = sum((1 << lanes * bits) - 1 << at for at in range(0, 64, lanes * lane))
        steps.append((number(lanes * (lane - bits), "<u8"), number(mask, "<u8")))
    return tuple(steps)


def looked_up(table: NDArray[Any], codes: NDArray[Any], out: NDArray[Any], work: Workspace) -> None:
    """Write table[code] for each code, 64 Ki of them at a time: numpy wants 64-bit indices, which would crowd the cache.

    `codes` and `out` are C-contiguous and hold equally many items; a code is never beyond the table.
    """
    source, target = codes.reshape(-1), out.reshape(-1)
    indices = work.array(".indices", (min(INDICES, source.size),), np.intp)
    for start in range(0, source.size, INDICES):
        piece = indices[: min(INDICES, source.size - start)]
        np.copyto(piece, source[start : start + INDICES], casting="unsafe")
        np.take(table, piece, out=target[start : start + INDICES], mode="clip")


def ml_dtype(name: str) -> np.dtype[Any] | None:
    """The dtype of this name in ml_dtypes; None where that package, or the type in it, is missing."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    there = getattr(ml_dtypes, name, None)
    return None if there is None else np.dtype(there)
