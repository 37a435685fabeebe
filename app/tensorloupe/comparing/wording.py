"""What is said of one pair in words: the verdict, what it may mean, what lies between both tensors, how that was proved."""

from __future__ import annotations

import re
from typing import NamedTuple

import weightmap
from tensorloupe.items.errors import MARKS, Errors
from tensorloupe.items.measures import share, times
from tensorloupe.style import text

_STEPS: tuple[tuple[str, str], ...] = (
    (r"undo P\((\d+)\)", "the rotary order of the rows of {0} heads taken back"),
    (r"P\((\d+)\)", "the rows of {0} heads reordered for the rotary embedding"),
    (r"T", "transposed"),
    (r"\+1", "one added"),
    (r"-1", "one subtracted"),
    (r"undo -exp", "the logarithm of the negative"),
    (r"-exp", "minus the exponential"),
    (r"S\[(\d+)\]", "expert {0} of a stack"),
    (r"S", "experts stacked"),
    (r"QKV .*", "queries, keys and values joined"),
    (r"F\((\d+),(\d+)\)", "queries, keys and values of {0} heads in {1} groups parted"),
    (r"B\((\d+)\)", "queries, keys and values interleaved over {0} heads parted"),
    (r"rows (\d+)/(\d+)", "part {0} of {1} of the rows"),
    (r"columns (\d+)/(\d+)", "part {0} of {1} of the columns"),
    (r"rows (\d+):(\d+)", "rows {0} to {1}"),
    (r"rows\[(\d+)::(\d+)\]", "every {1}nd row from row {0}"),
)


class Told(NamedTuple):
    """A status, a sentence, and what follows from it or is worth knowing; escaped."""

    status: str
    sentence: str
    more: str


def transform_words(label: str) -> str:
    """The transform between both tensors, as a person would say it."""
    if label == "=":
        return "in the same order"
    words = [_step(part) for part in re.split(r",(?![^(\[]*[)\]])", label)]
    return "with " + ", ".join(words) + " (undone here)"


def _step(part: str) -> str:
    for pattern, words in _STEPS:
        found = re.fullmatch(pattern, part.strip())
        if found is not None:
            return words.format(*found.groups())
    return f"the step {weightmap.printable(part)}"


def proof_words(pair: weightmap.TensorPair) -> str:
    """How sure it is that both belong together."""
    if pair.guessed:
        return "guessed from shape and values: the names do not say so"
    return "proved on sampled values" if pair.proven else "by name alone: the values do not prove it"


def pair_words(pair: weightmap.TensorPair) -> str:
    """What a tensor is compared with, and how."""
    names = weightmap.printable(" + ".join(pair.reference))
    return f"Compared with {names} ({pair.reference_type}), {transform_words(pair.transform)}; {proof_words(pair)}."


def told(errors: Errors, row: int) -> Told:
    """What to say of a row of the table."""
    pair, error, verdict = errors.pairs[row], errors.errors[row], errors.verdict(row)
    note = weightmap.printable((error.note if error is not None else pair.note) or "")
    if error is None:
        sentence = errors.failed.get(row, "Not measured yet.")
        return Told(MARKS[verdict], sentence, pair_words(pair))
    sentence = _sentence(pair, error, verdict)
    disagreeing = verdict == "wrong" and error.relative_rmse is not None and error.relative_rmse < 1
    sentence, note = (note, "") if disagreeing and note else (sentence, note)
    more = " ".join(part for part in (note or _usual_cause(verdict), pair_words(pair)) if part)
    return Told("info" if errors.guess(row) and verdict in ("normal", "identical") else MARKS[verdict], sentence, more)


def _sentence(pair: weightmap.TensorPair, error: weightmap.PairError, verdict: str) -> str:
    kind = weightmap.printable(pair.type)
    relative = error.relative_rmse
    if verdict == "identical":
        return "Every value equals the reference's."
    if verdict == "unjudged":
        size = "" if relative is None else f"A relative error of {share(relative)}. "
        return f"{size}What {kind} usually leaves is not known here, so it is not judged."
    if relative is None:
        return "Values are finite on one side only." if error.nonfinite else "The reference is zero, and this is not."
    if verdict == "wrong":
        return (
            f"An error of {share(relative)}: as large as the values themselves."
            if relative >= 1
            else (f"{text.counted(error.nonfinite, 'value')} cannot be compared: NaN or Inf on one side only.")
        )
    ratio = relative / error.usual if error.usual else 0.0
    if verdict == "worse":
        return f"{times(ratio).removesuffix(' ' + text.TIMES)} times the error {kind} usually leaves."
    return f"Normal for {kind}: {times(ratio).removesuffix(' ' + text.TIMES)} times its usual error."


def _usual_cause(verdict: str) -> str:
    if verdict == "worse":
        return "Often the mark of a model that was quantized twice: check what this file was made from."
    return ""


def told_unpaired(errors: Errors, tensor: str, reference: str) -> Told:
    """What to say of a tensor without a counterpart."""
    name = weightmap.printable(tensor)
    for entry in errors.left:
        if entry.side == "this file" and entry.tensor == name:
            return Told("unchecked", f"No counterpart in {reference}.", entry.reason)
    return Told("unchecked", f"No counterpart in {reference}.", "")


def nothing_pairs(errors: Errors, reference: str) -> Told:
    """What to say of a reference in which nothing answers to the open model."""
    own = [entry for entry in errors.left if entry.side == "this file"]
    if not own:
        return Told("error", f"Nothing in {reference} answers to this file.", "One of both holds no tensors.")
    telling = next((entry for entry in own if "leads to" in entry.reason), own[0])  # where shapes or values speak
    often = f"{telling.tensor}, for one: {telling.reason}"
    return Told(
        "error",
        f"Nothing in {reference} answers to this file: it is another model, or its names are not known here.",
        f"{often} Choose the model that this file was made from.",
    )
