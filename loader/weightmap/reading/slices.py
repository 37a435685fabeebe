"""Indexing a tensor as numpy would, while reading only the blocks that are touched."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap import telemetry
from weightmap.reading.elements import Elements, StoredElements
from weightmap.reading.sweep import workspace
from weightmap.reading.told import decoding
from weightmap.types.workspace import Workspace


def taken(elements: Elements, key: Any, *, copy: bool = False) -> Any:
    """`values[key]` for ints, slices and one `...`. A read-only view where stored plainly, else a new read-only array.

    With `copy` never a view: what is stored plainly is read as well, so that the file may shrink meanwhile.

    As in numpy a full set of ints gives a scalar. Raises IndexError and TypeError as numpy does.
    """
    parts, ellipsis = _full_key(key, elements.shape)
    if isinstance(elements, StoredElements) and (dtype := elements.type.view_dtype()) is not None:
        if copy or not elements.source.mapped:
            return _taken(elements.as_stored(dtype), parts, ellipsis)
        picked = elements.view(dtype)[key]
        if isinstance(picked, np.ndarray):
            picked.flags.writeable = False
        return picked
    return _taken(elements, parts, ellipsis)


def _taken(elements: Elements, parts: list[int | tuple[int, int, int]], ellipsis: bool) -> Any:
    """The same, read: one int or (start, stop, step) per axis."""
    spans = [_span(part) for part in parts]
    if telemetry.active is None:
        box = _read_box(elements, spans)
    else:
        with decoding(elements, math.prod(map(len, spans)), elements.value):
            box = _read_box(elements, spans)
    # ints drop their axis, negative steps turn it round: left to numpy, on what was read
    flips = tuple(0 if isinstance(part, int) else slice(None, None, -1 if part[2] < 0 else 1) for part in parts)
    values = box[(*flips, ...) if ellipsis else flips]
    if isinstance(values, np.ndarray):
        values.flags.writeable = False
    return values


def flat_index(index: Sequence[int], shape: tuple[int, ...]) -> int:
    """Position in C order of the element at one index per axis; negative ones count from the end. IndexError outside."""
    if len(index) != len(shape):
        raise IndexError(f"{len(index)} indices for {len(shape)} axes")
    flat = 0
    for axis, (at, size) in enumerate(zip(index, shape, strict=True)):
        flat = flat * size + _checked(at, size, axis)
    return flat


def _full_key(key: Any, shape: tuple[int, ...]) -> tuple[list[int | tuple[int, int, int]], bool]:
    """One int or (start, stop, step) per axis, checked against the shape; and whether there was an ellipsis."""
    given = list(key) if isinstance(key, tuple) else [key]
    dots = [at for at, part in enumerate(given) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = len(shape) - (len(given) - len(dots))
    if missing < 0:
        raise IndexError(
            f"too many indices: the tensor has {len(shape)} axes, but {len(given) - len(dots)} were indexed"
        )
    if missing or dots:
        at = dots[0] if dots else len(given)
        given[at : at + len(dots)] = [slice(None)] * missing
    parts = [
        part.indices(size) if isinstance(part, slice) else _checked(part, size, axis)
        for axis, (part, size) in enumerate(zip(given, shape, strict=True))
    ]
    return parts, bool(dots)


def _checked(part: Any, size: int, axis: int) -> int:
    several = isinstance(part, np.ndarray) and part.ndim > 0
    if isinstance(part, bool | np.bool_) or part is None or several or not hasattr(part, "__index__"):
        raise TypeError(
            f"only integers, slices and an ellipsis index a tensor; got {type(part).__name__} for axis {axis}"
        )
    at = operator.index(part)
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {size}")
    return at + size if at < 0 else at


def _span(part: int | tuple[int, int, int]) -> range:
    """The indices along one axis, rising."""
    if isinstance(part, int):
        return range(part, part + 1)
    picked = range(*part)
    return picked if part[2] > 0 else picked[::-1]


def _read_box(elements: Elements, spans: list[range]) -> NDArray[Any]:
    """The outer product of rising indices per axis, as a new array of that shape."""
    box = np.empty(tuple(len(span) for span in spans), elements.value)
    if not box.size:
        return box
    starts, length, step = _runs(elements, spans)
    out = box.reshape(len(starts), -1)
    with workspace() as work:
        if step == 1 and isinstance(starts, range) and elements.gather_rows(starts, length, out, work):
            return box
        places = np.array(starts, np.int64)
        if step == 1:
            elements.gather(places, length, out, work)
        else:
            _read_stepped(elements, places, step, out, work)
    return box


def _read_stepped(elements: Elements, starts: NDArray[np.int64], step: int, out: NDArray[Any], work: Workspace) -> None:
    """Every `step`-th element from each start on, by way of runs that hold them: `out` is (len(starts), how many)."""
    wide = max(elements.chunk() // step, 1)
    for left in range(0, out.shape[1], wide):
        right = min(left + wide, out.shape[1])
        length = (right - left - 1) * step + 1
        group = max(elements.chunk() // length, 1)
        for at in range(0, len(starts), group):
            piece = starts[at : at + group] + left * step
            values = work.array("stepped", (len(piece), length), elements.value)
            elements.gather(piece, length, values, work)
            np.copyto(out[at : at + group, left:right], values[:, ::step])


def _runs(elements: Elements, spans: list[range]) -> tuple[range | NDArray[np.int64], int, int]:
    """(flat start of each run, its length, step within it): few long runs where axes are taken whole."""
    starts: range | NDArray[np.int64] = range(1)
    length, step, stride = 1, 1, 1
    for axis in reversed(range(len(spans))):
        span, size = spans[axis], elements.shape[axis]
        if isinstance(starts, range) and len(starts) == 1:
            at = starts.start + span.start * stride
            whole = length == stride  # everything so far is one run without a gap
            if whole and step == 1 and (span.step == 1 or len(span) == 1):
                starts, length = range(at, at + 1), len(span) * stride
            elif whole and stride == 1 and length == 1 and 1 < span.step < 2 * elements.grain:
                starts, length, step = range(at, at + 1), span[-1] - span.start + 1, span.step
            else:
                starts = range(at, at + len(span) * span.step * stride, span.step * stride)
        else:
            along = np.arange(span.start, span.stop, span.step, dtype=np.int64) * stride
            starts = (along[:, None] + np.array(starts, np.int64)).reshape(-1)
        stride *= size
    return starts, length, step
