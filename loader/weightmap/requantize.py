"""What a tensor would lose in other types: its values really encoded and decoded again, a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal, Protocol

from weightmap.api import Path
from weightmap.asked import UnknownNameError, tensor_asked
from weightmap.importance import opened_importance
from weightmap.measure.error import measure_errors
from weightmap.measure.requantized import NotFiniteError, Requantized
from weightmap.measure.weighted import Importance, WeightedSums
from weightmap.model import WeightFile
from weightmap.quantize.registry import ENCODERS, WEIGHTED
from weightmap.reading.elements import Elements
from weightmap.reading.sampled import sampled
from weightmap.reading.sweep import Meter, Progress
from weightmap.tensor import Tensor
from weightmap.types import registry
from weightmap.types.base import StoredType

# What llama.cpp's quantizer takes where a row is no whole number of blocks of 256.
_INSTEAD = {"TQ1_0": "Q4_0", "TQ2_0": "Q4_0", "Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0"}
_INSTEAD |= dict.fromkeys(
    ("IQ4_XS", "Q3_K", "IQ3_S", "IQ3_XXS", "Q2_K", "IQ2_S", "IQ2_XS", "IQ2_XXS", "IQ1_M", "IQ1_S"), "IQ4_NL"
)
_MATRIX = "weighted_", "steered"  # how fields begin that are about an importance matrix


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A tensor's values in another type, measured against the values that it has now (see `weightmap.measure.error`).

    stored      whether this is the type that the tensor has already
    nonfinite   elements left out because they are, or became, NaN or Inf
    problem     why there are no measures, in whole sentences, else None
    sampled     None, or what was tried instead of everything: "1 of every 16 rows"
    steered     whether the importance matrix steered the quantizer
    weighted_rmse, weighted_relative_rmse, weighted_sqnr_db  those of `weightmap.measure.weighted`, with an importance matrix
    """

    type: str
    bits_per_weight: float
    rmse: float | None = None
    relative_rmse: float | None = None
    sqnr_db: float | None = None
    max_abs_error: float | None = None
    identical: bool = False
    nonfinite: int = 0
    stored: bool = False
    problem: str | None = None
    sampled: str | None = None
    weighted_rmse: float | None = None
    weighted_relative_rmse: float | None = None
    weighted_sqnr_db: float | None = None
    steered: bool = False

    def to_json(self, weighted: bool = False) -> dict[str, Any]:
        """The row of `weightmap whatif --json`, in plain Python values; what a matrix gives only where asked for."""
        return {name: value for name, value in asdict(self).items() if weighted or not name.startswith(_MATRIX)}


