"""Scales themselves: the types that they come in, and what there is to say about their values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weightmap.companions.base import named, remark
from weightmap.companions.parts import Parts
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord
from weightmap.types.base import StoredType
from weightmap.types.registry import by_name

FLOATS = frozenset({"F32", "F16", "BF16", "F64"})
EXPONENTS = frozenset({"U8", "F8_E8M0"})
FACTORS = FLOATS | EXPONENTS | {"F8_E4M3"}
"""A byte is never a number here: it is a power of two (E8M0), or in groups of 16 an E4M3."""


def exponent(record: TensorRecord) -> StoredType | None:
    """E8M0 where the record's bytes are exponents, else None for what it is stored as."""
    return by_name("F8_E8M0") if record.type.name == "U8" else None


def same_numbers(one: TensorRecord, other: TensorRecord, parts: Parts) -> bool:
    """Whether two records hold the same numbers, be it in other types; those too large to be looked at count as different."""
    if one.count != other.count:
        return False
    several = [parts.looked_at(record, exponent(record)) for record in (one, other)]
    first, second = (None if numbers is None else numbers.reshape(-1) for numbers in several)
    return first is not None and second is not None and bool(np.array_equal(first, second, equal_nan=True))


def odd_scales(
    weight: TensorRecord,
    scale: TensorRecord,
    parts: Parts,
    *,
    few: bool,
    type: StoredType | None = None,
    signed: bool = False,
) -> Iterator[Finding]:
    """What is odd about scales that are few enough to be looked at now: NaN and Inf, and negative ones unless they are `signed`;
    with `few`, zeros too. Among scales of small groups zeros are those of groups that are zero.
    """
    values = parts.looked_at(scale, type or exponent(scale))
    if values is None or not values.size:
        return
    with np.errstate(invalid="ignore"):  # signalling NaN
        if values.min() > 0 and values.max() < np.inf:  # a NaN fails both
            return
    numbers = [
        (int(np.count_nonzero(np.isnan(values))), "NaN"),
        (int(np.count_nonzero(np.isinf(values))), "infinite"),
    ]
    if few:
        numbers.append((int(np.count_nonzero(values == 0)), "zero"))
    if not signed:
        numbers.append((int(np.count_nonzero(values < 0)), "negative"))
    odd = [f"{count:,} {what}" for count, what in numbers if count]
    if odd:
        text = f"Of the {values.size:,} scales in {named(scale)}, {', '.join(odd)}: they scale {named(weight)}."
        yield remark("odd_scale", text, scale, parts, expected="positive numbers", found=", ".join(odd))
