"""The filter language of the tree: words, type:, status:, sizes; a minus in front turns a term around.

    attn type:q4_k,q6_k status:error size > 1 MB -norm

Every term must hold. A term that cannot be read is a word to look for, so that nothing typed is an error.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tensorloupe.items.outline import RANKS, Outline

Mask = NDArray[np.bool_]

_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"(?P<minus>-?)(?:size\s*:?\s*)?(?P<sign><=|>=|<|>|≤|≥)\s*(?P<value>\d+(?:[.,]\d+)?)\s*"
                   r"(?P<unit>[kmgt]?i?)b?(?=\s|$)", re.IGNORECASE)  # fmt: skip
_WORDS = {"bad": ("warning", "error"), "warn": ("warning",), "err": ("error",)}


class Term(NamedTuple):
    """One condition. `kind` is text, type, status or size; `text` is how a chip shows it."""

    kind: str
    text: str
    negated: bool = False
    values: tuple[str, ...] = ()
    sign: str = ""
    nbytes: float = 0.0


def parse(typed: str) -> tuple[Term, ...]:
    """The terms of a filter as typed, sizes first, then in the order of typing."""
    terms: list[Term] = []

    def take_size(match: re.Match[str]) -> str:
        sign = match["sign"].replace("≤", "<=").replace("≥", ">=")
        nbytes = float(match["value"].replace(",", ".")) * _UNITS[match["unit"].lower()]
        unit = match["unit"].upper().replace("K", "k").replace("I", "i") + "B"
        negated = bool(match["minus"])
        terms.append(Term("size", f"{'-' * negated}size {sign} {match['value']} {unit}", negated, (), sign, nbytes))
        return " "

    for word in _SIZE.sub(take_size, typed).split():
        negated = word.startswith("-") and len(word) > 1
        key, colon, rest = word[negated:].partition(":")
        values = tuple(value for value in rest.lower().split(",") if value)
        if colon and key.lower() in ("type", "status"):
            if values:
                terms.append(Term(key.lower(), f"{'-' * negated}{key.lower()}:{','.join(values)}", negated, values))
        elif colon and key.lower() == "size" and not rest:
            continue  # being typed
        else:
            terms.append(Term("text", word, negated, (word[negated:].lower(),)))
    return tuple(terms)


def is_open(typed: str) -> bool:
    """Whether a unit may still follow what was typed last: of "> 1 MB", the "> 1"."""
    return any(match.end() == len(typed) and typed[-1:].isdigit() for match in _SIZE.finditer(typed))


def matches(outline: Outline, terms: Sequence[Term]) -> Mask | None:
    """Which tensors meet every term, (tensors,) bool; None where there is no term."""
    if not terms:
        return None
    shown = np.ones(len(outline.tensors), dtype=bool)
    for term in terms:
        mask = _CONDITIONS[term.kind](outline, term)
        if not term.negated:  # what is said of its parts holds for a weight
            mask[outline.under[mask & (outline.under >= 0)]] = True
        shown &= ~mask if term.negated else mask
    return shown


def _text(outline: Outline, term: Term) -> Mask:
    needle = term.values[0]
    if "*" in needle or "?" in needle:
        found = re.compile(fnmatch.translate(f"*{needle}*"))
        return np.fromiter((found.match(name) is not None for name in outline.lowered), bool, len(outline.lowered))
    return np.fromiter((needle in name for name in outline.lowered), bool, len(outline.lowered))


def _type(outline: Outline, term: Term) -> Mask:
    kinds = {kind.lower() for kind in outline.types}
    wanted: set[str] = set()
    for value in term.values:
        # type:q4_k means that one, type:q4 every Q4_x of the file
        wanted |= {value} & kinds or {kind for kind in kinds if kind.startswith(value.rstrip("*"))}
    return np.fromiter((kind.lower() in wanted for kind in outline.types), bool, len(outline.types))


def _status(outline: Outline, term: Term) -> Mask:
    wanted = {word for value in term.values for word in _WORDS.get(value, (value,))}
    ranks = [RANKS[word] for word in wanted if word in RANKS]
    return np.isin(outline.rank, ranks)


def _size(outline: Outline, term: Term) -> Mask:
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[term.sign]
    mask: Mask = compare(outline.nbytes, term.nbytes)
    return mask


_CONDITIONS = {"text": _text, "type": _type, "status": _status, "size": _size}
