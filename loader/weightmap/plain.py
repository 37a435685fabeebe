"""What JSON documents are made of: values in the few kinds that strict JSON has, and findings as entries."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from weightmap.errors import printable
from weightmap.findings import Finding

_SURROGATE = re.compile("[\ud800-\udfff]")


def plain(value: Any) -> Any:
    """The value in what JSON has: dict, list, str, int, float, bool, None.

    What is not finite is None; undecodable characters become backslash escapes. TypeError for what has no form in JSON.
    """
    if isinstance(value, str):
        return value if value.isascii() or not _SURROGATE.search(value) else value.translate(_escapes())
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no form in JSON")


@cache
def _escapes() -> dict[int, str]:
    """What each undecodable character is written as: a text of millions of them is written at the speed of a copy."""
    return {code: printable(chr(code)) for code in range(0xD800, 0xE000)}


def finding_entry(finding: Finding) -> dict[str, object]:
    """A finding as documents show it."""
    return {
        "severity": str(finding.severity),
        "code": finding.code,
        "message": finding.message,
        "path": finding.path,
        "tensor": finding.tensor,
        "key": finding.key,
        "offset": finding.offset,
        "expected": finding.expected,
        "found": finding.found,
        "advice": finding.advice,
    }
