"""What one finding says of many tensors: it names the first of them, or the byte from which on all values are wrong."""

from __future__ import annotations

from collections.abc import Iterable

from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord

EMPTY = (0,)
BEHIND = ("begun_again", "repeated_piece", "text_mode")
WIDE = (*BEHIND, "emptied")
READ = (
    "odd_scale",
    "odd_zero",
    "group_index",
    "quant_metadata",
    "non_finite",
    "all_zero",
    "zeroed_stretch",
    "saturated",
)
"""What is said after a look at values."""


def is_empty(record: TensorRecord) -> bool:
    """Whether it is a weight that has no values."""
    return record.shape == EMPTY and record.name.endswith(".weight")


def is_behind(one: Finding, said: Iterable[Finding]) -> bool:
    """Whether this is about bytes of which it is said that they are not those which belong there."""
    places = [cause.offset or 0 for cause in said if cause.code in BEHIND and cause.path == one.path]
    return bool(places) and (one.offset is None or one.offset >= min(places))


def reaches(found: Finding, record: TensorRecord, path: str) -> bool:
    """Whether it is about this tensor of the file at `path`, by its name or together with others."""
    if found.tensor == record.name:
        return True
    if found.code in BEHIND:
        return found.path == path and found.offset is not None and record.offset + record.nbytes > found.offset
    return found.code == "emptied" and is_empty(record)
