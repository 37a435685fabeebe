"""Looks at what is stored for what should not be there: NaN and Inf with their places, clipped half floats, zeros in a row.

One pass, and nothing is decoded that need not be. A block type has its scales looked at alone (`StoredType.scales`): only
blocks whose scale is not finite, or so large that products with it may not be, are decoded. Zeros in a row are looked for
among the bytes, as a download that lost a piece leaves them; a row that was quantized from zeros seldom has such bytes.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.zeros import Stretch, Watch
from weightmap.reading.elements import StoredElements
from weightmap.reading.sweep import Meter, Progress, Work, sweep
from weightmap.types.base import Blocks, StoredType
from weightmap.types.workspace import Workspace

SHOWN = 4  # places that are remembered
CHUNK_BYTES = 1 << 20
DECODED = 1 << 16  # elements decoded at a time
LARGEST_SCALE = np.float32(1e30)  # times the largest code of any type it is still finite
LARGEST_HALF = np.float32(65504)

Values = NDArray[np.floating]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something that is not finite lies.

    block    of the tensor, counted from 0; in plain types the element
    what     "NaN" or "Inf"
    scale    name of the block's scale that is it ("d", "dmin"), or None where a value is it
    """

    block: int
    what: str
    scale: str | None = None


@dataclass(slots=True)
class Soundness:
    """What a look at all of a tensor's values found.

    nan, inf    how many values are
    blocks      how many blocks hold such a value or such a scale; `places`, at most SHOWN, are the first of them
    zero        whether every value is zero (False without any value)
    stretches   zero bytes in a row, in rising order
    saturated   how many half floats are as large as these get, but finite
    """

    nan: int = 0
    inf: int = 0
    blocks: int = 0
    zero: bool = False
    saturated: int = 0
    places: tuple[Place, ...] = ()
    stretches: tuple[Stretch, ...] = ()


def soundness(elements: StoredElements, *, progress: Progress | None = None, threads: int | None = None) -> Soundness:
    """Look at every value. `progress(done, total)` counts elements; returning False raises Cancelled."""
    look = _Look(elements)
    blocks = elements.count // elements.grain if elements.grain else 0
    sweep(blocks, look.chunk, look.worker, threads=threads, meter=Meter(progress, blocks))
    return look.result()


