"""The tensors that a file may have, found by name: one look-up for all blocks and experts of a kind.

Names are told apart by what is left of them without digits, so that 20,000 names fall into a dozen groups without a
regular expression; where two tensors share a key (`.ln_1` and `.ln_2`) the names themselves are matched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from weightmap.naming.checkpoints import source_shapes
from weightmap.naming.names import bare
from weightmap.naming.rules import BLOCK, EXPERT, TensorRule
from weightmap.naming.shapes import shapes


@dataclass(frozen=True, slots=True)
class Entry:
    """One tensor of the book. `target` is the GGUF tensor that it is or becomes."""

    rule: TensorRule
    target: str


class Book:
    """All tensors of one architecture in one format. `prefixed` says that names may have something before them."""

    def __init__(self, entries: Iterable[tuple[TensorRule, str]], prefixed: bool) -> None:
        self.entries = tuple(Entry(rule, target) for rule, target in entries)
        self.prefixed = prefixed
        self._by_key: dict[str, tuple[Entry, ...]] = {}
        for entry in self.entries:
            key = without_digits(self._name(entry.rule.name).replace(BLOCK, "").replace(EXPERT, ""))
            self._by_key[key] = (*self._by_key.get(key, ()), entry)

    def entries_of(self, key: str) -> tuple[Entry, ...]:
        """The tensors whose name without digits is this."""
        return self._by_key.get(self._name(key), ())

    def match(self, name: str, entries: Iterable[Entry]) -> tuple[Entry, int | None] | None:
        """Which of the entries a name means, and the number of its block; None where it is none of them."""
        name = self._name(name)
        for entry in entries:
            found = _pattern(self._name(entry.rule.name)).fullmatch(name)
            if found:
                block = found.groupdict().get("i")
                return entry, None if block is None else int(block)
        return None

    def _name(self, name: str) -> str:
        return bare(name) if self.prefixed else name


def without_digits(text: str) -> str:
    """The text without the digits 0 to 9; undecodable bytes in it stay as they are."""
    return text.encode("utf-8", "surrogatepass").translate(None, b"0123456789").decode("utf-8", "surrogatepass")


@cache
def gguf_book(architecture: str) -> Book | None:
    """The tensors of a GGUF of this architecture, None where it is not known."""
    rules = shapes(architecture)
    return None if rules is None else Book(((rule, rule.name) for rule in rules), prefixed=False)


@cache
def checkpoint_book(architecture: str) -> Book | None:
    """The tensors of a Hugging Face checkpoint that becomes a GGUF of this architecture, None where it is not known."""
    rules = source_shapes(architecture)
    return Book(rules, prefixed=True) if rules else None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    number = "0|[1-9][0-9]{0,8}"  # no loader looks for another spelling
    text = re.escape(template).replace(re.escape(BLOCK), f"(?P<i>{number})").replace(re.escape(EXPERT), f"(?:{number})")
    return re.compile(text)
