"""Findings as people read them: a fault that many tensors have is told once. Programs get them all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from weightmap.errors import printable
from weightmap.findings import MORE, Finding

ALIKE = 3  # tensors with one fault that are told of one by one, and as many names of more
_NUMBER = re.compile(r"\d")
_COUNTED = re.compile(re.escape(MORE).replace(re.escape("{:,}"), r"([\d,]+)") + "$")


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """The findings as people read them: where more than ALIKE tensors of one file have the same fault, the first with the
    number of the others and the names of some, in its place.
    """
    kept = list(findings)
    groups: defaultdict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for one in kept:
        if one.tensor is not None:
            groups[one.severity, one.code, one.path, opening(one)].append(one)
    alike = [group for group in groups.values() if len(group) > ALIKE]
    first = {id(group[0]): _with_others(group) for group in alike}
    others = {id(one) for group in alike for one in group[1:]}
    return [first.get(id(one), one) for one in kept if id(one) not in others]


def opening(one: Finding) -> str:
    """How its message begins, up to the first name or number: that of another fault under the same code begins otherwise."""
    name = printable(one.tensor or "")
    begin = _NUMBER.split(one.message, maxsplit=1)[0]
    for part in (name, name.rpartition(".")[0]):
        begin = begin.partition(part)[0] if part else begin
    return begin


def _with_others(group: list[Finding]) -> Finding:
    counted = sum(int(more[1].replace(",", "")) for one in group if (more := _COUNTED.search(one.message)))
    number = len(group) - 1 + counted
    names = ", ".join(printable(one.tensor or "") for one in group[1 : ALIKE + 1])
    first = " first" if number > ALIKE else ""
    message = f"{_COUNTED.sub('', group[0].message)} {number:,} more tensors are like this: {names}{first}."
    return replace(group[0], message=message)
