"""A value exactly as it is stored, in the fewest digits that mean it and no other of its dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorloupe.style.text import MINUS, count

LARGEST_WHOLE = 2**53  # whole floats up to here are written with all their digits: 65504, not 6.55e+04


def _is_whole(value: Any, kind: str) -> bool:
    return kind not in "bciu" and abs(float(value)) <= LARGEST_WHOLE and float(value).is_integer()


def shown(value: Any) -> str:
    """For reading: a true minus, thousands in whole numbers, true and false, NaN and Inf by name."""
    kind = np.asarray(value).dtype.kind
    if kind == "b":
        return "true" if value else "false"
    if kind in "iu" or _is_whole(value, kind):
        return count(int(value))
    return copied(value).replace("-", MINUS)


def copied(value: Any) -> str:
    """For the clipboard and for files: plain digits, a point, no commas."""
    kind = np.asarray(value).dtype.kind
    if kind == "b":
        return "true" if value else "false"
    if _is_whole(value, kind):
        return str(int(value))
    text = str(value)
    if kind == "c":
        return text.strip("()")
    return {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}.get(text, text.removesuffix(".0"))


def table(values: NDArray[Any]) -> str:
    """Rows of a matrix as lines, values separated by tabs."""
    return "\n".join("\t".join(copied(value) for value in row) for row in values)
