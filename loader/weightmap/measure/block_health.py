"""How sound the blocks of a tensor are: whether the codes that its bits allow are used, and whether the scales are numbers.

A quantizer that works well uses nearly all codes, the outermost seldom: the entropy of the codes comes near to their bits.
Scales that are NaN or Inf spoil whole blocks; zero or subnormal ones lose them. Of stacked experts each may fail alone.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.binning import Histogram
from weightmap.measure.block_scales import BlockScales
from weightmap.measure.blocks import coded
from weightmap.measure.histogram import histogram
from weightmap.reading.elements import StoredElements
from weightmap.reading.sweep import Meter, Progress, Work, sweep
from weightmap.types.base import Blocks
from weightmap.types.coded import CodedType
from weightmap.types.workspace import Workspace

MOST_EXPERTS = 1024  # each has counts of its own
_SMALLEST = {"<f2": 2.0**-14, "<f4": 2.0**-126, "E8M0": 2.0**-126}  # of normal numbers


@dataclass(frozen=True, slots=True, eq=False)
class BlockHealth:
    """The blocks of a tensor, or of one of its experts.

    expert         None for the whole tensor, else the index of its first axis
    codes          int64 (n,): how often each code comes up, from `first_code` on
    levels         float32 (n,), or (n, code_elements): what the codes stand for before the scale
    entropy        bits per code, None without any; `bits` is what it would be if all came up alike
    at_ends        share of elements at the lowest or the highest level; `ends` says which they are, in the shape of `levels`
    nan, inf, zero, subnormal  blocks of which a stored scale or minimum is NaN or Inf, of which the scale is zero or subnormal
    scale_min, scale_max, scale_mean  over the finite scales of sub-blocks
    scales         how they are distributed; None for experts, and where none is finite or all are the same
    experts        one entry per index of the first axis where the tensor has three axes and that is not longer than MOST_EXPERTS
    """

    expert: int | None
    blocks: int
    elements: int
    first_code: int
    codes: NDArray[np.int64] = field(repr=False)
    levels: NDArray[np.float32] = field(repr=False)
    ends: NDArray[np.bool_] = field(repr=False)
    entropy: float | None
    bits: float
    at_ends: float | None
    nan: int
    inf: int
    zero: int
    subnormal: int
    scale_min: float | None
    scale_max: float | None
    scale_mean: float | None
    scales: Histogram | None = None
    experts: tuple[BlockHealth, ...] = field(default=(), repr=False)


def block_health(
    elements: StoredElements, bins: int = 64, *, progress: Progress | None = None, threads: int | None = None
) -> BlockHealth:
    """Look at every block; see `Tensor.block_health`. `progress(done, total)` counts blocks, those of both passes."""
    type = coded(elements.type)
    blocks = elements.count // type.elements
    stacked = len(elements.shape) == 3 and 0 < elements.shape[0] <= MOST_EXPERTS and blocks % elements.shape[0] == 0
    number = elements.shape[0] if stacked and blocks else 1
    look = _Look(elements, type, number, blocks // number)
    meter = Meter(progress, 2 * blocks)
    sweep(blocks, max(elements.chunk() // type.elements, 1), look.worker, threads=threads, meter=meter)
    whole = look.health(slice(None), None)
    scales = None
    if whole.scale_min is not None and whole.scale_max is not None and whole.scale_min < whole.scale_max:
        groups = type.groups
        shown = None if progress is None else lambda done, _: progress(blocks + done // groups, 2 * blocks)
        limits = whole.scale_min, whole.scale_max
        scales = histogram(BlockScales(elements), bins, limits, progress=shown, threads=threads)
    else:
        meter.end()
    experts = tuple(look.health(slice(at, at + 1), at) for at in range(number)) if stacked and blocks else ()
    return replace(whole, scales=scales, experts=experts)


class _Look:
    """What the threads of one look share: a row for each expert."""

    def __init__(self, elements: StoredElements, type: CodedType, number: int, blocks: int) -> None:
        self._elements, self._type, self._blocks = elements, type, blocks
        self._levels = type.level_values()
        self._codes = np.zeros((number, len(self._levels)), np.int64)
        self._odd = np.zeros((number, 4), np.int64)  # NaN, Inf, zero, subnormal
        self._count = np.zeros(number, np.int64)
        self._sums: list[list[float]] = [[] for _ in range(number)]  # added up exactly: threads change no result
        self._low, self._high = np.full(number, np.inf), np.full(number, -np.inf)
        self._lock = threading.Lock()

    def worker(self, work: Workspace) -> Work:
        """What one thread does with a chunk of blocks."""

        def look(first: int, last: int) -> None:
            blocks = self._elements.read_blocks(first, last, work)
            while first < last:
                expert = first // self._blocks
                until = min(last, (expert + 1) * self._blocks)
                self._add(expert, blocks[: until - first], work)
                first, blocks = until, blocks[until - first :]

        return look

    def _add(self, expert: int, blocks: Blocks, work: Workspace) -> None:
        codes = _counted(self._type, blocks, len(self._levels), work)
        odd = _odd(self._type, blocks, work)
        scales = self._type.scaling(blocks, work).scales.reshape(-1)
        if not (np.isfinite(scales.min()) and np.isfinite(scales.max())):
            scales = scales[np.isfinite(scales)]
        with self._lock:
            self._codes[expert] += codes
            self._odd[expert] += odd
            if len(scales):
                self._count[expert] += len(scales)
                self._sums[expert].append(float(scales.sum(dtype=np.float64)))
                self._low[expert] = min(self._low[expert], float(scales.min()))
                self._high[expert] = max(self._high[expert], float(scales.max()))

    def health(self, which: slice, expert: int | None) -> BlockHealth:
        """What was found about one expert, or about all of them."""
        type, codes = self._type, self._codes[which].sum(axis=0)
        total, ends = int(codes.sum()), _ends(type, self._levels)
        nan, inf, zero, subnormal = self._odd[which].sum(axis=0).tolist()
        count = int(self._count[which].sum())
        per_code = ends if ends.ndim == 1 else ends.mean(axis=1)
        return BlockHealth(
            expert=expert,
            blocks=total * type.code_elements // type.elements,
            elements=total * type.code_elements,
            first_code=type.first_code,
            codes=codes,
            levels=self._levels,
            ends=ends,
            entropy=_entropy(codes, total),
            bits=math.log2(len(codes)),
            at_ends=float((codes * per_code).sum()) / total if total else None,
            nan=nan,
            inf=inf,
            zero=zero,
            subnormal=subnormal,
            scale_min=float(self._low[which].min()) if count else None,
            scale_max=float(self._high[which].max()) if count else None,
            scale_mean=math.fsum(one for sums in self._sums[which] for one in sums) / count if count else None,
        )


def _counted(type: CodedType, blocks: Blocks, number: int, work: Workspace) -> NDArray[np.int64]:
    codes = type.coding(blocks, work).codes
    wide = work.array("wide codes", codes.shape, np.intp)
    np.subtract(codes, type.first_code, out=wide, casting="unsafe", dtype=np.intp)
    return np.bincount(wide.reshape(-1), minlength=number)


def _odd(type: CodedType, blocks: Blocks, work: Workspace) -> NDArray[np.int64]:
    """How many blocks have a scale that is NaN, Inf, zero, subnormal. Those without a float look at what comes of the bits."""
    if type.scales:
        scales, kinds = type.block_scales(blocks, work), [kind for _, _, kind in type.scales]
    else:
        scales, kinds = type.scaling(blocks, work).scales, [""]
    smallest = _SMALLEST.get(kinds[0], 2.0**-14)
    own = np.abs(scales[:, :1] if type.scales else scales)  # a minimum of zero is nothing odd
    with np.errstate(invalid="ignore"):
        found: tuple[NDArray[Any], ...] = (
            np.isnan(scales),
            np.isinf(scales),
            own == 0,
            (own > 0) & (own < smallest) if type.scales else own < 0,
        )
    return np.array([int(np.count_nonzero(each.any(axis=1))) for each in found])


def _ends(type: CodedType, levels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which levels are at the end; magnitudes, whose signs are stored apart, have one end."""
    low, high = type.ends or (float(levels.min()), float(levels.max()))
    if type.code_elements > 1 and low >= 0:
        return levels >= high
    return (levels <= low) | (levels >= high)


def _entropy(codes: NDArray[np.int64], total: int) -> float | None:
    if not total:
        return None
    shares = codes[codes > 0] / total
    return max(float(-(shares * np.log2(shares)).sum()), 0.0)
