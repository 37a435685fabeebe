"""What callers ask for: names, dtypes, numbers. What cannot be meant is refused at once, in an error that says what can."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from weightmap.wording import plural

T = TypeVar("T")

_MOST = 100_000  # names that are looked at for a misspelt one
_ALIKE = 200  # of these that are compared letter by letter, which takes long: those with most of its words
_MEANT = {"F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16"}
"""Names of stored types in place of numpy's dtypes: numpy takes "F16" for complex128 and "f16" for a long double."""


class UnknownNameError(KeyError):
    """A name that is not there, with the nearest that is, which is looked for when somebody reads it."""

    def __init__(self, name: object, known: Collection[str], what: str = "tensor") -> None:
        super().__init__(name)
        self._known, self._what = known, what

    def __str__(self) -> str:
        said = f"no {self._what} is called {self.args[0]!r}"
        close = nearest_name(self.args[0], self._known) if isinstance(self.args[0], str) else None
        return said if close is None else f"{said}; is {close!r} meant?"

    def __reduce__(self) -> tuple[object, ...]:
        close = nearest_name(self.args[0], self._known) if isinstance(self.args[0], str) else None
        return type(self), (self.args[0], () if close is None else (close,), self._what)


class UnknownReadingError(KeyError):
    """A reading that no weight has, said without the quotes that a KeyError puts around what it says."""

    def __str__(self) -> str:
        return str(self.args[0])


class Named(Mapping[str, T]):
    """Things by name, in order; a name that is not there is answered with the one that may be meant."""

    def __init__(self, by_name: Mapping[str, T], what: str = "tensor") -> None:
        self._by_name, self._what = by_name, what

    def __getitem__(self, name: str) -> T:
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownNameError(name, self._by_name, self._what) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<{plural(len(self), self._what)}>"


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, in capitals or not; None where none is much like it."""
    from difflib import get_close_matches  # only for who misspells
    from heapq import nlargest

    names = {other.casefold(): other for other in islice(known, _MOST)}
    folded = name.casefold()
    if folded in names:
        return names[folded]
    words = set(_words(folded))
    alike = nlargest(
        _ALIKE, names, key=lambda other: (len(words.intersection(_words(other))), -abs(len(other) - len(folded)))
    )
    return next((names[close] for close in get_close_matches(folded, alike, n=1)), None)


def _words(name: str) -> list[str]:
    return name.replace("_", ".").split(".")


def names_asked(names: str | Iterable[str]) -> list[str]:
    """One name or several as a list. TypeError for anything but str."""
    if isinstance(names, str):
        return [names]
    wrong: Any = names
    if isinstance(names, Iterable) and not isinstance(names, bytes | bytearray):
        found = list(names)
        wrong = next((name for name in found if not isinstance(name, str)), None)
        if all(isinstance(name, str) for name in found):
            return found
    raise TypeError(f"a name, or several, must be given as str; got {wrong!r}")


def tensor_asked(tensor: object, function: str) -> None:
    """TypeError for anything but a tensor, or what reads like one."""
    if not hasattr(tensor, "elements"):
        text = f"{function} takes a tensor of an open model, such as model.tensors[NAME]; got {type(tensor).__name__}"
        raise TypeError(text)


def dtype_asked(dtype: DTypeLike | None) -> np.dtype[Any] | None:
    """The dtype of numbers that was asked for, None for none. TypeError for what is none, and for names that numpy has for
    something else than is meant.
    """
    if dtype is None:
        return None
    meant = _MEANT.get(dtype.upper()) if isinstance(dtype, str) else None
    if meant is not None:
        raise TypeError(f"dtype {dtype!r} is the name of a stored type; give the name of a dtype, {meant!r}")
    try:
        wanted = np.dtype(_of_package(dtype) or dtype)
    except (TypeError, ValueError, SyntaxError):  # fields and shapes by value; some strings numpy reads as Python
        why = " (numpy has bfloat16 with the package ml_dtypes)" if dtype == "bfloat16" else ""
        text = f"dtype must be one of numpy's, such as 'float32' or np.float16; got {dtype!r}{why}"
        raise TypeError(text) from None
    # numpy would write numbers as text, or as raw bytes; bfloat16 and float8 are dtypes of a package (isbuiltin 2)
    if wanted.kind not in "biufcO" and wanted.isbuiltin != 2:
        raise TypeError(f"dtype must be one of numbers, such as 'float32' or np.float16; got {dtype!r}")
    return wanted


def _of_package(dtype: DTypeLike) -> Any:
    """The dtype of this name in ml_dtypes, which numpy knows once that package is imported; None where it is not there."""
    if not isinstance(dtype, str) or not dtype.startswith(("bfloat", "float8_", "float4_", "float6_")):
        return None
    try:
        import ml_dtypes
    except ImportError:
        return None
    return getattr(ml_dtypes, dtype, None)


def converts(values: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether values may be converted: not from complex to real, not from floats to integers."""
    return np.can_cast(values, wanted, "same_kind")


def number_asked(name: str, number: int, least: int = 1) -> int:
    """A whole number of at least `least`, numpy's integers too. TypeError or ValueError, which call it by `name`."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} must be a whole number of at least {least}; got {number!r}") from None
    if whole < least:
        raise ValueError(f"{name} must be at least {least}; got {whole}")
    return whole


def step_asked(sample: int | Literal["fast"], fast: int) -> int:
    """Of how many rows one is taken; `fast` where that is left to us. Raises as `number_asked` does."""
    if isinstance(sample, str):
        if sample == "fast":
            return fast
        raise TypeError(f'sample must be a whole number of at least 1, or "fast"; got {sample!r}')
    return number_asked("sample", sample)