class Source(Protocol):
    """What can be tried in other types: a Tensor, a Composed, one side of a pair (PairValues)."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""

    def elements(self) -> Elements:
        """Its values."""


def whatif(
    tensor: Source,
    types: Iterable[str | StoredType] | str | StoredType | None = None,
    *,
    each: Callable[[WhatIf], object] | None = None,
    imatrix: Path | WeightFile | None = None,
    sample: int | Literal["fast"] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> tuple[WhatIf, ...]:
    """The error that each type would bring to this tensor, the type with the most bits per weight first.

    The quantizers follow ggml's reference. For a tensor that is quantized already it is the loss of quantizing again, against
    the values that it holds now; of the reference's side of a pair (`PairValues(pair, "reference")`) it is what the original
    would lose.

    imatrix   a path or an open importance matrix: adds errors weighted by what inputs matter. It steers the quantizers of those
              types alone that ggml does not make without one (IQ2_XXS, IQ2_XS, IQ1_S); their rows are marked `steered`. All
              others are encoded as without it, while llama-quantize would let it steer most of them
    types     names of types, in capitals or not, or types; None takes those of `whatif_types`: what cannot be written is named,
              with the reason
    each      called with every row as soon as it is there: those last whose search takes ten times as long as the others'
    sample    None tries every value; a number n 1 of every n rows; "fast" chooses n for a first answer. A tensor of one row, and
              one of few values with "fast", is tried whole
    progress  `progress(done, total)` is called from the calling thread; returning False raises Cancelled

    Raises KeyError for a name that is no type, TypeError where the tensor does not hold floats, ValueError where the importance
    matrix has no weights for it or `sample` is below 1, WeightFileError where it cannot be read.
    """
    wanted = _chosen(types)
    tensor_asked(tensor, "whatif")
    elements = tensor.elements()
    rows_taken = sampled(elements, sample)
    elements = elements if rows_taken is None else rows_taken
    with opened_importance(imatrix) as importance:
        weights = None if importance is None else importance.weights_or_hint(tensor.name, elements.shape)
    if isinstance(weights, str):
        raise ValueError(weights)
    stored = tensor.type.name if isinstance(tensor, Tensor) else getattr(tensor, "scheme", "")
    if elements.integers or elements.value.kind != "f":
        raise TypeError(f"{tensor.name} holds {stored or elements.value} numbers; only floats can be quantized.")
    problems = {kind: _problem(kind, tensor.shape, weights is not None) for kind in wanted}
    meter = Meter(progress, elements.count * sum(problem is None for problem in problems.values()))
    trial = _Trial(elements, weights, meter, threads)
    said = None if rows_taken is None else str(rows_taken)
    rows: dict[StoredType, WhatIf] = {}
    for kind in sorted(wanted, key=_takes_long):
        row = partial(WhatIf, kind.name, kind.bits_per_weight, stored=kind.name == stored, sampled=said)
        problem = problems[kind]
        rows[kind] = trial.measured(row, kind) if problem is None else row(problem=problem)
        if each is not None:
            each(rows[kind])
    return tuple(rows[kind] for kind in wanted)


def whatif_types(*, writable: bool = False, quick: bool = False) -> tuple[StoredType, ...]:
    """The types that `whatif` answers for, the one with the most bits per weight first; with `writable` only those that
    it has a quantizer for that needs no importance matrix, without it all other block types of ggml as well; with `quick`
    none whose search takes ten times as long as the others'.
    """
    kinds = [
        kind
        for kind in registry.BUILT_IN
        if (kind in ENCODERS or (not writable and kind.id is not None and kind.elements > 1))
        and not (quick and _takes_long(kind))
    ]
    return tuple(sorted(kinds, key=lambda kind: -kind.bits_per_weight))


class _Trial:
    """One tensor's values, tried in one type after the other."""

    def __init__(self, elements: Elements, weights: Importance | None, meter: Meter, threads: int | None) -> None:
        self._elements, self._weights, self._meter, self._threads = elements, weights, meter, threads
        self._unfit = False  # whether NaN or Inf was met, for which no block has a place

    def measured(self, row: partial[WhatIf], kind: StoredType) -> WhatIf:
        """The row of a type that there is a quantizer for."""
        elements = self._elements
        by = self._weights if kind in WEIGHTED else None
        changed = Requantized(elements, kind, by)
        if not (self._unfit and changed.finite):
            try:
                return self._errors(partial(row, steered=by is not None), changed)
            except NotFiniteError:
                self._unfit = True
        self._meter.finish(elements.count)
        return row(problem=f"The tensor holds NaN or Inf, for which {kind.name} has no place.")

    def _errors(self, row: partial[WhatIf], changed: Requantized) -> WhatIf:
        sums = None if self._weights is None else WeightedSums(self._weights)
        options: dict[str, Any] = {"meter": self._meter, "threads": self._threads, "also": sums and sums.add}
        found = measure_errors(changed, self._elements, percentile=False, **options)
        names = ("rmse", "relative_rmse", "sqnr_db", "max_abs_error", "identical", "nonfinite")
        more = {} if sums is None else {f"weighted_{name}": value for name, value in asdict(sums.result()).items()}
        return row(**{name: getattr(found, name) for name in names}, **more)


def _chosen(types: Iterable[str | StoredType] | str | StoredType | None) -> list[StoredType]:
    """The types in question, none twice, those with the most bits first. Raises KeyError, TypeError."""
    if types is None:
        return list(whatif_types())
    given = [types] if isinstance(types, str | StoredType) else types
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise TypeError(f"types takes names of types, such as 'Q4_K'; got {given!r}")
    return sorted(dict.fromkeys(map(_named, given)), key=lambda kind: -kind.bits_per_weight)


def _named(name: str | StoredType) -> StoredType:
    """The type of a name, in capitals or not."""
    if isinstance(name, StoredType):
        return name
    if not isinstance(name, str):
        raise TypeError(f"a type is named by a str, such as 'Q4_K'; got {name!r}")
    kind = registry.by_name(name) or registry.by_name(name.upper())
    if kind is None:
        raise UnknownNameError(name, [kind.name for kind in whatif_types()], "stored type")
    return kind


def _takes_long(kind: StoredType) -> bool:
    return kind in WEIGHTED or (kind in ENCODERS and ENCODERS[kind].slow)


def _problem(kind: StoredType, shape: tuple[int, ...], weighted: bool) -> str | None:
    """Why a tensor of this shape cannot be written in a type, with an importance matrix or without, or None where it can."""
    if kind not in WEIGHTED and kind not in ENCODERS:
        return f"There is no quantizer for {kind.name} here."
    row = shape[-1] if shape else 1
    if row % kind.elements == 0:
        alone = kind in WEIGHTED and not weighted
        return f"{kind.name} is made with an importance matrix alone." if alone else None
    instead = f"; llama.cpp would take {_INSTEAD[kind.name]} instead" if kind.name in _INSTEAD else ""
    return f"Blocks of {kind.elements:,} do not fit rows of {row:,}{instead}."
