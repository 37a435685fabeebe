"""JSON as the safetensors format wants it: strict, with doubled names kept, and no way to exhaust the machine."""

from __future__ import annotations

import json
from typing import Any, NoReturn

Pairs = tuple[tuple[str, Any], ...]


def loads(text: bytes) -> Any:
    """Parse strict JSON. An object comes as a tuple of (name, value) pairs in order, doubles included; a list as a list.

    Raises ValueError with a sentence's end ("is not UTF-8 ...") for whatever the format does not allow. Integers are
    unbounded up to the few thousand digits that Python reads; NaN and Infinity are refused.
    """
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(f"is not UTF-8 at byte {problem.start:,} of it") from None
    if decoded.startswith("\ufeff"):
        raise ValueError("begins with a byte order mark instead of JSON")
    try:
        return _decoder.decode(decoded)
    except RecursionError:
        raise ValueError("is JSON that is nested too deep") from None
    except json.JSONDecodeError as problem:
        what = problem.msg[:1].lower() + problem.msg[1:]
        joint = "" if what.endswith(" at") else ", at"  # some of its words expect a place behind them
        raise ValueError(f"is not valid JSON: {what}{joint} character {problem.pos:,}") from None
    except ValueError as problem:
        many = "limit" in str(problem)  # Python's own words about its limit are for programmers
        raise ValueError(f"is not valid JSON: {'a number has thousands of digits' if many else problem}") from None


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_decoder = json.JSONDecoder(object_pairs_hook=tuple, parse_constant=_constant)
