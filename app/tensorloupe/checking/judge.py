"""One model of many: opened, judged and let go of again, on a background thread. What comes back holds no file open."""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import weightmap
from tensorloupe.files.places import is_address
from tensorloupe.items.summary import form_of
from tensorloupe.task import Progress

_TYPES = 4  # stored types that are named; the others are counted


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a model once it is open; escaped text. `files` are those that a set is made of, links resolved."""

    form: str
    types: str
    tensors: int | None
    nbytes: int | None
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on a model. `entry` is its element of the list that `weightmap validate --json` prints, compressed."""

    facts: Facts
    status: str
    findings: tuple[weightmap.Finding, ...]
    values: bool
    openable: bool
    entry: bytes


def judge(path: str, values: bool, progress: Progress, opened: Callable[[Facts], None]) -> Judged:
    """Judge the model at a path; `opened` hears what is known before the values are looked at.

    What cannot be opened is judged like any other. Raises weightmap.Cancelled once nobody wants it.
    """
    try:
        with weightmap.open(path, progress=lambda *_: progress(0, 1)) as model:
            facts = _facts(model)
            opened(facts)
            verdict = weightmap.validate(model, values=values, progress=progress, threads=1)
        return _judged(facts, verdict, values)
    except weightmap.WeightFileError as problem:
        finding = problem.finding
        verdict = weightmap.Verdict(path, None, weightmap.Severity.ERROR, (finding,))
        return _judged(Facts("", "", None, size_of(path), ()), verdict, False)


def size_of(path: str) -> int | None:
    """The bytes of a file; None for a folder and for what cannot be reached."""
    try:
        return os.path.getsize(path) if os.path.isfile(path) else None
    except (OSError, ValueError):
        return None


def unpacked(entry: bytes) -> bytes:
    """The entry as JSON text."""
    return zlib.decompress(entry)


def _judged(facts: Facts, verdict: weightmap.Verdict, values: bool) -> Judged:
    entry = json.dumps(verdict.entry(), allow_nan=False, separators=(",", ":")).encode("ascii")
    opened = verdict.format is not None
    return Judged(facts, str(verdict.status), verdict.findings, values, opened, zlib.compress(entry, 1))


def _real(path: str) -> str:
    return path if is_address(path) else os.path.realpath(path)


def _facts(model: weightmap.WeightFile) -> Facts:
    form = form_of(model)
    form += ", big-endian" if model.byte_order == "big" else ""
    form += f", {len(model.parts)} parts" if len(model.parts) > 1 else ""
    nbytes: Counter[str] = Counter()
    for tensor in model.records:
        nbytes[tensor.type.name] += tensor.nbytes
    names = [weightmap.printable(name) for name, _ in nbytes.most_common(_TYPES)]
    more = len(nbytes) - len(names)
    types = ", ".join(names) + (f" and {more} more" if more else "")
    files = tuple(_real(part.path) for part in model.parts) if len(model.parts) > 1 else ()
    return Facts(form, types, len(model.records), sum(part.size or 0 for part in model.parts), files)
