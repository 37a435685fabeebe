"""What the commands write, and how: strict JSON for programs, text for people, and a reader who has left is no error."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weightmap.errors import WeightFileError, printable
from weightmap.findings import Finding


class Refusal(Exception):  # noqa: N818 - a command that cannot be carried out as asked, not a fault of this program
    """A command cannot be carried out, and no file is at fault: a name that is not there, a place that cannot be written."""

    def __init__(self, code: str, message: str, *, path: str | None, tensor: str | None = None, status: int) -> None:
        super().__init__(message)
        self.code, self.message, self.path, self.tensor, self.status = code, message, path, tensor, status


def write(text: str) -> None:
    """Write to stdout. Where the reader has gone (`| head`), the rest is dropped and the command ends as it would have."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def document(value: object) -> None:
    """Write one strict JSON document: ASCII, what is not finite is null, undecodable characters as backslash escapes."""
    write(json.dumps(plain(value), allow_nan=False, separators=(",", ":")) + "\n")


def plain(value: Any) -> Any:
    """The value in what JSON has: dict, list, str, int, float, bool, None."""
    if isinstance(value, str):
        return "".join(printable(c) if "\ud800" <= c <= "\udfff" else c for c in value)
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


def finding_entry(finding: Finding) -> dict[str, object]:
    """A finding as the JSON of validate shows it."""
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


def error_entry(problem: WeightFileError | Refusal) -> dict[str, object]:
    """What went wrong, as the JSON of a failed command shows it."""
    if isinstance(problem, WeightFileError):
        kept = ("path", "code", "message", "tensor", "key", "offset")
        entry = finding_entry(problem.finding)
        return {name: entry[name] for name in kept}
    return {
        "path": problem.path,
        "code": problem.code,
        "message": problem.message,
        "tensor": problem.tensor,
        "key": None,
        "offset": None,
    }
