"""All values of a tensor as one array: a view of the file where that is what is stored, else decoded in chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weightmap import telemetry
from weightmap.asked import converts, dtype_asked
from weightmap.reading.elements import Elements, StoredElements
from weightmap.reading.sweep import Meter, Progress, Work, sweep
from weightmap.reading.told import decoding
from weightmap.types.base import StoredType
from weightmap.types.workspace import Workspace


def decoded(
    elements: Elements,
    dtype: DTypeLike | None = None,
    *,
    threads: int | None = None,
    copy: bool = False,
    progress: Progress | None = None,
) -> NDArray[Any]:
    """Values in `elements.shape`; see `Tensor.array` for when they are a view. TypeError for a dtype that loses kinds."""
    wanted = dtype_asked(dtype)
    view = elements.type.view_dtype() if isinstance(elements, StoredElements) else None
    if view is not None and (wanted is None or wanted == view):
        assert isinstance(elements, StoredElements)
        if not copy and elements.source.mapped:
            return elements.view(view)
        out = np.empty(elements.shape, view)
        _copy_stored(elements, out, threads, Meter(progress, elements.count))
        out.flags.writeable = copy
        return out
    wanted = elements.value if wanted is None else wanted
    if view is not None and view.kind in "iu" and wanted.kind in "iu":
        assert isinstance(elements, StoredElements)
        elements = elements.as_stored(view)
    if not converts(elements.value, wanted):
        raise TypeError(f"values of dtype {elements.value} do not convert to {wanted} without losing what they are")
    out = np.empty(elements.shape, wanted)
    if telemetry.active is None:
        _decode(elements, out.reshape(-1), threads, Meter(progress, elements.count))
    else:
        with decoding(elements, elements.count, wanted):
            _decode(elements, out.reshape(-1), threads, Meter(progress, elements.count))
    out.flags.writeable = copy
    return out


def converted_from(type: StoredType) -> np.dtype[Any]:
    """What values of this type are converted from: integers as they are stored, anything else as it is decoded."""
    stored = type.view_dtype()
    return stored if stored is not None and stored.kind in "iu" else type.value


def _copy_stored(elements: StoredElements, out: NDArray[Any], threads: int | None, meter: Meter) -> None:
    """The stored bytes as they are, through the descriptor."""
    flat, size, offset = out.reshape(-1).view(np.uint8), elements.type.bytes, elements.record.offset

    def copy(start: int, stop: int) -> None:
        elements.source.read_into(offset + start * size, flat[start * size : stop * size])

    sweep(elements.count, elements.chunk(), lambda _: copy, threads=threads, meter=meter)


def _decode(elements: Elements, out: NDArray[Any], threads: int | None, meter: Meter) -> None:
    """Fill the flat `out`, converting where its dtype is another than that of the values."""

    def worker(work: Workspace) -> Work:
        def straight(start: int, stop: int) -> None:
            elements.read(start, stop, out[start:stop], work)

        def converted(start: int, stop: int) -> None:
            values = work.array("values", (stop - start,), elements.value)
            elements.read(start, stop, values, work)
            with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one, which is no news
                np.copyto(out[start:stop], values, casting="same_kind")

        return straight if out.dtype == elements.value else converted

    sweep(elements.count, elements.chunk(), worker, threads=threads, meter=meter)
