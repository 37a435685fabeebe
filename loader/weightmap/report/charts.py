"""The histogram of the errors as SVG: logarithmic counts, and over them what errors of the type usually look like."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from weightmap.measure.binning import Histogram
from weightmap.report.marks import number

Counts = NDArray[np.int64] | NDArray[np.float64]

WIDTH, HEIGHT = 520, 230
LEFT, RIGHT, TOP, BOTTOM = 58, 22, 8, 40
_BASE = 0.5  # what stands on the axis: a bin with one value shows


def histogram_svg(histogram: Histogram, curve: Counts | None, words: str) -> str:
    """The counts between the histogram's limits, and over them those of a curve in the same bins."""
    edges, counts = histogram.edges, histogram.counts
    assert edges is not None
    most = max(float(counts.max(initial=0)), 0.0 if curve is None else float(curve.max(initial=0)), 1.0)
    scale = _Scale(float(edges[0]), float(edges[-1]), most * 1.5)
    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">']
    parts += scale.lines()
    parts.append(f'<path class="bars" d="{_stairs(edges, counts, scale, closed=True)}"/>')
    if curve is not None:
        parts.append(f'<path class="curve" d="{_stairs(edges, curve, scale, closed=False)}"/>')
    parts.append(f'<path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">quantized − reference</text></svg>')
    return "".join(parts)


class _Scale:
    """From values and counts to places in the picture."""

    def __init__(self, low: float, high: float, most: float) -> None:
        self.low, self.high, self.top = low, high, math.log10(most)

    def x(self, value: float) -> float:
        return LEFT + (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2) * (WIDTH - LEFT - RIGHT)

    def y(self, count: float) -> float:
        share = (math.log10(max(count, _BASE)) - math.log10(_BASE)) / (self.top - math.log10(_BASE))
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

    def lines(self) -> list[str]:
        """Lines and numbers of both axes."""
        parts = []
        powers = range(math.floor(self.top) + 1)
        for power in [p for p in powers if p % (1 if len(powers) < 5 else 2) == 0]:
            y = self.y(10.0**power)
            parts.append(f'<path class="line" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_power(power)}</text>')
        for value in ticks(self.low, self.high):
            x = self.x(value)
            parts.append(f'<path class="axis" d="M{x:.1f} {HEIGHT - BOTTOM}v4"/>')
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{number(value)}</text>')
        return parts


def _power(power: int) -> str:
    """A power of ten as it fits beside the axis: 10,000, but 1 M and 100 M."""
    return f"{10**power:,}" if power < 6 else f"{10 ** (power % 3):,} {' kMGTPE'[power // 3]}"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two limits of equal size and other sign: zero, and at most three on either side."""
    power = 10.0 ** math.floor(math.log10(high / 4))
    step = next(factor * power for factor in (1, 2, 5, 10, 20) if high / (factor * power) < 4)
    number = math.floor(high / step * (1 + 1e-9))
    return [at * step for at in range(-number, number + 1)]


def normal(histogram: Histogram, spread: float) -> Counts:
    """How many of as many values of a normal distribution fall into each bin; `spread` is its standard deviation."""
    edges, count = histogram.edges, int(histogram.counts.sum()) + histogram.below + histogram.above
    assert edges is not None
    below = np.array([math.erf(edge / spread / math.sqrt(2)) for edge in edges.tolist()]) / 2
    expected: Counts = np.diff(below) * count
    return expected


def _stairs(edges: NDArray[np.float64], counts: Counts, scale: _Scale, *, closed: bool) -> str:
    """An outline of equal steps. A curve leaves out what is less than a value in a bin."""
    floor = HEIGHT - BOTTOM
    parts, open_path = ([f"M{LEFT} {floor}"], True) if closed else ([], False)
    for at, count in enumerate(counts.tolist()):
        if not closed and count < _BASE:
            open_path = False
            continue
        y = scale.y(count) if count > 0 else floor
        if not open_path:
            parts.append(f"M{scale.x(float(edges[at])):.1f} {floor}")
            open_path = True
        parts.append(f"V{y:.1f}H{scale.x(float(edges[at + 1])):.1f}")
    return "".join(parts) + (f"V{floor}Z" if closed else "")
