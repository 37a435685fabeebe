"""Scratch memory of one thread, reused from chunk to chunk: fresh pages cost more than a whole decode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Workspace:
    """Lends arrays by name. An array is valid until the same name is asked for again; never share one between threads."""

    def __init__(self) -> None:
        self._pools: dict[str, NDArray[np.uint8]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An uninitialised C-contiguous array of this shape and dtype, 64-byte aligned; its memory is kept for next time."""
        kind = np.dtype(dtype)
        nbytes = kind.itemsize
        for n in shape:
            nbytes *= n
        pool = self._pools.get(name)
        if pool is None or pool.nbytes < nbytes:
            raw = np.empty(nbytes + 64, np.uint8)
            start = -raw.ctypes.data % 64
            pool = self._pools[name] = raw[start : start + nbytes]
        return pool[:nbytes].view(kind).reshape(shape)
