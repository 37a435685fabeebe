"""The types that a tensor was tried in: what each loses, which of them no other beats, and all of it as text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import weightmap

if TYPE_CHECKING:
    from tensorloupe.weights import Weight


_MEASURES = "relative_rmse", "sqnr_db", "rmse", "max_abs_error"  # as they are written, in this order


@dataclass(frozen=True, slots=True)
class Trial:
    """One type: what it was found to lose (None as long as it is not known), and what the tensor would take in it.

    share  of the bytes that the tensor takes now; None where it takes none
    ratio  of the error that the tensor has now, where that is known
    front  whether no other type that was tried loses less in as few bits
    """

    type: str
    bits: float
    nbytes: float
    share: float | None
    found: weightmap.WhatIf | None = None
    front: bool = False
    stored: bool = False
    ratio: float | None = None

    @property
    def error(self) -> float | None:
        """The relative error; None where there is none."""
        return None if self.found is None else self.found.relative_rmse


def trials(
    tensor: Weight,
    kinds: Sequence[weightmap.StoredType],
    found: Mapping[str, weightmap.WhatIf],
    now: float | None = None,
) -> tuple[Trial, ...]:
    """A row for each type, in their order, with what was found by now. `now`: the RMSE that the tensor has itself."""
    best = front({kind.name: (kind.bits_per_weight, found[kind.name].rmse) for kind in kinds if kind.name in found})
    share = tensor.bits_per_weight
    rows = []
    for kind in kinds:
        row = found.get(kind.name)
        rows.append(
            Trial(
                kind.name,
                kind.bits_per_weight,
                tensor.count * kind.bits_per_weight / 8,
                kind.bits_per_weight / share if share else None,
                row,
                kind.name in best,
                isinstance(tensor, weightmap.Tensor) and kind.name == tensor.type.name,
                row.rmse / now if now and row is not None and row.rmse is not None else None,
            )
        )
    return tuple(rows)


def front(points: Mapping[str, tuple[float, float | None]]) -> frozenset[str]:
    """Of (bits per weight, error) by name: those that no other beats, with fewer bits first, each with less error."""
    best, least = set(), float("inf")
    measured = [(bits, error, name) for name, (bits, error) in points.items() if error is not None]
    for _, error, name in sorted(measured):
        if error < least:
            best.add(name)
            least = error
    return frozenset(best)


def tabbed(rows: Sequence[Trial]) -> str:
    """The rows as tab-separated text with heads, numbers in full."""
    return _written(rows, "\t", "\n")


def write(rows: Sequence[Trial], path: str) -> None:
    """Write the rows as the path's ending says: .json as `weightmap whatif --json` prints it, .tsv, or else CSV."""
    lower = path.lower()
    if lower.endswith(".json"):
        known = [row.found.to_json() for row in rows if row.found is not None]
        said = json.dumps(known, indent=2, allow_nan=False) + "\n"
    else:
        said = _written(rows, "\t" if lower.endswith(".tsv") else ",", "\r\n")
    with open(path, "wb") as file:
        file.write(said.encode())


def _written(rows: Sequence[Trial], between: str, end: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=between, lineterminator=end)
    writer.writerow(("type", "bits_per_weight", "bytes", *_MEASURES, "front", "sampled", "problem"))
    for row in rows:
        found = row.found
        measures = [None if found is None else getattr(found, name) for name in _MEASURES]
        shown = ["" if value is None else repr(value) for value in measures]
        said = ["", ""] if found is None else [found.sampled or "", found.problem or ""]
        writer.writerow([row.type, repr(row.bits), f"{row.nbytes:.0f}", *shown, int(row.front), *said])
    return out.getvalue()
