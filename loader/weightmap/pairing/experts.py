"""Which experts of a stack are wrong where the others are not: among many sound ones a lost one hardly shows in the whole.

Each expert is looked at on sampled values, and measured as a whole where these are further off than its types explain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from weightmap.errors import WeightFileError
from weightmap.measure.error import ErrorMeasures, measure_errors
from weightmap.measure.usual import Verdict, border, verdict
from weightmap.pairing import proof
from weightmap.pairing.diagnosis import FACTOR, only_scaled
from weightmap.pairing.lazy import Part
from weightmap.pairing.tensor_pair import TensorPair
from weightmap.reading.sweep import Meter

MOST = 1 << 12  # experts: more axes of this length are none
NAMED = 3  # experts that are told one by one
SUSPECT = 1.2  # times the border: samples scatter
_NAMES = re.compile(r"expert|_(?:ch)?exps\b")


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is said of the experts that differ by more than their types explain, and how the worst of them is judged."""

    note: str
    verdict: Verdict


def wrong_experts(pair: TensorPair, meter: Meter, threads: int | None) -> Wrong | None:
    """None where there are no experts, none of them is wrong, or all are and none holds another one's values.

    Raises WeightFileError, Cancelled.
    """
    limit = border(*pair.usual_types)
    told = any(_NAMES.search(name) for name in (pair.tensor, *pair.reference))
    if limit is None or not told or len(pair.shape) != 3 or not 2 < pair.shape[0] <= MOST or not pair.sides[0].count:
        return None
    number, each = pair.shape[0], pair.shape[1] * pair.shape[2]
    experts = [tuple(Part(side, pair.shape[1:], at * each) for side in pair.sides) for at in range(number)]
    places, samples = proof.spots(pair.shape[1:], 1), []
    for parts in experts:
        samples.append([places.values(part) for part in parts])
        meter.show(0)
    suspects = [at for at, (q, r) in enumerate(samples) if not _near(q, r, SUSPECT * limit)]
    if not suspects or (len(suspects) == number and _other(0, samples, limit) is None):
        return None
    found = []
    for at in suspects:
        again = Meter(lambda *_: meter.show(0), each)
        errors = measure_errors(*experts[at], meter=again, threads=threads, percentile=False)
        judged = verdict(
            *pair.usual_types, errors.relative_rmse, disagreeing=errors.disagreeing, differs=not errors.identical
        )
        if judged in ("worse", "wrong"):
            off = errors.scale is not None and abs(errors.scale - 1) >= FACTOR and only_scaled(errors)
            found.append((at, errors, "wrong" if off else judged))
    if not found:
        return None
    details = [_said(at, errors, samples, limit) for at, errors, _ in found[:NAMED]]
    who = ", ".join(f"{at:,}" for at, _, _ in found[:NAMED]) + (
        f" and {len(found) - NAMED:,} more" * (len(found) > NAMED)
    )
    few = 2 * len(found) <= number
    head = f"{'Only expert' if few else 'Expert'}{'s' * (len(found) > 1)} {who} of {number:,} {'are' if len(found) > 1 else 'is'}"
    worst: Verdict = "wrong" if any(judged == "wrong" for _, _, judged in found) else "worse"
    return Wrong(
        f"{head} {'wrong' if worst == 'wrong' else 'worse than usual'} (counted from 0). {' '.join(details)}", worst
    )


def experts_of(pair: TensorPair, meter: Meter, threads: int | None) -> Wrong | None:
    """The same; None where values cannot be read a second time."""
    try:
        return wrong_experts(pair, meter, threads)
    except WeightFileError:
        return None


def _near(q: proof.Sample, r: proof.Sample, limit: float) -> bool:
    seen = proof.difference(q, r)
    return bool(np.isfinite(q).all() == np.isfinite(r).all() and not seen.relative > limit)


def _said(at: int, errors: ErrorMeasures, samples: list[list[proof.Sample]], limit: float) -> str:
    """One sentence on one expert."""
    error, scale = errors.relative_rmse, errors.scale
    if errors.disagreeing:
        return f"Expert {at:,} has {errors.disagreeing:,} values that are NaN or Inf on one side only."
    if (other := _other(at, samples, limit)) is not None:
        return f"Expert {at:,} holds the values of expert {other:,} of the reference."
    if scale == 0:
        return f"Expert {at:,} holds nothing but zeros."
    if only_scaled(errors):
        return f"Expert {at:,} holds the reference's values times {scale:.4g}."
    return f"Expert {at:,} has a relative error of {error or 0:.2g}."


def _other(at: int, samples: list[list[proof.Sample]], limit: float) -> int | None:
    """The one expert of the reference whose values this one holds."""
    others = [n for n, (_, r) in enumerate(samples) if n != at and _near(samples[at][0], r, SUSPECT * limit)]
    return others[0] if len(others) == 1 else None
