"""A Dask array over one tensor: each chunk is decoded by the worker that computes with it, from the file that it maps."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from weightmap.api import Path
from weightmap.asked import converts, dtype_asked
from weightmap.distributed.handle import Handle, handle
from weightmap.errors import missing_package

_CHUNK = 1 << 24  # elements at most: 64 MiB of float32


def dask_array(path: Path, name: str, *, dtype: DTypeLike | None = None, chunks: Any = None) -> Any:
    """A `dask.array.Array` with the shape and values of `load_weights(path, dtype=dtype)[name]`.

    chunks  as Dask takes them. None makes chunks of whole rows, at most 64 MiB of float32 each; where a row alone is longer,
            it is cut between blocks. No block is then decoded twice

    Nothing is read before it is computed. Only the path, the fingerprint and the place of a chunk go to the workers; one that
    sees another file raises FileChangedError. Raises KeyError for an unknown name, what `weightmap.open` raises, and
    WeightFileError (code missing_package) without Dask.
    """
    try:
        import dask.array
    except ImportError as problem:
        raise missing_package("Dask arrays are made", "dask", "dask") from problem
    model = handle(path)
    tensor = model.weight(name)
    grain = tensor.elements().grain
    wanted = _dtype(tensor, dtype)
    split = dask.array.core.normalize_chunks(
        chunk_shape(tensor.shape, grain) if chunks is None else chunks, tensor.shape, dtype=wanted
    )
    token = dask.base.tokenize(model, name, wanted, split)
    return dask.array.map_blocks(
        chunk,
        model=model,
        name=f"weightmap-{token}",
        tensor=name,
        wanted=wanted,
        chunks=split,
        dtype=wanted,
        meta=np.empty((0,) * len(tensor.shape), wanted),
    )


def chunk(
    *, model: Handle, tensor: str, wanted: np.dtype[Any], block_info: dict[Any, dict[str, Any]] | None = None
) -> Any:
    """The values of one chunk, read where this runs."""
    assert block_info is not None
    place = tuple(slice(start, stop) for start, stop in block_info[None]["array-location"])
    return np.asarray(model.weight(tensor)[place or ...], wanted)


def chunk_shape(shape: tuple[int, ...], grain: int, most: int = _CHUNK) -> tuple[int, ...]:
    """The shape of a chunk with at most `most` elements: as many of the last axes whole as fit, some of the one before, one
    of each further one. The last axis is cut at multiples of `grain`, the elements of a block.
    """
    sizes = [1] * len(shape)
    for axis in reversed(range(len(shape))):
        beneath = prod(sizes[axis + 1 :])
        room = max(most // max(beneath, 1), 1)
        if axis == len(shape) - 1 and room < shape[axis]:
            room = max(room // grain, 1) * grain
        sizes[axis] = min(shape[axis], room)
        if sizes[axis] < shape[axis]:
            break
    return tuple(max(size, 1) for size in sizes)


def _dtype(tensor: Any, asked: DTypeLike | None) -> np.dtype[Any]:
    """The dtype of the values: what a slice of nothing has, unless another is asked for, as for `array(dtype)`."""
    stored: np.dtype[Any] = tensor[tuple(slice(0, 0) for _ in tensor.shape) or ...].dtype
    wanted = dtype_asked(asked)
    if wanted is None:
        return stored
    if not converts(stored, wanted):
        raise TypeError(f"values of dtype {stored} do not convert to {wanted} without losing what they are")
    return wanted
