"""Verdicts as SARIF 2.1.0, which code hosts show beside the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from urllib.parse import quote

import weightmap
from weightmap.codes import CODES
from weightmap.errors import printable
from weightmap.findings import Finding

_LEVELS = {"error": "error", "warning": "warning", "info": "note", "ok": "none"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(verdicts: Iterable[tuple[str, Sequence[Finding]]]) -> dict[str, object]:
    """The log of (path, findings) pairs: one run, a rule for each code that occurs."""
    results = [_result(path, finding) for path, findings in verdicts for finding in findings]
    codes = sorted({str(result["ruleId"]) for result in results})
    driver = {"name": "weightmap", "version": weightmap.__version__, "rules": [_rule(code) for code in codes]}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _rule(code: str) -> dict[str, object]:
    listed = CODES[code]
    rule: dict[str, object] = {"id": code, "shortDescription": {"text": listed.condition}}
    rule["defaultConfiguration"] = {"level": _LEVELS[listed.severity]}
    return rule | ({"help": {"text": listed.advice}} if listed.advice else {})


def _result(path: str, finding: Finding) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(finding.path or path)}}
    if finding.offset is not None:
        place["region"] = {"byteOffset": finding.offset}
    location: dict[str, object] = {"physicalLocation": place}
    named = (("tensor", finding.tensor), ("key", finding.key))
    logical = [{"kind": kind, "fullyQualifiedName": name} for kind, name in named if name is not None]
    if logical:
        location["logicalLocations"] = logical
    said = " ".join(part for part in (printable(finding.message), finding.advice) if part)
    return {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": said},
        "locations": [location],
    }


def _uri(path: str) -> str:
    """A relative path as a relative reference, an absolute one as a file: address; bytes that are no text percent-encoded."""
    if PurePath(path).is_absolute():
        return Path(path).as_uri()
    return quote(PurePath(path).as_posix().encode("utf-8", "surrogateescape"))
