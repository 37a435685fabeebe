"""Elements in a file of their own, for tests of what reads elements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from weightmap.formats.layout import TensorRecord
from weightmap.reading.elements import StoredElements
from weightmap.source.file import FileSource
from weightmap.types.registry import by_name


def stored(
    folder: Path, name: str, values: np.ndarray[Any, Any], kind: str = "F32", shape: tuple[int, ...] | None = None
) -> StoredElements:
    """The bytes of an array as a tensor of a stored type, in the array's shape or another one."""
    path = folder / f"{name}.bin"
    path.write_bytes(np.ascontiguousarray(values).tobytes())
    known = by_name(kind)
    assert known is not None
    return StoredElements(FileSource(path), TensorRecord(name, shape or values.shape, known, 0, 0, values.nbytes, 0))
