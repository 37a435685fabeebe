"""A source in memory, for headers that no test wants to write to a disk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weightmap.source.byte_source import ByteSource


class MemorySource(ByteSource):
    """Bytes as a ByteSource; counts what is read."""

    mapped, notes = True, ()

    def __init__(self, data: bytes, path: str = "memory.gguf") -> None:
        self.path, self.size = path, len(data)
        self.bytes_read = 0
        self._data = np.frombuffer(data, np.uint8)

    def read(self, offset: int, nbytes: int) -> bytes:
        assert offset >= 0 and nbytes >= 0 and offset + nbytes <= self.size, "a read past the end"
        self.bytes_read += nbytes
        return self._data[offset : offset + nbytes].tobytes()

    def read_into(self, offset: int, out: np.ndarray) -> None:
        out[:] = np.frombuffer(self.read(offset, len(out)), np.uint8)

    def read_rows(self, offsets: Sequence[int], out: np.ndarray) -> None:
        for offset, row in zip(offsets, out, strict=True):
            self.read_into(offset, row)

    def view(self, offset: int, nbytes: int) -> np.ndarray:
        return self._data[offset : offset + nbytes]

    def private(self, offset: int, nbytes: int) -> np.ndarray:
        return self._data[offset : offset + nbytes].copy()

    def changed(self) -> None:
        return None

    def close(self) -> int:
        return 0
