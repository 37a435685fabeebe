"""Where the bars of a histogram stand: bins that have one centred on zero, and the number line that they lie on.

All arithmetic survives the extremes of float64: a range of ±1.7e308 whose width is no float, subnormals, and values that
differ in the last bit. Pictures are drawn in fractions of a span, so that no plot library ever meets such numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LARGEST = float(np.finfo(np.float64).max)
BARS_OF_A_CONSTANT = 21


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the number line, lo < hi; positions on it are fractions from 0 to 1."""

    lo: float
    hi: float

    @property
    def _shift(self) -> int:
        largest = max(abs(self.lo), abs(self.hi))
        return -60 if largest > 1e250 else 200 if largest < 1e-250 else 0

    @property
    def width(self) -> float:
        """Hi - lo, or the largest float where that is too wide to be one."""
        return min(self.hi - self.lo, LARGEST)

    def fraction(self, value: float) -> float:
        """Where a value lies: 0 at lo, 1 at hi, below 0 and above 1 outside."""
        lo, hi, at = (math.ldexp(x, self._shift) if math.isfinite(x) else x for x in (self.lo, self.hi, value))
        return (at - lo) / (hi - lo)

    def value(self, fraction: float) -> float:
        """The value at a fraction."""
        lo, hi = math.ldexp(self.lo, self._shift), math.ldexp(self.hi, self._shift)
        return math.ldexp(lo + (hi - lo) * min(max(fraction, 0.0), 1.0), -self._shift)

    def widened(self, share: float, within: Span) -> Span:
        """The span and a share of its width more on either side, but no further than `within`."""
        more = self.width * share
        return Span(max(self.lo - more, within.lo), min(self.hi + more, within.hi))


@dataclass(frozen=True, slots=True)
class Bins:
    """`count` bins of equal width over `span`."""

    span: Span
    count: int

    @property
    def limits(self) -> tuple[float, float]:
        """The outer edges, as `Tensor.histogram` takes them."""
        return self.span.lo, self.span.hi

    @property
    def edges(self) -> NDArray[np.float64]:
        """All count + 1 edges, the outer ones those of the span, bit for bit."""
        shift = self.span._shift
        lo, hi = math.ldexp(self.span.lo, shift), math.ldexp(self.span.hi, shift)
        edges = np.ldexp(lo + (hi - lo) * np.arange(self.count + 1) / self.count, -shift)
        edges[0], edges[-1] = self.span.lo, self.span.hi
        return edges

    def nearest_edge(self, value: float) -> float:
        """The edge that lies closest to a value."""
        return self.span.value(round(self.span.fraction(value) * self.count) / self.count)


def bins_over(lo: float, hi: float, count: int, *, whole: bool = False) -> Bins:
    """About `count` bins that cover lo to hi. Where the range spans zero their number is odd and one is centred on zero.

    `whole` says that the values are integers: each bin then holds the same number of them, and none lies on an edge.
    Ranges too narrow for so many distinct floats get fewer bins; a single value gets a few around it.
    """
    lo, hi = float(lo), float(hi)
    if not lo < hi:
        return _around(lo, whole)
    if whole and max(-lo, hi) < 2.0**51:
        return _whole(math.floor(lo), math.ceil(hi), count)
    unit = math.ulp(max(abs(lo), abs(hi)))
    distinct = hi / unit - lo / unit
    if distinct < count:  # a bin for each float, the last one included
        if hi + unit < math.inf:
            return Bins(Span(lo, hi + unit), math.floor(distinct) + 1)
        return Bins(Span(lo, hi), max(math.floor(distinct), 1))  # nothing lies above the largest float
    if not lo < 0 < hi or count < 3:
        return Bins(Span(lo, hi), count)
    count += 1 - count % 2
    width = hi / (count - 1) - lo / (count - 1)
    first = (round(lo / width) - 0.5) * width
    last = first + count * width if first > -LARGEST / 2 else math.inf
    if not math.isfinite(first) or not math.isfinite(last) or width == 0:
        reach = max(-lo, hi)  # symmetric: the middle bin is centred on zero as well
        return Bins(Span(-reach, reach), count)
    return Bins(Span(first, last), count)


def _around(value: float, whole: bool) -> Bins:
    if whole and abs(value) < 2.0**51:
        reach = BARS_OF_A_CONSTANT / 2
    elif value == 0:
        reach = 0.5
    else:
        reach = abs(value) / 2 or abs(value) * 8  # the smallest subnormal has no half
    return Bins(Span(max(value - reach, -LARGEST), min(value + reach, LARGEST)), BARS_OF_A_CONSTANT)


def _whole(lo: int, hi: int, count: int) -> Bins:
    width = -(-(hi - lo + 1) // max(1, count))
    width += 1 - width % 2  # odd, so that a bin has a middle integer
    half = width // 2
    first, last = (lo + half) // width, (hi + half) // width
    if lo < 0 < hi and (last - first) % 2:
        last += 1
    if lo >= 0 or hi <= 0:
        start = lo - 0.5
        return Bins(Span(start, start + width * -(-(hi - lo + 1) // width)), -(-(hi - lo + 1) // width))
    return Bins(Span(first * width - half - 0.5, last * width + half + 0.5), last - first + 1)
