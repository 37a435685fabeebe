"""How decoders get at the fields of a block: columns of the byte matrix, brought into contiguous scratch memory first.

A block is short and its fields lie at odd places, so working on slices of rows would spend its time on starting loops.
Copying a field's columns as a few wide items costs little; after that, arithmetic runs over the whole chunk at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from weightmap.types.workspace import Workspace

INDICES = 1 << 14  # 128 KiB of indices

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

Decode = TypeVar("Decode", bound=Callable[..., None])


def quiet(decode: Decode) -> Decode:
    """Decorates a `decode`: scales of a damaged file are NaN or Inf, and products with them are no news to numpy's user."""

    @wraps(decode)
    def without_warnings(*args: Any, **kwargs: Any) -> None:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            decode(*args, **kwargs)

    return cast(Decode, without_warnings)


def column(blocks: Bytes, offset: int, dtype: str) -> NDArray[Any]:
    """The field at `offset` of every block as a strided, possibly misaligned view (n, 1) of `dtype`."""
    return blocks[:, offset : offset + np.dtype(dtype).itemsize].view(dtype)


def half(blocks: Bytes, offset: int, work: Workspace, name: str) -> Floats:
    """The little-endian fp16 field at `offset` of every block, widened exactly: float32 (n, 1) in the workspace."""
    out = work.array(name, (len(blocks), 1), np.float32)
    out[...] = column(blocks, offset, "<f2")
    return out


def gathered(blocks: Bytes, offset: int, width: int, work: Workspace, name: str) -> Bytes:
    """`width` bytes from `offset` of every block, contiguous: uint8 (n, width) in the workspace."""
    out = work.array(name, (len(blocks), width), np.uint8)
    item = f"V{width}"
    out.view(item)[...] = blocks[:, offset : offset + width].view(item)
    return out


def looked_up(table: NDArray[Any], codes: NDArray[Any], out: NDArray[Any], work: Workspace) -> None:
    """Write table[code] for each code, 16 Ki of them at a time: numpy wants 64-bit indices, which would crowd the cache.

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