class _Look:
    """What the threads of one look share."""

    def __init__(self, elements: StoredElements) -> None:
        self._elements, self._type = elements, elements.type
        self._zeros = Watch(elements.source, elements.record.offset, elements.record.nbytes)
        self.chunk = max(CHUNK_BYTES // self._type.bytes, 1)
        kind = self._type.value.kind
        self._judging = kind in "fc"
        self._half = self._type.dtype is not None and self._type.dtype.kind == "f" and self._type.bytes == 2
        self._lock = threading.Lock()
        self._live = False  # a value other than zero was met
        self._found = Soundness()

    def worker(self, work: Workspace) -> Work:
        """What one thread does with a chunk of blocks."""

        def look(first: int, last: int) -> None:
            blocks = self._elements.read_blocks(first, last, work)
            self._zeros.look(blocks.reshape(-1), first * self._type.bytes)
            found = self._judged(blocks, first, work) if self._judging else Soundness()
            if not self._live:
                self._live = self._alive(blocks, work)
            with self._lock:
                _add(self._found, found)

        return look

    def _judged(self, blocks: Blocks, first: int, work: Workspace) -> Soundness:
        if not self._type.scales:
            return self._plain(blocks, first, work)
        scales = self._type.block_scales(blocks, work)
        with np.errstate(invalid="ignore"):
            if scales.max() < LARGEST_SCALE and scales.min() > -LARGEST_SCALE:  # a NaN fails both
                return Soundness()
            odd = np.flatnonzero(~(np.abs(scales) < LARGEST_SCALE).all(axis=1))
        return _suspects(self._type, blocks[odd], scales[odd].copy(), first + odd, work)

    def _plain(self, blocks: Blocks, first: int, work: Workspace) -> Soundness:
        """Values that are looked at one by one."""
        found = Soundness()
        step = max(DECODED // self._type.elements, 1)
        for start in range(0, len(blocks), step):
            values = _decoded(self._type, blocks[start : start + step], work)
            with np.errstate(invalid="ignore"):
                low, high = values.min(), values.max()
                self._live = self._live or bool(low) or bool(high)
            if not (np.isfinite(low) and np.isfinite(high)):
                _add(found, _nonfinite(values, np.arange(first + start, first + start + len(values))))
            elif self._half and max(high, -low) >= LARGEST_HALF:
                found.saturated += int(np.count_nonzero(np.abs(values) >= LARGEST_HALF))
        return found

    def _alive(self, blocks: Blocks, work: Workspace) -> bool:
        """Whether one of the values is not zero: in nearly every tensor one of the first is."""
        step = max(DECODED // self._type.elements, 1)
        with np.errstate(invalid="ignore"):  # signalling NaN
            return any(
                bool(_decoded(self._type, blocks[start : start + step], work).any())
                for start in range(0, len(blocks), step)
            )

    def result(self) -> Soundness:
        """Everything, once all threads have ended."""
        found = self._found
        found.zero = not self._live and self._elements.count > 0
        if not found.zero:
            found.stretches = self._zeros.stretches()
        return found


def _decoded(type: StoredType, blocks: Blocks, work: Workspace) -> Values:
    """(blocks, values of each); complex values as two."""
    values = work.array("looked at", (len(blocks), type.elements), type.value)
    type.decode(np.ascontiguousarray(blocks), values, work)
    return values.view(values.real.dtype) if type.value.kind == "c" else values


def _suspects(
    type: StoredType, blocks: Blocks, scales: NDArray[np.float32], numbers: NDArray[np.int64], work: Workspace
) -> Soundness:
    """Blocks with an odd scale, (n, bytes), with their numbers: by the values that they give, and by the scale itself."""
    found = Soundness()
    step = max(DECODED // type.elements, 1)
    for start in range(0, len(blocks), step):
        piece = slice(start, start + step)
        values, odd = _decoded(type, blocks[piece], work), scales[piece]
        one = _nonfinite(values, numbers[piece])
        wrong = ~np.isfinite(odd)
        bad = wrong.any(axis=1) | ~np.isfinite(values).all(axis=1)
        one.blocks = int(np.count_nonzero(bad))
        places = [place for place in one.places if not wrong[np.searchsorted(numbers[piece], place.block)].any()]
        for row in np.flatnonzero(wrong.any(axis=1))[:SHOWN].tolist():
            column = int(np.argmax(wrong[row]))
            places.append(Place(int(numbers[start + row]), _name(odd[row, column]), type.scales[column][0]))
        one.places = tuple(sorted(places)[:SHOWN])
        _add(found, one)
    return found


def _nonfinite(values: Values, numbers: NDArray[np.int64]) -> Soundness:
    """What is not finite among the values (blocks, elements) of blocks with these numbers."""
    finite = np.isfinite(values)
    rows = np.flatnonzero(~finite.all(axis=1))
    nan = int(np.count_nonzero(np.isnan(values)))
    inf = values.size - int(np.count_nonzero(finite)) - nan
    places = tuple(Place(int(numbers[row]), _name(values[row][~finite[row]][0])) for row in rows[:SHOWN].tolist())
    return Soundness(nan, inf, len(rows), places=places)


def _name(number: np.floating) -> str:
    return "NaN" if np.isnan(number) else "Inf"


def _add(total: Soundness, more: Soundness) -> None:
    total.nan, total.inf, total.blocks = total.nan + more.nan, total.inf + more.inf, total.blocks + more.blocks
    total.saturated += more.saturated
    if more.places:
        total.places = tuple(sorted((*total.places, *more.places))[:SHOWN])
