"""What is said about a file: one record per finding, and the public vocabulary of codes.

A finding is written for the person who has the file: what, where, expected, found, what to do. The table `CODES` is the
one place that says how loud a code is by default and what its advice is; whoever finds something names the code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from weightmap.codes import CODES

LONGEST_MESSAGE = 2000  # characters; a name from a file may have a million
MANY = 20  # findings of one code that are kept before the others are counted instead
MORE = " {:,} more are like this."  # at the end of the last one kept


class Severity(StrEnum):
    """How loud a finding is; compares equal to its plain string. The order is that of `rank`."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for ok to 3 for error: the status of a group is the severity of the highest rank in it."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing worth saying about a file.

    `message` is a whole sentence that names what was expected and what was found. `path` is the part of a set that it
    is about, `offset` an absolute byte position in that part. `expected` and `found` repeat the two sides for a table;
    `advice` says what to do. Text in it may come from the file and must be shown as plain, escaped text.
    """

    severity: Severity
    code: str
    message: str
    path: str | None = None
    tensor: str | None = None
    key: str | None = None
    offset: int | None = None
    expected: str | None = None
    found: str | None = None
    advice: str | None = None


def finding(
    code: str,
    message: str,
    *,
    severity: Severity | None = None,
    path: str | None = None,
    tensor: str | None = None,
    key: str | None = None,
    offset: int | None = None,
    expected: object = None,
    found: object = None,
    advice: str | None = None,
) -> Finding:
    """A Finding whose severity and advice are those of its code, unless given. Raises KeyError for an unlisted code."""
    listed = CODES[code]
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[: LONGEST_MESSAGE - 500]} … {message[-497:]}"
    return Finding(
        severity=severity or Severity(listed.severity),
        code=code,
        message=message,
        path=path,
        tensor=tensor,
        key=key,
        offset=offset,
        expected=None if expected is None else str(expected),
        found=None if found is None else str(found),
        advice=advice or listed.advice or None,
    )


def worst(findings: Iterable[Finding]) -> Severity:
    """The status that these findings give: the severity of the loudest one, ok where there is none."""
    return max((f.severity for f in findings), key=lambda severity: severity.rank, default=Severity.OK)


class Few:
    """Collects findings, MANY of each code: a hostile header has reason for a million, and nobody reads them."""

    def __init__(self) -> None:
        self._kept: list[Finding] = []
        self._counts: Counter[str] = Counter()
        self._last: dict[str, int] = {}

    def add(self, one: Finding) -> None:
        """Keep one more, or count it."""
        self._counts[one.code] += 1
        if self._counts[one.code] <= MANY:
            self._last[one.code] = len(self._kept)
            self._kept.append(one)

    def findings(self) -> list[Finding]:
        """What was kept, in order; the last of a code that has more says how many more."""
        kept = list(self._kept)
        for code, place in self._last.items():
            if (more := self._counts[code] - MANY) > 0:
                kept[place] = replace(kept[place], message=kept[place].message + MORE.format(more))
        return kept


def limited(findings: Iterable[Finding]) -> list[Finding]:
    """The first findings of each code as they are; of what is more than MANY only the number, in the last one shown."""
    few = Few()
    for one in findings:
        few.add(one)
    return few.findings()
