"""How a whole file stands, in a shape, a word and a note: what corner, subject line, tree and status bar say alike.

A file with nothing but notes is healthy. While its values are being looked at, a healthy file is only so far healthy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Literal, NamedTuple

import weightmap
from tensorloupe.style import text

Scan = Literal[
    "off", "running", "cancelled", "done"
]  # of a model's values: not asked for, under way, given up, finished

SO_FAR = "no problems so far"


class Standing(NamedTuple):
    """The status whose shape is shown, the verdict beside it, and in quiet text what else is worth knowing."""

    status: str
    verdict: str
    note: str


def standing(findings: Sequence[weightmap.Finding] | None, scan: Scan = "off") -> Standing:
    """What the findings (None: they are being worked out), and how far the look at the values is, come to."""
    if findings is None:
        return Standing("running", "being checked", "")
    counts = Counter(map(attrgetter("severity"), findings))
    notes = counts["info"]
    note = text.counted(notes, "note") if notes else ""
    for severity in ("error", "warning"):
        if count := counts[severity]:
            return Standing(severity, text.counted(count, severity), note)
    if scan in ("running", "cancelled"):
        return Standing("running" if scan == "running" else "unchecked", SO_FAR, note)
    return Standing("ok", "no problems", note)
