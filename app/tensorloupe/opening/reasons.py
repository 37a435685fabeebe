"""Why a path could not be opened, in words: the same in the window, beside a comparison and on the command line."""

from __future__ import annotations

import weightmap
from tensorloupe.files import places


def explain(path: str, reason: BaseException) -> tuple[str, str]:
    """(what is wrong, what to do) about a path that could not be opened; escaped."""
    if isinstance(reason, weightmap.WeightFileError):
        finding = reason.finding
        said, advice = finding.message, finding.advice or ""
    else:
        said, advice = f"{type(reason).__name__}: {reason}", "This is a mistake in the program, not in the file."
    return weightmap.printable(f"{places.name(path)}: {said}"), weightmap.printable(advice)
