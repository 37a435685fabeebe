"""Which zeros GPTQ's packed zeros stand for: those of version 1 lack one, those of version 2 do not, and some are broken.

A symmetric weight has the middle of the codes as its only zero, so what is stored tells the version. A zero of 0 was written
by version 1 as -1, whose bits ran over all zeros above it in the word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import named, remark
from weightmap.companions.integers.packed import Along
from weightmap.companions.parts import Parts
from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord
from weightmap.types.workspace import Workspace

SAMPLE = 1 << 16  # zeros that are looked at
LOOKED_THROUGH = 1 << 22  # bytes
LACKING, AS_STORED = "stored zeros lack one (v1)", "zeros as they are stored (v2)"


@dataclass(frozen=True, slots=True)
class Convention:
    """How stored zeros are read: what is `added` to them, in `words`; what is said, assumed, and else possible."""

    scheme: str
    words: str
    added: int
    said: tuple[Finding, ...] = ()
    assumed: str | None = None
    others: tuple[tuple[str, int], ...] = ()


def convention_of(module: str, zeros: TensorRecord | None, bits: int, rows: int, parts: Parts) -> Convention:
    """The convention of one weight: by its zeros where they tell, else by the config, else assumed."""
    middle = 1 << bits - 1
    if zeros is None:
        return Convention("gptq", f"{middle} for all", 0)
    stored = _looked_at(zeros, bits, rows, parts)
    told = _told(module, parts)
    low, high = (int(stored.min()), int(stored.max())) if stored.size else (0, 0)
    if stored.size and low == high and low in (middle - 1, middle):
        version = 1 if low == middle - 1 else 2
        said: tuple[Finding, ...] = ()
        if told is not None and told != version:
            text = (
                f"{parts.config_name} says that stored zeros {'lack one' if told == 1 else 'are as they are'}, but every zero in "
                f"{named(zeros)} is {low}, the middle of {1 << bits} codes{' less one' if version == 1 else ''}: they are "
                f"read as GPTQ version {version}."
            )
            said = (remark("quant_config", text, zeros, parts),)
        return _made(version, said)
    version = told or 1
    said = tuple(_flooded(zeros, stored, bits, parts)) if version == 1 else ()
    if stored.size and parts.config.weights(module).get("sym") is True:
        text = (
            f"{parts.config_name} says that the codes are symmetric, but {named(zeros)} has other zeros than their middle, with "
            "which they are read; loaders that go by the config take the middle."
        )
        said = (*said, remark("quant_config", text, zeros, parts))
    other = (AS_STORED, 0) if version == 1 else (LACKING, 1)
    assumed = None
    if told is None:
        assumed = (
            "Nothing says whether one was taken off the zeros before they were stored, as the first writers of GPTQ did: it is "
            "assumed."
        )
    return _made(version, said, assumed, (other,))


def same_for_all(zeros: TensorRecord, bits: int, rows: int, parts: Parts) -> int | None:
    """The stored zero where all are the same, as in symmetric weights, and few enough to be looked at; else None."""
    lines = int(np.prod(zeros.shape[:-1], dtype=object))
    if not 0 < zeros.nbytes <= LOOKED_THROUGH or not rows:
        return None
    words = np.empty((lines, zeros.shape[-1]), parts.stored(zeros).value)
    parts.stored(zeros).read(0, zeros.count, words.reshape(-1), Workspace())
    if not (words == words[0]).all():
        return None
    first = Along(parts.stored(zeros), bits, zeros.shape[-1] * 4).read(
        np.zeros(1, np.int64), 0, rows, Workspace(), "zeros"
    )
    return int(first[0, 0]) if int(first.min()) == int(first.max()) else None


def _made(
    version: int, said: tuple[Finding, ...], assumed: str | None = None, others: tuple[tuple[str, int], ...] = ()
) -> Convention:
    if version == 1:
        return Convention("gptq", LACKING, 1, said, assumed, others)
    return Convention("gptq_v2", AS_STORED, 0, said, assumed, others)


def _told(module: str, parts: Parts) -> int | None:
    """The version that the config says; of a GPTQ config that says nothing it is 1."""
    config = parts.config
    form = config.word("checkpoint_format", module) or config.word("format", module)
    if form in ("gptq", "gptq_v2"):
        return 2 if form == "gptq_v2" else 1
    if config.word("packing_format", module).endswith("v2"):
        return 2
    return 1 if config.method == "gptq" else None


def _looked_at(zeros: TensorRecord, bits: int, rows: int, parts: Parts) -> NDArray[np.uint8]:
    """Stored zeros of the first groups, (groups, rows)."""
    lines = int(np.prod(zeros.shape[:-1], dtype=object))
    many = max(min(SAMPLE // max(rows, 1), lines), 1 if lines else 0)
    wide = min(rows, SAMPLE)
    if not many or not wide:
        return np.empty((0, 0), np.uint8)
    found = Along(parts.stored(zeros), bits, zeros.shape[-1] * 4)
    return found.read(np.arange(many, dtype=np.int64), 0, wide, Workspace(), "zeros")


def _flooded(zeros: TensorRecord, stored: NDArray[np.uint8], bits: int, parts: Parts) -> list[Finding]:
    """Words whose upper zeros are all as large as can be: -1 was stored among them."""
    per = 32 // bits
    words = stored[:, : stored.shape[1] // per * per].reshape(-1, per)
    full = words == (1 << bits) - 1
    count = int(np.count_nonzero(full[:, -1] & full[:, -2])) if len(words) and per > 1 else 0
    if not count:
        return []
    text = (
        f"In {count:,} words of {named(zeros)} all upper zeros are {(1 << bits) - 1}: a zero of 0, less one, ran over "
        "them when it was packed. The values of their rows are not what was meant."
    )
    return [remark("odd_zero", text, zeros, parts, found=f"{count:,} words")]
