"""Scratch memory of one thread, reused from chunk to chunk: fresh pages cost more than a whole decode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SHAPES = 256  # arrays remembered; a pass uses a few dozen


class Workspace:
    """Lends arrays by name. An array is valid until the same name is asked for again; never share one between threads.

    nbytes  how much memory it holds: for each name as much as was ever asked for at a time
    """

    def __init__(self) -> None:
        self.nbytes = 0
        self._pools: dict[str, NDArray[np.uint8]] = {}
        self._arrays: dict[tuple[str, tuple[int, ...], Any], NDArray[Any]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: str | type | np.dtype[Any]) -> NDArray[Any]:
        """An uninitialised C-contiguous array of this shape and dtype, 64-byte aligned; its memory is kept for next time."""
        key = name, shape, dtype
        array = self._arrays.get(key)
        if array is None:
            if len(self._arrays) >= SHAPES:
                self._arrays.clear()
            array = self._arrays[key] = self._made(name, shape, np.dtype(dtype))
        return array

    def _made(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        nbytes = dtype.itemsize
        for n in shape:
            nbytes *= n
        pool = self._pools.get(name)
        if pool is None or pool.nbytes < nbytes:
            self._arrays.clear()  # or arrays in the old memory would keep it alive
            self.nbytes += nbytes - (0 if pool is None else pool.nbytes)
            raw = np.empty(nbytes + 64, np.uint8)
            start = -raw.ctypes.data % 64
            pool = self._pools[name] = raw[start : start + nbytes]
        return pool[:nbytes].view(dtype).reshape(shape)
