"""Line ends as a transfer in text mode leaves them: a carriage return before every line feed, those among numbers as well.

Among bytes of weights every 256th line feed has a carriage return before it by chance; where all have, none was left out.
"""

from __future__ import annotations

import re

from weightmap.errors import WeightFileError, error
from weightmap.findings import finding
from weightmap.source.byte_source import ByteSource

LOOKED_AT = 1 << 20  # bytes
LEAST = 16  # line feeds among them: so many have no carriage returns before them by chance
_IN_NUMBER = re.compile(rb"[\0-\x08\x0e-\x1f]\r\n[\0-\x08\x0e-\x1f]|\A.{0,3}\r\n.{0,3}\0{4}", re.DOTALL)
"""Between other bytes of numbers, as a text may end with a line and a number follow; or in the length that begins safetensors."""
UNTOLD = ("truncated", "file_changed", "closed", "read_error", "remote_error")
"""Errors that say what they are caused by."""


def converted(source: ByteSource, start: int) -> tuple[int, int] | None:
    """How many line feeds there are from `start` on and where the first one's carriage return stands; None where one has none."""
    size = min(source.size - start, LOOKED_AT)
    data = source.read(start, size) if size > 0 else b""
    feeds = data.count(b"\n")
    if feeds < LEAST or data.count(b"\r\n") < feeds:
        return None
    return feeds, start + data.index(b"\r\n")


def explained(problem: WeightFileError, source: ByteSource) -> WeightFileError:
    """What makes a header unreadable: the same, or that the file went through text mode before, which shifted it: no name
    of what was being read, which is none then.

    A number has to show it: a text in the header may have such line ends, and be cut.
    """
    if problem.code in UNTOLD or not source.mapped or (found := converted(source, 0)) is None:
        return problem
    feeds, first = found
    if not _IN_NUMBER.search(source.read(0, min(source.size, LOOKED_AT))):
        return problem
    return error(
        finding(
            "text_mode",
            f"Each of the first {feeds:,} line feeds of the file has a carriage return before it, as a transfer in text mode "
            f"leaves them, the first at byte {first:,}: what lies behind it is shifted. {problem.finding.message}",
            path=source.path,
            offset=first,
            expected=problem.finding.expected,
            found=problem.finding.found,
        )
    )
