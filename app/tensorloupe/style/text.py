"""Numbers as the window writes them: the same in every locale, with commas, a true minus and decimal sizes.

What is rounded here is for reading. Copies and exports take the value itself.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable

MINUS = "\u2212"
TIMES = "\u00d7"
ABOUT = "\u2248"
AT_LEAST = "\u2265"
_LEFT_TO_RIGHT = "\u200e"  # a mark that is not seen, for the order of what stands on either side
_BETWEEN = re.compile(r"[./]|[_-](?=[0-9])")  # not the words of one part: these are read in their own order
_PIECE = 12  # letters of a long name that stay on one line
_RUN = re.compile(r"[^\s/]{36,}")
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def count(value: int) -> str:
    """A whole number with all its digits: 262,144."""
    return f"{value:,}".replace("-", MINUS)


def counted(value: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 tensor", "236 tensors"."""
    return f"{count(value)} {one if value == 1 else many or one + 's'}"


def number(value: float | int | None, digits: int = 4, zeros: bool = False) -> str:
    """A value for reading, with `digits` significant ones: 0.03955, −7.89e−05, 15.8. Whole numbers keep every digit.

    With `zeros`, those at the end are kept, for columns in which all numbers are equally precise: 0.01010 under 0.01099.
    """
    if value is None:
        return "none"
    if isinstance(value, int):
        return count(value)
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else f"{MINUS}Inf"
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e6:
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text and not zeros else text
    else:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa and not zeros else mantissa
        text = f"{mantissa}e{exponent}"
    return text.replace("-", MINUS)


def size(nbytes: int) -> str:
    """Bytes with a decimal unit: 554 B, 450.6 kB, 253.1 MB."""
    value, unit = float(nbytes), 0
    while abs(value) >= 999.95 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{count(nbytes)} B" if unit == 0 else f"{value:.1f} {_UNITS[unit]}".replace("-", MINUS)


def shape(dimensions: Iterable[int]) -> str:
    """Dimensions in the order given: "1,024 × 640"; a scalar has none and is called so."""
    return f" {TIMES} ".join(count(n) for n in dimensions) or "scalar"


def percent(share: float, decimals: int = 2) -> str:
    """A share of 1 as a percentage: 0.20 %. What is not zero never reads as zero."""
    least = 10.0**-decimals
    if 0 < share * 100 < least / 2:
        return f"< {least:.{decimals}f} %"
    return f"{share * 100:.{decimals}f} %".replace("-", MINUS)


def breakable(said: str) -> str:
    """A text for a label that breaks lines: long paths may break after a slash, long names anywhere."""
    return _RUN.sub(
        lambda run: "\u200b".join(run[0][i : i + _PIECE] for i in range(0, len(run[0]), _PIECE)), said
    ).replace("/", "/\u200b")


def forth(name: str) -> str:
    """A name as it is painted: its parts from the left to the right, as they are ordered, whatever letters are in them. Left to
    themselves numbers behind Hebrew or Arabic letters would stand before them.
    """
    if name.isascii() or not any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
        return name
    return _LEFT_TO_RIGHT + _BETWEEN.sub(rf"{_LEFT_TO_RIGHT}\g<0>{_LEFT_TO_RIGHT}", name)


def bits(value: float) -> str:
    """Bits per weight, two decimals: 5.50."""
    return f"{value:.2f}"


def parsed(text: str) -> float | None:
    """The number that somebody typed (1.5, 1,5, 1,234.5, −3e−4, 20%), or None where it cannot be read as one."""
    text = text.strip().replace(MINUS, "-").replace("\u00a0", "").replace(" ", "")
    if "," in text and "." in text:
        # the last of the two is the decimal sign
        text = text.replace(",", "") if text.rindex(".") > text.rindex(",") else text.replace(".", "").replace(",", ".")
    elif text.count(",") == 1:
        text = text.replace(",", ".")
    else:
        text = text.replace(",", "")
    scale = 0.01 if text.endswith("%") else 1.0
    try:
        value = float(text.removesuffix("%")) * scale
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None
