"""What an error that its type does not explain looks like, in a sentence: scaled, zeroed, exchanged, reordered or other values."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from weightmap.measure.error import ErrorMeasures
from weightmap.measure.usual import Verdict, border
from weightmap.naming.names import names
from weightmap.naming.rules import BLOCK
from weightmap.pairing.chains import place
from weightmap.pairing.lookalikes import Alike, Lookalikes
from weightmap.pairing.side import Weight
from weightmap.pairing.tensor_pair import TensorPair

FACTOR = 0.1  # a scale further off than this is no rounding and no training: the tensor is wrong
ORDER = "Rows or columns are in another order than in the reference: a conversion step is not undone."
PLAIN = (
    "The converter of this architecture reorders the rows of queries and keys, and here they are in one order on both sides: "
    "the checkpoint keeps them as the GGUF does (Mistral's own format), or the step was left out."
)
TWICE = "The rows of this tensor were reordered for the rotary embedding twice: that conversion step was done once too often."
MOVED = "The rows were reordered for the rotary embedding, which the converter of this architecture does not do."


class Cause(NamedTuple):
    """What an error looks like, and whether that alone makes the tensor wrong, however small the error is."""

    note: str
    wrong: bool = False


def cause_of(pair: TensorPair, errors: ErrorMeasures, judged: Verdict | None, others: Lookalikes) -> Cause | None:
    """What there is to say about a measured pair beyond its numbers. `others` finds what it could be instead."""
    if errors.disagreeing:
        what = "value is" if errors.disagreeing == 1 else "values are"
        return Cause(f"{errors.disagreeing:,} {what} NaN or Inf on one side, and something else on the other.", True)
    if pair.note is not None:
        return Cause(pair.note, pair.misstep)
    if judged not in ("worse", "wrong"):
        return None
    known, limit = (pair.tensor, *pair.reference), border(*pair.usual_types)
    return unexplained(errors, pair.target, known, others, limit, pair.transform)


def unexplained(
    errors: ErrorMeasures,
    target: Weight,
    known: Container[str],
    others: Lookalikes,
    limit: float | None = None,
    transform: str = "=",
) -> Cause | None:
    """For a pair whose error is larger than it should be. `others` finds what it could be instead, but for the `known` names;
    `limit` is the largest relative error that its types explain, where that is known; `transform` is the pair's own.
    """
    relative, cosine, scale = errors.relative_rmse, errors.cosine, errors.scale
    if errors.identical or relative is None:
        return None
    if scale == 0 and cosine is None:
        return Cause("Every value is zero, and the reference's are not.", True)
    if cosine is None or scale is None:
        return None
    if only_scaled(errors, limit):
        note = f"The values are those of the reference times {scale:.4g}: a scale is not applied, or is applied twice."
        return Cause(note, abs(scale - 1) >= FACTOR)
    if (alike := others.of(target, transform)) is not None and _is_another(alike, known, transform):
        part = f"{alike.label} of " if alike.label.partition(",")[0].startswith("rows") else ""
        return Cause(
            f"The values are those of {part}{alike.weight.name} in the other file: two tensors are exchanged.", True
        )
    if cosine > 0.5:
        return Cause("The values resemble those of the reference, but differ by more than the type explains.")
    if 1 < relative < 1.5:
        return Cause(f"{ORDER} None of the known steps explains it, so it may be another tensor as well.", True)
    return Cause("The values have nothing in common with those of the reference.", True)


def only_scaled(errors: ErrorMeasures, limit: float | None = None) -> bool:
    """Whether the values are those of the reference times a factor, but for a fifth of the error, or for what their types
    explain where that is known: `limit`, the largest relative error that they do.
    """
    relative, cosine, scale = errors.relative_rmse, errors.cosine, errors.scale
    if relative is None or cosine is None or scale is None:
        return False
    rest = max(1 - cosine**2, 0) ** 0.5
    if cosine > 0 and rest < 0.2 * relative:
        return True
    if limit is None or rest > limit:
        return False
    return cosine < 0 or (cosine > 0 and limit < abs(abs(scale) - 1))  # coarse types leave more than a fifth


def _is_another(alike: Alike, known: Container[str], transform: str) -> bool:
    """Whether it is another tensor than the pair's own, or another part of it."""
    return alike.weight.name not in known or (alike.label != transform and alike.label != "=")


def unexpected_order(architecture: str, target: str, label: str) -> str | None:
    """A proven order of query or key rows that is not the one which this architecture's converter makes."""
    base, first = place(target).base, label
    if label.startswith("QKV "):  # queries, keys and values joined, each with a label of its own
        first = label.removeprefix("QKV ").partition(";")[0]
        base = "attn_q"
    if any(part.count("P(") > 1 for part in label.split(";")):
        return TWICE
    if base not in ("attn_q", "attn_k") or not target.startswith("blk."):
        return None
    told = {name.transform for name in names(architecture) if place(name.target.replace(BLOCK, "0")).base == base}
    if not told:
        return None
    rotated = any("P(" in transform for transform in told)
    if rotated and first == "=":
        return PLAIN
    return MOVED if not rotated and first.startswith("P(") else None
