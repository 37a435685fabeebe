"""What is known of a comparison by now, as columns of numbers: the table, the grid and the tree sort and colour by them.

One row per pair, in the file order of the open model. Rows are filled in while the background measures them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.items.measures import MEASURES
from tensorloupe.items.naming import natural_key, natural_order

L = TypeVar("L")

# from the quietest to the loudest; what was not measured yet, or could not be, comes first
VERDICTS = ("waiting", "identical", "normal", "unjudged", "unread", "worse", "wrong")
RANKS = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
MARKS = {
    "waiting": "unchecked",
    "unread": "unchecked",
    "identical": "identical",
    "normal": "ok",
    "unjudged": "info",
    "worse": "warning",
    "wrong": "error",
}
WORDS = {
    "waiting": "not measured yet",
    "unread": "could not be measured",
    "identical": "identical",
    "normal": "normal",
    "unjudged": "not judged",
    "worse": "worse than expected",
    "wrong": "wrong",
}


@dataclass(frozen=True, slots=True)
class Left:
    """A tensor without a counterpart: of which side, its name, and the likely reason; escaped."""

    side: str
    tensor: str
    reason: str


def verdict_of(error: weightmap.PairError) -> str:
    """The word for a measured pair."""
    if error.identical:
        return "identical"
    return error.verdict or "unjudged"


class Errors:
    """The rows of one comparison.

    values  by the key of a measure, (rows,) float64, NaN where there is none
    rank    of each row's verdict in VERDICTS
    errors  what was measured, None before
    failed  why a row could not be measured, by row
    accepted  names of guessed pairs that a person accepted
    sources   of weights that lie in several tensors, these tensors' names
    """

    def __init__(
        self,
        pairs: Sequence[weightmap.TensorPair],
        left: Sequence[Left],
        accepted: set[str],
        sources: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.pairs, self.left, self.accepted = tuple(pairs), tuple(left), accepted
        self.names = tuple(weightmap.printable(pair.tensor) for pair in pairs)
        self.types = tuple(weightmap.printable(pair.type) for pair in pairs)
        self.nbytes = np.array([pair.nbytes for pair in pairs], dtype=np.int64)
        self.rank = np.zeros(len(pairs), dtype=np.int64)
        self.values: Mapping[str, NDArray[np.float64]] = {m.key: np.full(len(pairs), np.nan) for m in MEASURES}
        self.usual = np.full(len(pairs), np.nan)
        self.errors: list[weightmap.PairError | None] = [None] * len(pairs)
        self.failed: dict[int, str] = {}
        order = natural_order([pair.tensor for pair in pairs])
        self.by_name = np.empty(len(pairs), dtype=np.int64)
        self.by_name[order] = np.arange(len(pairs))
        self.row_of = _rows(pairs, sources or {})
        self._sources = sources or {}
        self._layouts: dict[object, Any] = {}

    def layout(self, make: Callable[[Sequence[str]], L]) -> L:
        """What `make` makes of the names of all pairs: made once, wherever that is asked for first."""
        if make not in self._layouts:
            self._layouts[make] = make([pair.tensor for pair in self.pairs])
        made: L = self._layouts[make]
        return made

    def tensors_of(self, row: int) -> Sequence[str]:
        """Names of the tensors of the open model that a row stands for, the likeliest first."""
        name = self.pairs[row].tensor
        return (name, *self._sources.get(name, ()), *name.split(" + "))

    def take(self, row: int, error: weightmap.PairError) -> None:
        """Fill in what was measured."""
        self.errors[row] = error
        self.rank[row] = RANKS[verdict_of(error)]
        self.usual[row] = np.nan if error.usual is None else error.usual
        for measure in MEASURES:
            value = measure.value(error)
            self.values[measure.key][row] = np.nan if value is None else value

    def fail(self, row: int, why: str) -> None:
        """A row that cannot be measured, and why."""
        self.failed[row] = why
        self.rank[row] = RANKS["unread"]

    def verdict(self, row: int) -> str:
        """The row's verdict, or "waiting"."""
        return VERDICTS[int(self.rank[row])]

    def guess(self, row: int) -> bool:
        """Whether the row's pair is a guess that nobody accepted yet."""
        pair = self.pairs[row]
        return pair.guessed and pair.tensor not in self.accepted

    def counts(self) -> Counter[str]:
        """How many rows have which verdict; under "guess" the guesses that nobody accepted yet."""
        found = Counter(
            {VERDICTS[k]: int(n) for k, n in enumerate(np.bincount(self.rank, minlength=len(VERDICTS))) if n}
        )
        guesses = sum(1 for row in range(len(self.pairs)) if self.guess(row))
        if guesses:
            found["guess"] = guesses
        return found

    @property
    def waiting(self) -> list[int]:
        """The rows that are to be measured yet."""
        found: list[int] = np.flatnonzero(self.rank == RANKS["waiting"]).tolist()
        return found

    @property
    def measured(self) -> int:
        """How many rows are done."""
        return int((self.rank != RANKS["waiting"]).sum())

    def ranked(self, key: str, descending: bool, shown: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Rows by a measure, by "verdict", "name", "type" or "bytes"; what has no number stands last either way."""
        rows = np.arange(len(self.pairs)) if shown is None else np.flatnonzero(shown)
        sign = -1 if descending else 1
        if key == "verdict":  # the loudest first, and among these what is most beyond the usual
            ratio = np.nan_to_num(self.values["ratio"][rows], nan=np.inf, posinf=np.inf)
            return rows[np.lexsort((self.by_name[rows], sign * ratio, sign * self.rank[rows]))]
        keys = self._keys(key)[rows].astype(np.float64)
        missing = np.isnan(keys)
        return rows[np.lexsort((self.by_name[rows], sign * np.where(missing, 0.0, keys), missing))]

    def _keys(self, key: str) -> NDArray[np.float64] | NDArray[np.int64]:
        if key == "name":
            return self.by_name
        if key == "type":
            kinds = {kind: at for at, kind in enumerate(sorted(set(self.types), key=natural_key))}
            return np.array([kinds[kind] for kind in self.types], dtype=np.int64)
        return self.nbytes if key == "bytes" else self.values[key]


def _rows(pairs: Sequence[weightmap.TensorPair], sources: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The row of each tensor, by its name; a pair may hold several tensors of the open model, as codes and scales."""
    rows: dict[str, int] = {}
    for row, pair in enumerate(pairs):
        rows.setdefault(pair.tensor, row)
    for row, pair in enumerate(pairs):
        for name in (*sources.get(pair.tensor, ()), *(pair.tensor.split(" + ") if " + " in pair.tensor else ())):
            rows.setdefault(name, row)
    return rows
