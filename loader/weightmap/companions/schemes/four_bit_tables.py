"""The numbers that bitsandbytes' 4-bit codes stand for: stored beside each weight, but built into the kernels as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import named, remark
from weightmap.companions.parts import Parts
from weightmap.companions.scales import odd_scales
from weightmap.findings import Finding, Severity
from weightmap.formats.layout import TensorRecord

_FP4 = (0.0, 1 / 192, 2 / 3, 1.0, 1 / 3, 1 / 2, 1 / 6, 1 / 4)
_NF4 = (
    -1.0,
    -0.6962,
    -0.5251,
    -0.3949,
    -0.2844,
    -0.1848,
    -0.0911,
    0.0,
    0.0796,
    0.1609,
    0.2461,
    0.3379,
    0.4407,
    0.5626,
    0.723,
)
TABLES = {"nf4": (*_NF4, 1.0), "fp4": (*_FP4, *(-number for number in _FP4))}
"""The numbers of both kinds of codes, to four places: what a table is told by. The stored ones are read."""

NEAR = 0.01  # how far a table stored in another type may be from them


def odd_table(codes: TensorRecord, table: TensorRecord, kind: str, parts: Parts) -> Iterator[Finding]:
    """What is odd about the numbers that codes stand for: what is no number, or another table than the one of their kind."""
    yield from (found := list(odd_scales(codes, table, parts, few=False, signed=True)))
    numbers = parts.looked_at(table)
    if found or numbers is None or _near(numbers, kind):
        return
    text = (
        f"{named(table)} is not the table of {kind}, which kernels have built in: {named(codes)} is shown by the table that is "
        "stored, and they read other values."
    )
    severity = Severity.WARNING if any(_near(numbers, other) for other in TABLES) else Severity.INFO
    yield remark("quant_metadata", text, table, parts, severity=severity)


def _near(numbers: NDArray[Any], kind: str) -> bool:
    return bool(np.allclose(numbers.reshape(-1), TABLES[kind], rtol=0, atol=NEAR))
