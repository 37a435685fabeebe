"""What a comparison found: a row of measures for every pair of tensors, and what was left without a counterpart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weightmap.measure.usual import Verdict
from weightmap.pairing.tensor_pair import Unpaired
from weightmap.wording import plural

WEIGHTED = ("weighted_rmse", "weighted_relative_rmse", "weighted_sqnr_db", "weighted_note")  # fields of a PairError


@dataclass(frozen=True, slots=True)
class PairError:
    """One tensor against its counterpart. The measures are those of `weightmap.measure.error`.

    tensor          name in the quantized model
    reference       names in the reference: several where the tensor holds several
    transform       what lies between both, "=" for nothing; it was undone before measuring
    guessed         the names did not say that these belong together, the values did
    nbytes          bytes that the tensor takes in the quantized model
    usual           the relative rmse that the types usually leave on Gaussian weights; None where it was not measured
    verdict         normal, worse (than the type should be) or wrong; None where there is nothing to judge by
    note            a sentence where there is more to say, else None
    weighted_rmse, weighted_relative_rmse, weighted_sqnr_db  those of `weightmap.measure.weighted`, with an importance matrix
    weighted_note   with one: why there are no weights for this tensor, or which of its experts have none; else None
    """

    tensor: str
    reference: tuple[str, ...]
    transform: str
    guessed: bool
    type: str
    reference_type: str
    nbytes: int
    count: int
    nonfinite: int
    rmse: float | None
    relative_rmse: float | None
    sqnr_db: float | None
    identical: bool
    max_abs_error: float | None
    p99: float | None
    cosine: float | None
    bias: float | None
    scale: float | None
    usual: float | None
    verdict: Verdict | None
    note: str | None
    weighted_rmse: float | None = None
    weighted_relative_rmse: float | None = None
    weighted_sqnr_db: float | None = None
    weighted_note: str | None = None

    @property
    def damage(self) -> float:
        """Bytes times relative error: how much of the damage of the whole file lies here."""
        error = self.relative_rmse
        if error is None:
            error = 1.0 if self.verdict == "wrong" else 0.0
        return self.nbytes * error


@dataclass(frozen=True, slots=True)
class Comparison:
    """All pairs in the file order of the quantized model, and what was left on both sides. `imatrix` is its path, if given."""

    quantized: str
    reference: str
    pairs: tuple[PairError, ...]
    unpaired_quantized: tuple[Unpaired, ...]
    unpaired_reference: tuple[Unpaired, ...]
    imatrix: str | None = None

    def __repr__(self) -> str:
        return f"<comparison of {self.quantized!r} with {self.reference!r}: {plural(len(self.pairs), 'pair')}>"

    @property
    def left_over(self) -> tuple[tuple[Unpaired, ...], tuple[Unpaired, ...]]:
        """What is without a counterpart in the quantized model and in the reference, parts of weights that have one left out."""
        own, other = {pair.tensor for pair in self.pairs}, {name for pair in self.pairs for name in pair.reference}
        first = tuple(entry for entry in self.unpaired_quantized if entry.part_of not in own)
        return first, tuple(entry for entry in self.unpaired_reference if entry.part_of not in other)

    def ranked(self) -> list[PairError]:
        """The pairs by bytes times error; what is wrong goes before what is worse than it should be, and that before the rest."""
        loud = {"wrong": 0, "worse": 1}
        return sorted(self.pairs, key=lambda pair: (loud.get(pair.verdict or "", 2), -pair.damage))

    def to_json(self) -> dict[str, Any]:
        """The document of `weightmap compare --json`, in plain Python values; weighted measures only with an importance matrix."""
        left_out = ("reference",) if self.imatrix is not None else ("reference", *WEIGHTED)
        names = [name for name in PairError.__dataclass_fields__ if name not in left_out]
        left = {"quantized": self.unpaired_quantized, "reference": self.unpaired_reference}
        attached = {} if self.imatrix is None else {"imatrix": self.imatrix}
        return {
            "pairs": [
                {"tensor": pair.tensor, "reference": list(pair.reference)}
                | {name: getattr(pair, name) for name in names}
                for pair in self.pairs
            ],
            "unpaired": {
                side: [{"tensor": entry.tensor, "reason": entry.reason} for entry in entries]
                for side, entries in left.items()
            },
        } | attached
