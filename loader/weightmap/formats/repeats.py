"""Headers that break off because the file begins anew inside them, as where a download began again before it had them whole."""

from __future__ import annotations

from weightmap.errors import WeightFileError, error
from weightmap.findings import finding
from weightmap.formats.line_ends import UNTOLD
from weightmap.source.byte_source import ByteSource

HEAD = 32  # bytes that no other place repeats: magic number and counts, or the length and the first names
LOOKED_AT = 1 << 24  # bytes; few headers are longer


def explained(problem: WeightFileError, source: ByteSource) -> WeightFileError:
    """What makes a header unreadable: the same, or that the file begins anew at a place inside it."""
    if problem.code in (*UNTOLD, "text_mode") or not source.mapped or source.size < 2 * HEAD:
        return problem
    data = source.read(0, min(source.size, LOOKED_AT))
    at = data.find(data[:HEAD], 1) if any(data[:HEAD]) else -1
    if at < HEAD:
        return problem
    return error(
        finding(
            "begun_again",
            f"The file begins anew at byte {at:,}, inside its own header, as where a download began from the start instead of "
            f"going on. {problem.finding.message}",
            path=source.path,
            key=problem.finding.key,
            tensor=problem.finding.tensor,
            offset=at,
            advice=f"Cut off the first {at:,} bytes, and see whether the rest is whole; or download it again.",
        )
    )
