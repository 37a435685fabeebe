"""What one finding says of many tensors: it names the first of them, or the byte from which on all values are wrong."""

from __future__ import annotations

from weightmap.findings import Finding
from weightmap.formats.layout import TensorRecord

EMPTY = (0,)
BEHIND = ("begun_again", "text_mode")
WIDE = (*BEHIND, "emptied")


def is_empty(record: TensorRecord) -> bool:
    """Whether it is a weight that has no values."""
    return record.shape == EMPTY and record.name.endswith(".weight")


def reaches(found: Finding, record: TensorRecord, path: str) -> bool:
    """Whether it is about this tensor of the file at `path`, by its name or together with others."""
    if found.tensor == record.name:
        return True
    if found.code in BEHIND:
        return found.path == path and found.offset is not None and record.offset + record.nbytes > found.offset
    return found.code == "emptied" and is_empty(record)
