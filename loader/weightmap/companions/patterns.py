"""Patterns of module names in a config, matched in linear time: a file's own regular expression could run for years.

What configs hold is text, `.*`, `\\d+`, classes and alternatives in brackets. Such a pattern is cut at each `.*`, and the
pieces are looked for one after the other. Anything else matches nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 400
_PIECE = re.compile(r"(?:[\w\-:/]|\\[.\-_]|\.(?![*+?{])|\\d\+?|\[[\w\-]+\]\+?|\((?:\?:)?[\w\-|.\\]+\))*")


@lru_cache(maxsize=512)
def _pieces(pattern: str) -> tuple[re.Pattern[str], ...] | None:
    """The pieces between `.*` as compiled patterns; None where the pattern holds more than what is known to be quick."""
    if len(pattern) > LONGEST:
        return None
    pieces = re.split(r"\.[*+]\??", pattern.removeprefix("^").removesuffix("$"))
    if any(not _PIECE.fullmatch(piece) for piece in pieces):
        return None
    try:
        return tuple(re.compile(piece) for piece in pieces)
    except re.error:
        return None


def fits(pattern: str, name: str) -> bool:
    """Whether a pattern matches a name from its start; to its end where the pattern ends in `$` or `.*`."""
    pieces = _pieces(pattern)
    if pieces is None:
        return False
    first = pieces[0].match(name)
    if first is None:
        return False
    if len(pieces) == 1:
        return not pattern.endswith("$") or first.end() == len(name)
    at = first.end()
    for piece in pieces[1:-1]:
        if (found := piece.search(name, at)) is None:
            return False
        at = found.end()
    last = pieces[-1].pattern
    if pattern.endswith("$"):
        return re.compile(f"(?:{last})$").search(name, at) is not None
    return pieces[-1].search(name, at) is not None
