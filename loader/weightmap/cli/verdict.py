"""Findings as lines for people, and what they make of the exit status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weightmap.cli import text
from weightmap.errors import printable
from weightmap.findings import Finding, Severity
from weightmap.folding import folded

_MOST = 40  # findings shown of one file; --json has them all


def exit_status(statuses: Iterable[Severity], fail_on: Severity = Severity.ERROR) -> int:
    """1 where one of the statuses is at least as loud as `fail_on`, else 0."""
    return int(any(status.rank >= fail_on.rank for status in statuses))


def lines(findings: Sequence[Finding], path: str | None, indent: str = "") -> str:
    """Every finding: what, where, and once for several in a row with the same advice what to do. A fault that many tensors
    of one file have is said once.

    The path is named only where it is not the one of the heading.
    """
    every = folded(findings)
    shown = every[:_MOST]
    said = ""
    for index, finding in enumerate(shown):
        last = index + 1 == len(shown) or shown[index + 1].advice != finding.advice
        said += _entry(finding, path, indent, advise=last)
    if len(every) > _MOST:
        said += f"{indent}… and {len(every) - _MOST:,} more; --json lists them all\n"
    return said


def _entry(finding: Finding, path: str | None, indent: str, *, advise: bool) -> str:
    where = [
        None if finding.path in (None, path) else printable(str(finding.path)),
        None if finding.tensor is None else f"tensor {text.clipped(finding.tensor, text.NAME)}",
        None if finding.key is None else f"key {text.clipped(finding.key, text.NAME)}",
        None if finding.offset is None else f"byte {finding.offset:,}",
    ]
    head = f"{indent}{text.mark(finding.severity)} {text.coloured(finding.severity, finding.severity)} {finding.code}: "
    below = [", ".join(part for part in where if part), finding.advice if advise else None]
    return head + printable(finding.message) + "\n" + "".join(f"{indent}  {line}\n" for line in below if line)
