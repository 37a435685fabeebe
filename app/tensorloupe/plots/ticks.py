"""Ticks that read as numbers: round values with whole labels, never an offset or a factor in the corner.

Worked out in decimal arithmetic, which has no rounding to show: 1.00000012, 2e−42 and −1.5e+308 come out as themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from itertools import pairwise

from tensorloupe.style.text import MINUS, count, number

Tick = tuple[float, str]
APART = 1.35  # heights of the font between the labels of an axis that goes up


def value_ticks(lo: float, hi: float, room: float, character: float, *, whole: bool = False) -> list[Tick]:
    """Round values from lo to hi with their labels, as many as fit into `room` px at `character` px a letter."""
    at_most = 9
    ticks: list[Tick] = []
    while at_most > 0:
        ticks = _ticks(lo, hi, at_most, whole)
        widest = max((len(label) for _, label in ticks), default=0)
        if len(ticks) * (widest + 2.5) * character <= room:
            break
        at_most -= 1
    return ticks


def _ticks(lo: float, hi: float, at_most: int, whole: bool) -> list[Tick]:
    with localcontext() as context:
        context.prec = 60
        low, high = Decimal(lo), Decimal(hi)
        step = _step((high - low) / at_most)
        if whole:
            step = max(step, Decimal(1))
        first = (low / step).to_integral_value(rounding="ROUND_CEILING")
        last = (high / step).to_integral_value(rounding="ROUND_FLOOR")
        values = [step * (first + k) for k in range(int(last - first) + 1)]
        largest = max((abs(v) for v in values), default=Decimal(0))
        plain = largest == 0 or Decimal("1e-3") <= largest < Decimal("1e6")
        return [(float(v), _plain(v, step) if plain else _scientific(v, step)) for v in values]


def _step(rough: Decimal) -> Decimal:
    """The smallest of 1, 2, 5 times a power of ten that is at least `rough`."""
    power = Decimal(1).scaleb(rough.adjusted())
    return next(power * m for m in (1, 2, 5, 10) if power * m >= rough)


def _plain(value: Decimal, step: Decimal) -> str:
    decimals = max(0, -step.adjusted())
    return f"{value:,.{decimals}f}".replace("-", MINUS) if value else "0"


def _scientific(value: Decimal, step: Decimal) -> str:
    if not value:
        return "0"
    digits = max(0, value.adjusted() - step.adjusted())
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent):+03d}".replace("-", MINUS)


def count_ticks(largest: int, log: bool) -> list[Tick]:
    """Ticks of the axis of counts: powers of ten where it is logarithmic (thinned to six), else round numbers from 0."""
    if log:
        decades = max(0, math.ceil(math.log10(max(largest, 1))))
        if largest <= 20:  # powers of ten alone would leave one tick
            return [(float(n), str(n)) for n in (1, 2, 5, 10, 20) if n <= max(largest, 2)]
        every = -(-(decades + 1) // 6)
        return [(float(10**k), count(10**k)) for k in range(0, decades + 1, every)]
    return [(value, count(round(value))) for value, _ in _ticks(0.0, float(max(largest, 1)), 5, True)]


def thinned(ticks: Sequence[Tick], places: Sequence[float], least: float) -> list[tuple[float, Tick]]:
    """(place, tick) of every first, second, third ... tick, as many as stand at least `least` px from each other."""
    shown = list(zip(places, ticks, strict=True))
    for every in range(1, len(shown)):
        kept = shown[::every]
        if all(abs(after[0] - before[0]) >= least for before, after in pairwise(kept)):
            return kept
    return shown[:1]


def limit_words(limits: tuple[float, float]) -> list[str]:
    """Two limits with as many digits as it takes to tell them apart, three at least."""
    largest, apart = max(abs(limits[0]), abs(limits[1])), limits[1] / 2 - limits[0] / 2
    digits = 3 if not apart or not largest else 3 + max(0, math.ceil(math.log10(largest / 2 / apart)))
    return [number(limit, min(digits, 17)) for limit in limits]


def index_step(pixels_per_index: float, least: float) -> int:
    """The distance between labelled rows or columns: the smallest power of two that keeps labels `least` px apart."""
    return 1 << max(0, math.ceil(math.log2(least / pixels_per_index)))
