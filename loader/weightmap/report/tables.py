"""The tables of a report as rows of text, which HTML and Markdown dress each in their own way."""

from __future__ import annotations

from collections import Counter

from weightmap.comparison import Comparison, PairError
from weightmap.report.marks import number
from weightmap.report.record import Report, Side, Worst
from weightmap.report.sentences import percent, ratio, times_usual
from weightmap.wording import plural, shape, size

MOST_ROWS = 2_000  # rows of the ranked table, and names without a counterpart
MOST_FINDINGS = 50

VERDICTS = (("error", "wrong"), ("warning", "worse"), ("ok", "normal"), ("same", "identical"), ("", "not judged"))
WORDS = {"worse": "worse than expected"}


def facts(side: Side) -> list[tuple[str, str]]:
    """What identifies a file."""
    kinds = [f"{kind}: {plural(tensors, 'tensor')}, {size(nbytes)}" for kind, tensors, nbytes in side.types[:12]]
    if len(side.types) > 12:
        kinds.append(f"and {len(side.types) - 12} more types")
    whole = f"{size(side.size)} ({side.size:,} bytes)" + (f" in {side.files:,} files" if side.files > 1 else "")
    rows = [("Path", side.path), ("Size", whole), ("Format", side.format)]
    if side.architecture is not None:
        rows.append(("Architecture", side.architecture))
    many = f"{side.elements / 1e6:,.1f} million" if side.elements >= 1_000_000 else f"{side.elements:,}"
    return [
        *rows,
        ("Tensors", f"{side.tensors:,} with {many} values, {side.bits_per_weight:.3g} bits each"),
        ("Types", "; ".join(kinds)),
    ]


def counts(found: Comparison) -> list[tuple[str, str, int]]:
    """(status, word, how many pairs) of each verdict that there is."""
    many = Counter("identical" if pair.identical else pair.verdict or "not judged" for pair in found.pairs)
    return [(status, WORDS.get(word, word), many[word]) for status, word in VERDICTS if many[word]]


def status_of(pair: PairError) -> str:
    """The status whose shape stands before a pair; empty where there is nothing to judge by."""
    if pair.identical:
        return "same"
    return {"wrong": "error", "worse": "warning", "normal": "ok"}.get(pair.verdict or "", "")


def heads(report: Report) -> list[str]:
    """Of the ranked table, after the tensor's name."""
    weighted = ["Weighted"] if report.comparison.imatrix is not None else []
    return ["Type", "From", "Relative error", *weighted, "× expected", "SQNR", "Largest", "Bytes", "Transform"]


def row(pair: PairError, weighted: bool) -> list[str]:
    """The cells under `heads`."""
    more = [percent(pair.weighted_relative_rmse)] if weighted else []
    times = "identical" if pair.identical else ratio(times_usual(pair))
    decibel = "–" if pair.sqnr_db is None else f"{pair.sqnr_db:.1f} dB".replace("-", "−")
    how = f"{pair.transform} (guessed)" if pair.guessed else pair.transform
    return [
        *(pair.type, pair.reference_type, percent(pair.relative_rmse), *more, times, decibel),
        *(number(pair.max_abs_error), size(pair.nbytes), how),
    ]


def verdict(worst: Worst) -> str:
    """How a tensor's error is to be judged, and what could be had instead."""
    if worst.fresh is None or status_of(worst.pair) not in ("error", "warning"):
        return worst.verdict
    return f"{worst.verdict} A fresh {worst.pair.type} of the reference leaves {percent(worst.fresh.relative_rmse)}."


def worst_facts(worst: Worst) -> list[str]:
    """One line about a tensor looked at closely."""
    pair = worst.pair
    line = [shape(worst.shape)] if worst.shape else []
    line += [size(pair.nbytes), f"error {percent(pair.relative_rmse)}"]
    line += [f"{ratio(times)} × expected"] if (times := times_usual(pair)) is not None else []
    line += [f"{pair.nonfinite:,} NaN or Inf left out"] if pair.nonfinite else []
    line += [f"transform {pair.transform}"] if pair.transform != "=" else []
    return line


def experts(worst: Worst) -> str:
    """Which of the stacked matrices have the largest errors; empty where none are stacked."""
    if not worst.experts:
        return ""
    shares = ", ".join(f"{at} ({percent(error)})" for at, error in worst.experts)
    return f"Of {worst.shape[0]:,} stacked matrices the largest relative errors: {shares}."


def worst_rows(worst: Worst) -> list[list[str]]:
    """(row, its rmse, its relative error, times that of the tensor) of the worst rows."""
    whole = worst.pair.rmse
    return [
        [
            place(one.row, worst.shape),
            number(one.rmse),
            percent(one.relative_rmse),
            "–" if not whole else f"{one.rmse / whole:.2f} ×",
        ]
        for one in worst.rows
    ]


def place(at: int, axes: tuple[int, ...]) -> str:
    """A row by its index in each axis but the last: 3 of a matrix, 2, 3 where experts are stacked."""
    indices: list[int] = []
    for axis in reversed(axes[:-1]):
        at, index = divmod(at, max(axis, 1))
        indices.append(index)
    return ", ".join(f"{index:,}" for index in reversed(indices)) or f"{at:,}"


WORST_HEADS = ("Row", "RMSE", "Relative error", "× the tensor's")

TERMS = (
    (
        "Relative error",
        "The root mean square of (quantized − reference), over that of the reference: 0.05 is 5 %. The headline.",
    ),
    (
        "× expected",
        "The relative error over what the stored type usually leaves on Gaussian weights. Up to about 1.25 is normal; "
        "more means that something else than the type cost precision; from an error of 100 % on nothing is left. "
        "The line in the histograms is the error of a fresh quantization of the reference, or where that takes long a normal "
        "distribution as wide as the usual error.",
    ),
    ("SQNR", "10 log10(sum of squares of the reference / sum of squared errors). 6 dB are one bit."),
    ("Largest", "The largest absolute error of a single value."),
    (
        "Transform",
        "What the converter did to the tensor, and what was undone before measuring; = is nothing. P(n) puts rows of n "
        "heads in another order, T transposes, S stacks experts, +1 adds one.",
    ),
)
WEIGHTED = (
    "Weighted",
    "The relative error with each input column weighted by the mean square of its input, as the importance matrix "
    "tells: sqrt(Σ w e² / Σ w r²).",
)
