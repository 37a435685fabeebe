"""What is said about a file: one record per finding, and the public vocabulary of codes.

A finding is written for the person who has the file: what, where, expected, found, what to do. The table `CODES` is the
one place that says how loud a code is by default and what its advice is; whoever finds something names the code.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from weightmap.codes import CODES

LONGEST_MESSAGE = 2000  # characters; a name from a file may have a million
MANY = 20  # findings of one code that are kept before the others are counted instead
ALIKE = 3  # tensors with one fault that people are told of one by one, and as many names of more
_MORE = " {:,} more are like this."
_COUNTED = re.compile(r" ([\d,]+) more are like this\.$")


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
                kept[place] = replace(kept[place], message=kept[place].message + _MORE.format(more))
        return kept


def limited(findings: Iterable[Finding]) -> list[Finding]:
    """The first findings of each code as they are; of what is more than MANY only the number, in the last one shown."""
    few = Few()
    for one in findings:
        few.add(one)
    return few.findings()


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """The findings as people read them: where more than ALIKE tensors of one file have the same fault, the first with the
    number of the others and the names of some, in its place.
    """
    kept = list(findings)
    groups: defaultdict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for one in kept:
        if one.tensor is not None:
            groups[one.severity, one.code, one.path].append(one)
    alike = [group for group in groups.values() if len(group) > ALIKE]
    first = {id(group[0]): _with_others(group) for group in alike}
    others = {id(one) for group in alike for one in group[1:]}
    return [first.get(id(one), one) for one in kept if id(one) not in others]


def _with_others(group: list[Finding]) -> Finding:
    from weightmap.errors import printable  # which needs what is said here

    counted = sum(int(more[1].replace(",", "")) for one in group if (more := _COUNTED.search(one.message)))
    number = len(group) - 1 + counted
    names = ", ".join(printable(one.tensor or "") for one in group[1 : ALIKE + 1])
    first = " first" if number > ALIKE else ""
    message = f"{_COUNTED.sub('', group[0].message)} {number:,} more tensors are like this: {names}{first}."
    return replace(group[0], message=message)
