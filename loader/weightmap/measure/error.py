"""What a quantization cost: the error of one tensor's values against those of another, in one streaming pass.

With q and r the values of both, widened to float64, and e = q - r, over the elements where both are finite:

    rmse = sqrt(mean(e^2))      relative_rmse = rmse / sqrt(mean(r^2))      sqnr_db = 10 log10(sum r^2 / sum e^2)
    cosine = q.r / (|q| |r|)    bias = mean(e)    max_abs_error, p99 = the largest and the 99th percentile of |e|

A quotient by zero has no value: None, never infinity. Equal tensors are `identical`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from weightmap.measure.error_sums import Sums, Watcher, summed
from weightmap.measure.tail import Counts, Largest, Selection, sample, selection
from weightmap.reading.elements import Elements
from weightmap.reading.sweep import Meter, Progress


@dataclass(frozen=True, slots=True)
class ErrorMeasures:
    """The error of a quantized tensor against its reference.

    count       elements compared, those left out included
    nonfinite   elements left out because one of both sides is NaN or Inf
    disagreeing elements of these where only one side is, or both are and differ
    scale       the factor that brings the reference closest to the quantized: q.r / r.r
    """

    count: int
    nonfinite: int
    disagreeing: int
    rmse: float | None
    relative_rmse: float | None
    sqnr_db: float | None
    identical: bool
    max_abs_error: float | None
    p99: float | None
    cosine: float | None
    bias: float | None
    scale: float | None


def measure_errors(
    quantized: Elements,
    reference: Elements,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    meter: Meter | None = None,
    percentile: bool = True,
    also: Watcher | None = None,
) -> ErrorMeasures:
    """The error of the first against the second; both have the same count of elements in the same order.

    Without `percentile` p99 is None, and everything is always read only once. `also` gets the values of every chunk once:
    its first element, both sides, and the workspace of the thread.

    Raises WeightFileError where a file cannot be read, ValueError where the counts differ, Cancelled where
    `progress(done, total)`, in elements, returns False; a meter takes the place of `progress` in a row of passes.
    """
    if quantized.count != reference.count:
        raise ValueError(f"{quantized.count:,} elements cannot be compared with {reference.count:,}")
    count = quantized.count
    pair = quantized, reference
    meter = meter or Meter(progress, count)
    chosen: Selection = selection(count, sample(*pair)) if percentile else Largest()
    sums = summed(*pair, chosen, meter, threads, also)
    finite = count - sums.nonfinite
    again = Meter(lambda *_: meter.show(0), count)  # a second pass moves no progress, but can be cancelled
    if isinstance(chosen, Counts):
        chosen = chosen.narrowed(finite)
        summed(*pair, chosen, again, threads)
    ends = chosen.result(finite)
    if ends is None:
        chosen = selection(count, np.empty(0))
        summed(*pair, chosen, again, threads)
        ends = chosen.result(finite)
    assert ends is not None
    return _measures(count, sums, *ends)


def _measures(count: int, sums: Sums, p99: float, largest: float) -> ErrorMeasures:
    finite = count - sums.nonfinite
    nothing = (None,) * 3
    if not finite:
        return ErrorMeasures(
            count, sums.nonfinite, sums.disagreeing, *nothing, not sums.disagreeing, *nothing, None, None
        )
    ee, rr, re, e = (sums.total(column) for column in range(4))
    qq, qr = rr + 2 * re + ee, rr + re
    identical = largest == 0 and not sums.disagreeing
    numbers = (
        math.sqrt(ee / finite),
        math.sqrt(ee / rr) if rr else None,
        10 * math.log10(rr / ee) if ee and rr and math.isfinite(rr) else None,
        identical,
        largest,
        p99,
        _cosine(qr, qq, rr, identical),
        e / finite,
        qr / rr if rr else None,
    )
    finished = (None if isinstance(n, float) and not math.isfinite(n) else n for n in numbers)
    return ErrorMeasures(count, sums.nonfinite, sums.disagreeing, *finished)  # type: ignore[arg-type]


def _cosine(qr: float, qq: float, rr: float, identical: bool) -> float | None:
    if not rr or qq <= 0:
        return None
    return 1.0 if identical else min(max(qr / math.sqrt(qq) / math.sqrt(rr), -1.0), 1.0)
