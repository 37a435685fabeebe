"""What a report holds before it is written: plain records, the same for HTML and for Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from weightmap.comparison import Comparison, PairError
from weightmap.findings import Finding, Severity
from weightmap.measure.binning import Histogram
from weightmap.measure.differences import RowError
from weightmap.measure.heatmap import Heatmap
from weightmap.report.fresh import Fresh
from weightmap.report.grid import Grid


@dataclass(frozen=True, slots=True)
class Side:
    """One of both models: what it is, and what is to be said of it. `types` are (name, tensors, bytes), the largest first."""

    path: str
    name: str
    size: int
    files: int
    format: str
    architecture: str | None
    tensors: int
    elements: int
    bits_per_weight: float
    types: tuple[tuple[str, int, int], ...]
    status: Severity
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Worst:
    """A tensor looked at closely.

    verdict    a sentence: how its error is to be judged
    shape      of what was compared, in numpy order
    histogram  of the errors; None where there is no finite one
    spread     standard deviation of the errors that its type usually leaves, or None where that is not known
    fresh      what a fresh quantization of the reference would leave, or None
    heatmap    root mean square of the errors; `index` is the place in the leading axes that it shows
    experts    where matrices are stacked, those with the largest relative errors: (index, error), largest first
    rows       the rows with the largest errors; a row's number counts through the leading axes
    problem    why there are no pictures, else None
    """

    pair: PairError
    verdict: str
    shape: tuple[int, ...] = ()
    histogram: Histogram | None = None
    spread: float | None = None
    fresh: Fresh | None = None
    heatmap: Heatmap | None = None
    index: tuple[int, ...] = ()
    rows: tuple[RowError, ...] = ()
    experts: tuple[tuple[int, float], ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Everything that is written.

    headline, summary  what came out, in sentences for a person
    status             the shape beside the headline: ok, warning, error
    made               date and program
    """

    title: str
    made: str
    status: str
    headline: str
    summary: tuple[str, ...]
    quantized: Side
    reference: Side
    comparison: Comparison
    ranked: tuple[PairError, ...]
    grid: Grid
    worst: tuple[Worst, ...]
