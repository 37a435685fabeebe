"""What a quantization scheme is: it knows its tensors by their names, types and shapes, and how to read the weight they make.

A scheme looks at records and at small companions only. It answers with a Claim, which can build the weight's values as
Elements that decode any range on demand; with a Refusal where tensors belong together but no values can be told from them;
or with None where the tensors are not its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from weightmap.companions.parts import Parts
from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import TensorRecord
from weightmap.reading.elements import Elements

Shape = tuple[int, ...]
SHOWN = 3  # names that a sentence lists


class Values(Elements):
    """The values of a composed weight: float32, decoded a range at a time. Subclasses set shape, count, grain and write `read`.

    group    (rows, columns) of the last two axes that share a scale; None where those that do make no rectangle
    largest  the largest magnitude that a value may have, where codes have room for others; None where they have not
    """

    group: tuple[int, int] | None = None
    largest: float | None = None
    value: np.dtype[Any] = np.dtype(np.float32)
    integers = False

    @abstractmethod
    def layers(self) -> Mapping[str, Elements]:
        """What the weight is made of, each to be looked at by itself: "codes" (in the weight's shape), "scales", "zeros"."""

    @abstractmethod
    def explain(self, flat: int) -> list[tuple[str, str]]:
        """How the value at this flat index is made: (what, number as text), from the code to the value."""


Build = Callable[[], Values]


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A weight that can be read.

    name      logical name: the parameter that the model has ("M.weight", or a bare expert parameter)
    scheme    short name of the scheme, for programs: "fp8_block"
    about     the same in words: "F8_E4M3 codes times one F32 scale per 128 × 128"
    sources   the records that it is made of, the codes first
    build     makes its values; may read small companions, and raise WeightFileError
    runtime   dtype that the usual runtime rounds the values to, None where that is the model's own
    assumed   None, or the sentence that says what nothing in the file decides
    others    the other readings that the file leaves open, by name
    shapes    shapes that the weight has in some of them, where that is another one
    findings  what is to be said about it: warnings and notes
    usual     key of its usual error in `measure.usual`
    turned    whether runtimes hold the weight with its last two axes exchanged
    """

    name: str
    scheme: str
    about: str
    shape: Shape
    sources: tuple[TensorRecord, ...]
    build: Build
    runtime: str | None = None
    assumed: str | None = None
    others: Mapping[str, Build] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    usual: str = ""
    turned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """A weight whose tensors were found, but whose values cannot be told. `finding` says why.

    shape  of the weight where that is known, else of its codes as stored
    known  whether the finding is said of one of the tensors already
    """

    name: str
    scheme: str
    shape: Shape
    sources: tuple[TensorRecord, ...]
    finding: Finding
    known: bool = False


class Gathered(Protocol):
    """The records that a scheme has found for one weight."""

    @property
    def name(self) -> str:
        """Name of the weight."""

    def all(self) -> tuple[TensorRecord, ...]:
        """Those that are there."""


class Scheme(ABC):
    """One scheme, or one family of schemes that share names.

    name     short name, for programs
    endings  a record whose name ends in one of these ("" for any) may be the scheme's; none has a dot but as its first character
    types    stored types that this record has; empty for any
    suffix   what makes a weight's name of what stands before the ending
    """

    name: str
    endings: tuple[str, ...]
    types: frozenset[str] = frozenset()
    suffix: str = ".weight"

    def weight(self, stem: str) -> str:
        """Name of the weight whose tensor is called `stem` + one of the endings."""
        return stem + self.suffix

    @abstractmethod
    def find(self, stem: str, record: TensorRecord, parts: Parts) -> Claim | Refusal | None:
        """Look at the record called `stem` + one of the endings. None where it is something else."""

    def refused(
        self,
        code: str,
        text: str,
        of: Gathered,
        parts: Parts,
        *,
        at: TensorRecord | None = None,
        shape: Shape | None = None,
        severity: Severity | None = None,
    ) -> Refusal:
        """The refusal of what this scheme has gathered."""
        return refusal(code, text, of.name, self.name, of.all(), parts, at=at, shape=shape, severity=severity)


def refusal(
    code: str,
    message: str,
    name: str,
    scheme: str,
    sources: Iterable[TensorRecord | None],
    parts: Parts,
    *,
    shape: Shape | None = None,
    at: TensorRecord | None = None,
    severity: Severity | None = None,
    expected: object = None,
    found: object = None,
) -> Refusal:
    """A Refusal whose finding names the tensors: its tensor is `at`, or the first source; None among the sources is left out."""
    records = tuple(record for record in sources if record is not None)
    one = remark(code, message, at or records[0], parts, severity=severity, expected=expected, found=found)
    return Refusal(name, scheme, records[0].shape if shape is None else shape, records, one)


def remark(
    code: str,
    message: str,
    record: TensorRecord,
    parts: Parts,
    *,
    severity: Severity | None = None,
    expected: object = None,
    found: object = None,
) -> Finding:
    """A finding about one record."""
    return finding(
        code,
        message,
        severity=severity,
        path=parts.path(record),
        tensor=record.name,
        offset=record.offset,
        expected=expected,
        found=found,
    )


def named(*records: TensorRecord | None) -> str:
    """Names of records for a sentence: "a", "a and b", "a, b and c"."""
    names = [printable(record.name) for record in records if record is not None]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def shown(shape: Shape) -> str:
    """A shape for a sentence: 4,096 × 11,008."""
    return " × ".join(f"{n:,}" for n in shape) or "one number"


def few(records: Sequence[TensorRecord]) -> str:
    """The first names of many records for a sentence, and how many more there are."""
    shown = named(*records[:SHOWN])
    return shown if len(records) <= SHOWN else f"{shown} and {len(records) - SHOWN:,} more"
