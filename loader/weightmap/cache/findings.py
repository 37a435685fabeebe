"""Findings about one file as plain lists, without the path, which is that of whoever opens the file."""

from __future__ import annotations

from typing import Any

from weightmap.findings import Finding, Severity

FIELDS = ("code", "message", "tensor", "key", "offset", "expected", "found", "advice")


class Unkeepable(Exception):  # noqa: N818 - no fault: such a thing is worked out each time
    """There is something that is not kept."""


def described(finding: Finding, path: str) -> list[Any]:
    """A finding about the file at `path`. Raises Unkeepable for one that is about another."""
    if finding.path not in (None, path):
        raise Unkeepable
    return [str(finding.severity), finding.path is not None, *(getattr(finding, name) for name in FIELDS)]


def restored(stated: list[Any], path: str) -> Finding:
    """The same finding about the file as it is called now. Raises TypeError and ValueError for an odd list."""
    severity, placed, *fields = stated
    named = dict(zip(FIELDS, fields, strict=True))
    return Finding(severity=Severity(severity), path=path if placed else None, **named)
