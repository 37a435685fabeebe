"""Writes the values of one tensor as numpy's .npy or as CSV, piece by piece, so that no tensor is held whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from weightmap.asked import tensor_asked
from weightmap.errors import Cancelled
from weightmap.reading.sweep import Progress

if TYPE_CHECKING:
    from weightmap.composed import Composed
    from weightmap.tensor import Tensor

Kind = Literal["npy", "csv"]
Place = tuple[int | slice, ...]

PIECE = 1 << 20  # elements decoded at a time
LINES = 1 << 16  # elements that become text at a time


def write_values(
    tensor: Tensor | Composed, file: BinaryIO, kind: Kind = "npy", *, progress: Progress | None = None
) -> np.dtype[Any]:
    """Write all values of a tensor, or of a weight that lies in several, to a file that is open for writing bytes.

    npy  the array in C order. The dtype is that of the values in this machine's byte order; float32 for what .npy has no
         dtype for (bfloat16, float8)
    csv  ASCII, a line (CRLF) for each row of the last axis, in C order; a line holds one value where there is one axis. Numbers
         are as short as they can be read back exactly; nan, inf and -inf are words; complex numbers are like (1+2j)

    `progress(done, total)` counts elements; returning False raises Cancelled. Gives back the dtype of the values. Raises what
    reading the tensor raises, OSError where the file cannot be written, ValueError for another kind, and TypeError for a path.
    """
    if kind not in ("npy", "csv"):
        raise ValueError(f'kind must be "npy" or "csv"; got {kind!r}')
    if not hasattr(file, "write"):
        raise TypeError(f"values are written to a file opened with mode 'wb'; got {type(file).__name__}")
    tensor_asked(tensor, "write_values")
    dtype = stored_dtype(tensor)
    if kind == "npy":
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": tensor.shape}
        np.lib.format.write_array_header_1_0(file, header)
    row = tensor.shape[-1] if len(tensor.shape) > 1 else 1
    done = 0
    for place in pieces(tensor.shape, PIECE if kind == "npy" else LINES):
        values = np.ascontiguousarray(np.asarray(tensor[place or ...], dtype=dtype))
        file.write(values.data if kind == "npy" else _lines(values.reshape(-1), done, row))
        done += values.size
        if progress is not None and progress(done, tensor.count) is False:
            raise Cancelled
    return dtype


def stored_dtype(tensor: Tensor | Composed) -> np.dtype[Any]:
    """The dtype that is written for a tensor."""
    dtype: np.dtype[Any] = tensor[tuple(slice(0, 1) for _ in tensor.shape) or ...].dtype
    plain = dtype.isbuiltin == 1 or not dtype.isnative  # bfloat16 and float8 come from a package of their own
    return dtype.newbyteorder("=") if plain else np.dtype(np.float32)


def pieces(shape: tuple[int, ...], limit: int = PIECE) -> Iterator[Place]:
    """Places that cover an array in C order, each with at most `limit` elements."""
    if not math.prod(shape):
        return
    if not shape:
        yield ()
        return
    beneath = math.prod(shape[1:])
    if beneath > limit:
        for index in range(shape[0]):
            for place in pieces(shape[1:], limit):
                yield (index, *place)
        return
    step = limit // beneath
    for start in range(0, shape[0], step):
        yield (slice(start, min(start + step, shape[0])),)


def _lines(values: NDArray[Any], done: int, row: int) -> bytes:
    """Values as text, each followed by a comma, or by the end of its line: `done` values came before, lines hold `row`."""
    short = values.dtype.kind in "fc" and values.dtype.itemsize <= 4 * (1 + (values.dtype.kind == "c"))
    # numpy writes small floats at their own shortest, Python at that of the doubles that they become
    words = values.astype("U64").tolist() if short else [str(value) for value in values.tolist()]
    parts = [word + "," for word in words]
    for at in range(row - done % row - 1, len(parts), row):
        parts[at] = words[at] + "\r\n"
    return "".join(parts).encode("ascii")
