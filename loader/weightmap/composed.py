"""One weight that lies in several tensors: what it is made of, its values as the model uses them, and measures of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weightmap.asked import Named, UnknownReadingError
from weightmap.companions.base import Claim, Refusal, Values
from weightmap.errors import error
from weightmap.findings import Finding, Severity, worst
from weightmap.measuring import Measuring
from weightmap.opened import Opened
from weightmap.reading.decode import decoded
from weightmap.reading.elements import Elements
from weightmap.reading.slices import flat_index
from weightmap.reading.sweep import Progress

if TYPE_CHECKING:
    from weightmap.measure.statistics import Statistics
    from weightmap.sending import Ticket


class Composed(Measuring):
    """A weight made of codes, scales and what else its scheme needs. Keeps the model's files open; thread-safe.

    Every way to its values raises a WeightFileError where they cannot be told: the error of `problem`.
    """

    __slots__ = ("_entry", "_opened", "_reading")

    def __init__(self, opened: Opened, entry: Claim | Refusal, reading: str | None = None) -> None:
        self._opened, self._entry, self._reading = opened, entry, reading

    @property
    def name(self) -> str:
        """Name of the parameter that the model has, though no tensor may be called so."""
        return self._entry.name

    @property
    def scheme(self) -> str:
        """Short name of the scheme: "fp8_block"."""
        return self._entry.scheme

    @property
    def about(self) -> str:
        """The scheme in words; empty where the values cannot be told."""
        return self._entry.about if isinstance(self._entry, Claim) else ""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the weight; of one whose values cannot be told, where its shape is unknown, that of its codes."""
        if self._reading is not None and isinstance(self._entry, Claim):
            return self._entry.shapes.get(self._reading, self._entry.shape)
        return self._entry.shape

    @property
    def count(self) -> int:
        """Number of values."""
        return prod(self.shape)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the tensors that it is made of, the codes first."""
        return tuple(record.name for record in self._entry.sources)

    @property
    def nbytes(self) -> int:
        """Bytes of all of them."""
        return sum(record.nbytes for record in self._entry.sources)

    @property
    def bits_per_weight(self) -> float:
        """Stored bits per value, scales included; 0 where there is none."""
        return self.nbytes * 8 / self.count if self.count else 0.0

    @property
    def path(self) -> str:
        """The file that holds the codes."""
        return self._opened.layout.parts[self._entry.sources[0].part].path

    @property
    def offset(self) -> int:
        """Absolute position of the codes in that file."""
        return self._entry.sources[0].offset

    @property
    def runtime(self) -> str | None:
        """Type that the usual runtime rounds the values to; they are given in float32. None for the model's own type."""
        return self._entry.runtime if isinstance(self._entry, Claim) else None

    @property
    def assumed(self) -> str | None:
        """None, or the sentence that says which assumption the reading rests on: nothing in the file decides it."""
        return self._entry.assumed if isinstance(self._entry, Claim) else None

    @property
    def usual(self) -> str:
        """Under which name the usual error of such weights is known."""
        return self._entry.usual or self.scheme if isinstance(self._entry, Claim) else self.scheme

    @property
    def group_shape(self) -> tuple[int, int] | None:
        """(rows, columns) of the last two axes that share a scale, (1, columns) where each row has its own; None where those
        that share one make no rectangles, or the values cannot be told. May read a small tensor.
        """
        return None if self.problem is not None else self.elements().group

    @property
    def turned(self) -> bool:
        """Whether runtimes hold the weight with its last two axes exchanged."""
        return isinstance(self._entry, Claim) and self._entry.turned

    @property
    def readings(self) -> tuple[str, ...]:
        """Other readings that the file leaves open, for `with_reading`."""
        return tuple(self._entry.others) if isinstance(self._entry, Claim) else ()

    @property
    def reading(self) -> str | None:
        """The one of `readings` that is shown here, None for the likeliest."""
        return self._reading

    def with_reading(self, reading: str | None) -> Composed:
        """The same weight in another reading. KeyError for one that is not among `readings`."""
        if reading is not None and reading not in self.readings:
            raise UnknownReadingError(f"{self.name} has no reading called {reading!r}")
        return Composed(self._opened, self._entry, reading)

    def reading_called(self, text: str) -> str | None:
        """The one of `readings` of this name, else the first with `text` in its name, capital letters or not; None if none."""
        if text in self.readings:
            return text
        return next((reading for reading in self.readings if text.casefold() in reading.casefold()), None)

    @property
    def problem(self) -> Finding | None:
        """Why the values cannot be given, or None where they can."""
        return self._entry.finding if isinstance(self._entry, Refusal) else None

    @property
    def status(self) -> Severity:
        """The worst of what is said about it and its tensors, and about its values once they were scanned."""
        return worst(self.findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is said about this weight and the tensors that it is made of."""
        own = self._entry.findings if isinstance(self._entry, Claim) else (self._entry.finding,)
        about = self._opened.about(*self._entry.sources, name=self.name)
        return (*own, *(found for found in about if found not in own))

    @property
    def values_checked(self) -> bool:
        """Whether every value was looked at since the model was opened."""
        return self._opened.values_checked(self.name)

    def elements(self) -> Values:
        """The values as the passes of `weightmap.reading` and `weightmap.measure` read them."""
        self._opened.require_open()
        if isinstance(self._entry, Refusal):
            raise error(self._entry.finding)
        build = self._entry.build if self._reading is None else self._entry.others[self._reading]
        return build()

    def array(
        self, dtype: DTypeLike | None = None, threads: int | None = None, *, progress: Progress | None = None
    ) -> NDArray[Any]:
        """All values in `shape`: a new, read-only float32 array, or one of another dtype (TypeError for integers)."""
        return decoded(self.elements(), np.float32 if dtype is None else dtype, threads=threads, progress=progress)

    def layers(self) -> Mapping[str, Elements]:
        """What the values are made of, by name: "codes" and "scales", "zeros" where there are some."""
        return self.elements().layers()

    def layer(self, name: str) -> Layer:
        """One of `layers`, to be measured and drawn like a tensor. KeyError for another name."""
        return Layer(self, name, Named(self.layers(), "layer")[name])

    def explain(self, index: int | Sequence[int]) -> list[tuple[str, str]]:
        """How one value is made, step by step: (what, number). `index` as in `Tensor.locate`."""
        axes = (index, self.shape) if isinstance(index, Sequence) else ((index,), (self.count,))
        return self.elements().explain(flat_index(*axes))

    def _judged(
        self, statistics: Statistics | None, progress: Progress | None, threads: int | None
    ) -> tuple[Finding, ...]:
        from weightmap.companions.judging import judged

        elements = self.elements()
        found = judged(self._entry, elements, self.path, statistics, progress=progress, threads=threads)
        self._opened.keep_value_findings(self.name, found)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        # by path and fingerprint: the file is opened where this arrives, once for all weights of it
        from weightmap.sending import ticket

        return _arrived, (ticket(self._opened), self.name, self._reading)

    def __repr__(self) -> str:
        return f"<weight {self.name!r} {self.scheme} {self.shape} of {len(self.sources)} tensors>"


class Layer(Measuring):
    """Codes, scales or zeros of a composed weight as they are before anything is multiplied; measured like a tensor."""

    __slots__ = ("_elements", "name", "weight")

    def __init__(self, weight: Composed, name: str, elements: Elements) -> None:
        self.weight, self.name, self._elements = weight, name, elements

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the layer."""
        return self._elements.shape

    def elements(self) -> Elements:
        """Its values as passes read them."""
        return self._elements

    def array(self, dtype: DTypeLike | None = None, threads: int | None = None) -> NDArray[Any]:
        """All of them, as `Tensor.array` gives them."""
        return decoded(self._elements, dtype, threads=threads)

    def _judged(
        self, statistics: Statistics | None, progress: Progress | None, threads: int | None
    ) -> tuple[Finding, ...]:
        return ()

    def __reduce__(self) -> tuple[object, ...]:
        return Composed.layer, (self.weight, self.name)

    def __repr__(self) -> str:
        return f"<{self.name} of {self.weight.name!r} {self.shape}>"


def _arrived(ticket: Ticket, name: str, reading: str | None) -> Composed:
    opened = ticket.shared()
    return Composed(opened, opened.composed().entries[name], reading)
