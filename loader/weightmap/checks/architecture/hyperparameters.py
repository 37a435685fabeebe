"""The numbers that an architecture is built from, as one file gives them: each with the keys that it came from.

Values come from the file and may be anything: one that is no whole number counts as not given, and nothing that follows
from it is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from weightmap.naming.formula import Formula, formula
from weightmap.naming.symbols import Symbol

Read = Callable[[str], Any]


class Hyperparameters:
    """Values of the letters of `weightmap.naming.symbols` in one file.

    keys     for each letter the keys that may hold it, the first one that is there counts
    read     the value of a key, None where it is absent; of an array that only its length is asked of, the length
    default  for each letter the formula that counts where no key is there
    """

    def __init__(
        self, symbols: Mapping[str, Symbol], keys: Mapping[str, tuple[str, ...]], read: Read, default: Mapping[str, str]
    ) -> None:
        self._symbols = symbols
        self._keys = keys
        self._read = read
        self._default = default
        self._found: dict[str, tuple[str, Any]] = {}

    def value(self, symbol: str, block: int | None = None) -> int | None:
        """The number for this block, or for all blocks (None); None where the file does not say it."""
        _, value = self._find(symbol)
        if value is None:
            default = self._default.get(symbol, "")
            # llama.cpp divides the width of the embedding by the heads of the first block
            at = 0 if symbol in ("K", "V") else block
            return formula(default)(lambda other: self.value(other, at)) if default else None
        if not _is_array(value):
            return whole(value)
        if block is None or not self._symbols[symbol].per_block or block >= len(value):
            return None
        return whole(value[block])

    def dims(self, dims: tuple[Formula, ...], block: int | None = None) -> tuple[int | None, ...]:
        """The dimensions in numpy order, None for each that does not follow from the file."""
        return tuple(dim(lambda symbol: self.value(symbol, block)) for dim in reversed(dims))

    def varies(self, symbol: str) -> bool:
        """Whether the value may differ from block to block."""
        _, value = self._find(symbol)
        if value is not None:
            return _is_array(value)
        default = self._default.get(symbol, "")
        return bool(default) and any(map(self.varies, formula(default).symbols))

    def keys(self, symbol: str) -> tuple[str, ...]:
        """The keys that the value follows from."""
        key, value = self._find(symbol)
        if value is not None:
            return (key,)
        default = self._default.get(symbol, "")
        return tuple(key for other in formula(default).symbols for key in self.keys(other)) if default else ()

    def is_exact(self, symbol: str) -> bool:
        """Whether the value stands in the file, or its default leaves no remainder."""
        if self._find(symbol)[1] is not None:
            return True
        above, slash, below = self._default.get(symbol, "").partition("/")
        over, by = (self.value(above, 0), self.value(below, 0)) if slash else (None, None)
        return over is None or not by or over % by == 0

    def source(self, symbol: str) -> tuple[str, Any]:
        """The key that holds this letter and its value as it stands; ("", None) where no key is there."""
        return self._find(symbol)

    def described(self, symbols: tuple[str, ...], block: int | None = None) -> str:
        """The keys behind these letters with their numbers, as a list in a sentence."""
        lines: dict[str, str] = {}
        for symbol in symbols:
            for key in self.keys(symbol):
                lines.setdefault(key, self._number(key, block))
        words = [f"{key} {number}" for key, number in lines.items()]
        return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    def _number(self, key: str, block: int | None) -> str:
        for found, value in self._found.values():
            if found == key and value is not None:
                if _is_array(value):
                    value = value[block] if block is not None and block < len(value) else None
                number = whole(value)
                return "of each block" if number is None else f"{number:,}"
        return ""

    def _find(self, symbol: str) -> tuple[str, Any]:
        if symbol not in self._found:
            pairs = ((key, self._read(key)) for key in self._keys.get(symbol, ()))
            self._found[symbol] = next(((key, value) for key, value in pairs if value is not None), ("", None))
        return self._found[symbol]


def whole(value: object) -> int | None:
    """The value as a Python integer, None where it is none of 64 bits (a bool is none)."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return None
    number = int(value)
    return number if -(1 << 63) <= number < 1 << 64 else None


def _is_array(value: object) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, str | bytes | Mapping)
