"""The measures of an error as the window names, writes, ranks and explains them: one line each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import weightmap
from tensorloupe.style import text

MANY = 999.5  # times the usual error: beyond, more digits say nothing


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a pair.

    head, words  above a column, and in a sentence or a menu
    value  the number of a measured pair, None where it has none
    shown  the number as text
    tip    what it is, with its formula
    worse  1 where larger is worse, -1 where smaller is, 0 where distance from zero is
    spread whether colours run over its logarithm
    """

    key: str
    head: str
    words: str
    value: Callable[[weightmap.PairError], float | None]
    shown: Callable[[float], str]
    tip: str
    worse: int = 1
    spread: bool = True


def ratio_of(error: weightmap.PairError) -> float | None:
    """How many times the error that the type usually leaves; 0 for equal values."""
    if error.identical:
        return 0.0
    if error.relative_rmse is None or not error.usual:
        return None
    return error.relative_rmse / error.usual


def times(ratio: float) -> str:
    """A multiple of the usual error: 1.04 ×, 31.9 ×, more than 999 ×."""
    if ratio == 0:
        return "identical"
    if ratio > MANY:
        return f"> 999 {text.TIMES}"
    return f"{ratio:.2f} {text.TIMES}" if ratio < 100 else f"{ratio:.0f} {text.TIMES}"


def decibels(value: float) -> str:
    """A ratio in dB with one decimal and a true minus."""
    if math.isinf(value):
        return "identical"
    return f"{value:.1f} dB".replace("-", text.MINUS)


def share(value: float) -> str:
    """A relative error as a percentage with as many digits as it needs to be told from zero."""
    if value == 0:
        return "0"
    if value >= 1e-4:
        return text.percent(value, 2)
    return f"{text.number(value * 100, 2)} %"


def similar(value: float) -> str:
    """A cosine: 0.999987, with what is missing to 1 kept readable."""
    return f"{value:.6f}".replace("-", text.MINUS)


def _sqnr(error: weightmap.PairError) -> float | None:
    return math.inf if error.identical else error.sqnr_db


def _three(value: float) -> str:
    return text.number(value, 3)


MEASURES: tuple[Measure, ...] = (
    Measure(
        "relative",
        "Relative error",
        "relative error",
        lambda e: e.relative_rmse,
        share,
        "Relative error: rmse / sqrt(mean(r²)). The tick is what the type usually leaves on Gaussian weights.",
    ),
    Measure(
        "ratio",
        f"{text.TIMES} expected",
        f"{text.TIMES} expected error",
        ratio_of,
        times,
        "The relative error over the one that the type usually leaves on Gaussian weights.",
    ),
    Measure("sqnr", "SQNR", "SQNR", _sqnr, decibels, "10 log₁₀(Σ r² / Σ (q − r)²)", -1, False),
    Measure("largest", "Largest", "largest error", lambda e: e.max_abs_error, _three, "The largest |q − r|"),
    Measure("p99", "99 %", "99 % of errors below", lambda e: e.p99, _three, "The 99th percentile of |q − r|"),
    Measure("rmse", "RMSE", "RMSE", lambda e: e.rmse, _three, "sqrt(mean((q − r)²))"),
    Measure(
        "cosine",
        "Cosine",
        "cosine",
        lambda e: e.cosine,
        similar,
        "q·r / (|q| |r|). Blind to errors of scale: never to be read alone.",
        -1,
        False,
    ),
    Measure("bias", "Bias", "bias", lambda e: e.bias, _three, "mean(q − r)", 0),
    Measure(
        "damage",
        f"Bytes {text.TIMES} error",
        f"bytes {text.TIMES} error",
        lambda e: e.damage,
        lambda value: text.size(round(value)),
        "Bytes times relative error: how much of the whole file's damage lies here.",
    ),
    Measure(
        "nonfinite",
        "NaN, Inf",
        "NaN and Inf",
        lambda e: float(e.nonfinite),
        lambda value: text.count(int(value)),
        "Values left out because one of both sides is NaN or Inf.",
    ),
)
BY_KEY = {measure.key: measure for measure in MEASURES}
