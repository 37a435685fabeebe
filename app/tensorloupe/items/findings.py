"""Findings as a table: shape, code, what, where; and one finding as the lines that the reader beside it shows."""

from __future__ import annotations

import re

import weightmap
from tensorloupe.files import places
from tensorloupe.items import roles
from tensorloupe.items.table import Index, RowTable
from tensorloupe.style import text

CODE, WHAT, WHERE = range(3)


class FindingsTable(RowTable[weightmap.Finding]):
    """What is to be said about a file, in the order given."""

    heads = ("Code", "What", "Where")
    quiet = frozenset({CODE, WHERE})

    def cell(self, row: weightmap.Finding, column: int) -> str:
        return (row.code, weightmap.printable(row.message), where(row))[column]

    def tip(self, row: weightmap.Finding, column: int) -> str | None:
        return weightmap.printable(row.message) if column == WHAT else where(row) if column == WHERE else None

    def look(self, index: Index) -> roles.Look:
        look = super().look(index)
        return look._replace(middle=True) if index.column() == WHERE else look

    def status(self, row: weightmap.Finding) -> str | None:
        return str(row.severity)


def where(finding: weightmap.Finding) -> str:
    """The tensor or key, else the byte, else the file that a finding is about; escaped."""
    if finding.tensor is not None:
        return weightmap.printable(finding.tensor)
    if finding.key is not None:
        return weightmap.printable(finding.key)
    if finding.offset is not None:
        return f"byte {text.count(finding.offset)}"
    return weightmap.printable(places.name(finding.path)) if finding.path else "the file"


def told(finding: weightmap.Finding) -> str:
    """A finding in one sentence that stands alone: the tensor is named in front where the message does not; escaped."""
    said = weightmap.printable(finding.message)
    named = weightmap.printable(finding.tensor or "")
    there = re.search(rf"(?<![\w.]){re.escape(named)}(?![\w.]*\w)", said)
    return said if there or not named else f"{named}: {said}"


def lines(finding: weightmap.Finding) -> list[tuple[str, str]]:
    """(label, text) of everything that a finding says, in the order what, where, expected, found, what to do."""
    said = [("What", finding.message), ("Where", _place(finding))]
    said += [("Expected", finding.expected or ""), ("Found", finding.found or ""), ("What to do", finding.advice or "")]
    said += [("File", finding.path or "")]
    return [(label, weightmap.printable(said_)) for label, said_ in said if said_]


def report(path: str, findings: tuple[weightmap.Finding, ...]) -> str:
    """All findings as plain text, to be pasted into a message."""
    blocks = [weightmap.printable(path), text.counted(len(findings), "finding")]
    for finding in findings:
        body = "\n".join(f"  {label}: {said}" for label, said in lines(finding) if label != "What")
        blocks.append(f"[{finding.severity}] {finding.code}: {weightmap.printable(finding.message)}\n{body}")
    return "\n\n".join(blocks) + "\n"


def _place(finding: weightmap.Finding) -> str:
    at = [
        finding.tensor or "",
        finding.key or "",
        "" if finding.offset is None else f"byte {text.count(finding.offset)}",
    ]
    return ", ".join(part for part in at if part)
