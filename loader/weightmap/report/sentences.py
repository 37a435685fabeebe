"""What came out of a comparison, in sentences that say it to someone who has not read how it is measured."""

from __future__ import annotations

import math
from collections import Counter

from weightmap.comparison import Comparison, PairError
from weightmap.measure.usual import USUAL
from weightmap.report.record import Side
from weightmap.wording import clipped, plural, size

EXACT = 1e-5  # a usual error below this is that of rounding a float: no yardstick for a person
COARSE = 0.12  # of the weights' size: more than any type of four bits usually leaves


def times_usual(pair: PairError) -> float | None:
    """The error over what the pair's types usually leave, None where that says nothing."""
    if pair.relative_rmse is None or pair.usual is None or pair.usual < EXACT:
        return None
    return pair.relative_rmse / pair.usual


def ratio(number: float | None) -> str:
    """A multiple of the usual error: 1.02, 31.9, 1,200."""
    if number is None:
        return "–"
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:,.0f}"


def percent(number: float | None) -> str:
    """A share or a relative error in percent, three digits that count."""
    if number is None:
        return "–"
    if number and (number < 1e-6 or number >= 100):
        return f"{number * 100:.1e} %"
    return f"{number * 100:#.3g}".rstrip(".") + " %" if number else "0 %"


def not_numbers(pair: PairError) -> bool:
    """Whether what is wrong with a pair is NaN or Inf on one side, and not the other values."""
    return pair.verdict == "wrong" and pair.nonfinite > 0 and (pair.relative_rmse is None or pair.relative_rmse < 1)


def judged(pair: PairError) -> str:
    """How one error is to be judged: whole sentences."""
    times = times_usual(pair)
    if pair.identical:
        said = "Every value is the reference's."
    elif not_numbers(pair):
        said = "Not all values are numbers."
    elif pair.verdict == "wrong":
        off = "" if pair.relative_rmse is None else f": they are off by {percent(pair.relative_rmse)} of its size"
        said = f"The values are not those of the reference{off}."
    elif times is not None and pair.verdict == "worse":
        said = f"{ratio(times)} times the error {pair.type} usually leaves."
    elif times is not None:
        said = f"The error that {pair.type} usually leaves ({ratio(times)} ×)."
    else:
        said = "There is no usual error to judge it by."
    return said if pair.note is None else f"{said} {pair.note}"


def headline(found: Comparison) -> tuple[str, str]:
    """(status, sentence): what a reader who reads one line should know."""
    count = Counter(pair.verdict for pair in found.pairs if not pair.identical)
    broken = sum(map(not_numbers, found.pairs))
    total = plural(len(found.pairs), "tensor")
    if not found.pairs:
        return "error", "No tensor of one file could be paired with one of the other: nothing was compared."
    if count["wrong"]:
        some = f"{count['wrong']:,} of {total}"
        if broken == count["wrong"]:
            return "error", f"{some} {'holds' if broken == 1 else 'hold'} NaN or Inf where numbers belong."
        return "error", f"{some} {'does' if count['wrong'] == 1 else 'do'} not hold what the reference holds."
    if count["worse"]:
        return "warning", f"{count['worse']:,} of {total} lost more than the type usually costs."
    if not count:
        return "ok", "Both files hold the same values."
    if count[None]:
        return "ok", "Nothing is wrong; for some types there is no usual error to judge by."
    whole = together(found)
    if whole is not None and whole[0] > COARSE:
        return (
            "ok",
            f"Done right, but coarse: each tensor has the error of its type, {percent(whole[0])} taken together.",
        )
    return "ok", "A sound quantization: every tensor has the error that its type usually leaves."


def summary(found: Comparison, quantized: Side, reference: Side) -> tuple[str, ...]:
    """What else is to be said of the whole, the most important first."""
    said = [*_loudest(found), *_error(found), *_size(quantized, reference)]
    left = tuple(map(len, found.left_over))
    if any(left):
        both = f"{plural(left[0], 'tensor')} of this file and {left[1]:,} of the reference"
        said.append(f"Without a counterpart: {both}; the reasons stand at the end.")
    guesses = sum(pair.guessed for pair in found.pairs)
    if guesses:
        rest = "rests" if guesses == 1 else "rest"
        said.append(f"{plural(guesses, 'pair')} {rest} on the values alone, not on names: look before trusting.")
    return tuple(said)


def together(found: Comparison) -> tuple[float, int] | None:
    """(relative rmse, how many values) of everything that differs, taken together; None where there is no such number."""
    errors = signal = 0.0
    count = 0
    for pair in found.pairs:
        if pair.identical or pair.rmse is None or not pair.relative_rmse:
            continue
        number = pair.count - pair.nonfinite
        errors += pair.rmse**2 * number
        signal += (pair.rmse / pair.relative_rmse) ** 2 * number
        count += number
    if not signal or not math.isfinite(errors) or not math.isfinite(signal):
        return None
    return math.sqrt(errors / signal), count


def _error(found: Comparison) -> list[str]:
    """How large the error is, and what errors of that size mean."""
    said, whole, same = [], together(found), sum(pair.identical for pair in found.pairs)
    if whole is not None:
        many = f"{whole[1] / 1e6:,.1f} million" if whole[1] >= 1_000_000 else f"{whole[1]:,}"
        said.append(f"The {many} weights of the tensors that differ are off by {percent(whole[0])} of their own size")
        said[-1] += " (root mean square)."
        known = ", ".join(f"{kind} {USUAL[kind].gaussian * 100:.2g} %" for kind in ("Q8_0", "Q6_K", "Q4_K", "Q2_K"))
        said.append(f"For comparison, what types usually leave: {known}.")
    if same:
        said.append(f"{plural(same, 'tensor')} of {len(found.pairs):,} {'is' if same == 1 else 'are'} identical.")
    return said


def _size(quantized: Side, reference: Side) -> list[str]:
    if not quantized.elements or not reference.elements:
        return []
    bits = f"{quantized.bits_per_weight:.3g} bits per weight instead of {reference.bits_per_weight:.3g}"
    return [f"The file takes {size(quantized.size)} where the reference takes {size(reference.size)}: {bits}."]


def _loudest(found: Comparison) -> list[str]:
    """The names behind the headline."""
    said = []
    for verdict, words in (("wrong", "Wrong"), ("worse", "Worse than expected")):
        names = [pair.tensor for pair in found.ranked() if pair.verdict == verdict and not pair.identical]
        if names:
            more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
            said.append(f"{words}: {', '.join(clipped(name, 80) for name in names[:3])}{more}.")
    return said
