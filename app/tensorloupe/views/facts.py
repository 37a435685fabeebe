"""The numbers beside the histogram: what statistics and the tensor's entry say, as rows for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weightmap
from tensorloupe.readable import count_of
from tensorloupe.style.text import count, counted, number, percent
from tensorloupe.views.rows import Number, Section
from tensorloupe.views.summary import Summary
from tensorloupe.views.view import nothing_of

if TYPE_CHECKING:
    from tensorloupe.readable import Shown


DIGITS = 4  # significant ones, of a value beside a picture


def _value(label: str, value: float | int | None, short: str | None = None, digits: int = DIGITS) -> Number:
    if value is None:
        return Number(label, "none", short=short)
    value = value if isinstance(value, int) else float(value)
    return Number(label, number(value, digits), short=short, exact=repr(value))


def digits_apart(low: float | int | None, high: float | int | None) -> int:
    """How many digits it takes to tell two values apart, if they are not equal; no fewer than usual."""
    if low is None or high is None or low == high:
        return DIGITS
    return next((n for n in range(DIGITS, 17) if number(low, n) != number(high, n)), 17)


def value_sections(summary: Summary) -> tuple[Section, ...]:
    """Exact statistics, and how sound the values are."""
    s = summary.statistics
    digits = digits_apart(s.min, s.max)
    within = []
    if summary.finite:
        within = [Number("99 % lie within", f"± {number(summary.symmetric(0.99))}", short="99 % within")]
    zeros = Number(
        "zeros",
        count(s.zeros),
        before=percent(s.zeros / s.count, 1) if s.count and s.zeros else "",
        exact=str(s.zeros),
    )
    values = Section(
        "Values",
        (
            _value("minimum", s.min, "min", digits),
            _value("maximum", s.max, "max", digits),
            _value("mean", s.mean, "mean"),
            _value("standard deviation", s.std, "std"),
            *within,
        ),
        mark="exact" if s.exact else "sample",
        shape="ok" if s.exact else "",
    )
    health = Section(
        "Health",
        (
            Number("NaN", count(s.nan), short="NaN", exact=str(s.nan)),
            Number("Inf", count(s.inf), short="Inf", exact=str(s.inf)),
            Number(zeros.label, zeros.value, zeros.before, short="zeros", exact=zeros.exact),
        ),
    )
    return values, health


def storage_section(tensor: Shown) -> Section:
    """How and where the values are stored."""
    values = count_of(tensor)
    rows = [Number("values", count(values), exact=str(values))]
    if not isinstance(tensor, weightmap.Tensor):
        return Section("Storage", (*rows, *_parts(tensor)))
    kind = tensor.type
    if kind.known:
        blocks = tensor.nbytes // kind.bytes if kind.bytes else 0
        if kind.elements > 1:
            rows.append(Number("blocks", f"{count(blocks)} × {kind.bytes} B"))
            rows.append(Number("values per block", count(kind.elements)))
        else:
            rows.append(Number("bytes per value", count(kind.bytes)))
    rows.append(Number("bytes", count(tensor.nbytes), exact=str(tensor.nbytes)))
    if tensor.located:
        rows.append(Number("file offset", count(tensor.offset), exact=str(tensor.offset)))
    else:
        rows.append(Number("file offset", "not known"))
    if kind.assumed:
        rows.append(Number("decoding", "assumed", exact=kind.assumed))
    return Section("Storage", tuple(rows))


def _parts(tensor: weightmap.Composed | weightmap.Layer) -> list[Number]:
    """Of a weight that lies in several tensors: how many, how large, and whether something was assumed."""
    weight = getattr(tensor, "weight", None)
    if weight is not None:
        return [Number("layer of", weightmap.printable(weight.name))]
    assert isinstance(tensor, weightmap.Composed)
    rows = [
        Number("tensors", count(len(tensor.sources)), exact="\n".join(tensor.sources)),
        Number("bits per weight", f"{tensor.bits_per_weight:.2f}", exact=repr(tensor.bits_per_weight)),
        Number("bytes", count(tensor.nbytes), exact=str(tensor.nbytes)),
    ]
    if tensor.runtime:
        rows.append(Number("rounded at run time", tensor.runtime))
    if tensor.assumed:
        rows.append(Number("reading", "assumed", exact=tensor.assumed))
    return rows


def nothing_to_draw(tensor: Shown, summary: Summary) -> str:
    """Why a tensor without finite values has no histogram."""
    if not count_of(tensor):
        return nothing_of(tensor)
    s = summary.statistics
    return f"None of its {counted(s.count, 'value')} is finite: {count(s.nan)} NaN and {count(s.inf)} Inf."


def duration(seconds: float) -> str:
    """How long something took: 3 ms, 1.2 s."""
    return f"{count(max(1, round(seconds * 1000)))} ms" if seconds < 1 else f"{seconds:.1f} s"
