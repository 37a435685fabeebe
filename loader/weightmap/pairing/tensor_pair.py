"""One pair of tensors, ready to be measured, drawn and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from weightmap.measure.binning import Histogram
from weightmap.measure.differences import Differences, RowError, worst_rows
from weightmap.measure.heatmap import Heatmap, heatmap
from weightmap.measure.histogram import histogram
from weightmap.pairing.lazy import Part, Shape
from weightmap.pairing.side import Weight
from weightmap.reading.elements import Elements
from weightmap.reading.sweep import Progress

Shown = Literal["error", "quantized", "reference"]


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A tensor without a counterpart, the likely reason, and where it is a part of a weight the name of that."""

    tensor: str
    reason: str
    part_of: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TensorPair:
    """A tensor and its counterpart, in one order: that of the GGUF where one of both is one, else of the quantized.

    tensor, reference  names: several in the reference where the tensor holds several
    transform          what lies between both, "=" for nothing; it is undone wherever values are shown or measured
    proven             whether sampled values bear the transform out; else the pair rests on the names
    guessed            the names did not say that these belong together, the values did
    note               a sentence where there is more to say, else None
    nbytes             bytes that the tensor takes in the quantized model
    usual_types        under which names `measure.usual` knows the errors of both sides
    misstep            a conversion step was left out or done twice, or parts were exchanged, which the note tells
    """

    tensor: str
    reference: tuple[str, ...]
    transform: str
    proven: bool
    guessed: bool
    note: str | None
    type: str
    reference_type: str
    nbytes: int
    shape: Shape
    target: Weight
    sides: tuple[Elements, Elements]
    usual_types: tuple[str, str]
    misstep: bool = False

    def elements(self, shown: Shown = "error") -> Elements:
        """The errors (quantized - reference), or the values of one of both sides, to be read in ranges."""
        if shown == "error":
            return Differences(*self.sides, self.shape)
        side = self.sides[shown == "reference"]
        return side if side.shape == self.shape else Part(side, self.shape)

    def heatmap(self, height: int, width: int, shown: Shown = "error", **options: Any) -> Heatmap:
        """A picture of the errors, or of one of both sides; options as of `Tensor.heatmap`."""
        return heatmap(self.elements(shown), height, width, **options)

    def histogram(
        self,
        bins: int = 256,
        limits: tuple[float, float] | None = None,
        shown: Shown = "error",
        *,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Histogram:
        """Counts of the errors, or of the values of one of both sides; as `Tensor.histogram`."""
        return histogram(self.elements(shown), bins, limits, progress=progress, threads=threads)

    def worst_rows(
        self, count: int = 20, *, progress: Progress | None = None, threads: int | None = None
    ) -> list[RowError]:
        """The rows with the largest errors, largest first."""
        sides = self.elements("quantized"), self.elements("reference")
        return worst_rows(*sides, count, progress=progress, threads=threads)

    def worst_blocks(
        self, size: int, count: int = 20, *, progress: Progress | None = None, threads: int | None = None
    ) -> list[RowError]:
        """The runs of `size` values with the largest errors, largest first; ValueError where rows do not hold whole runs."""
        width = self.shape[-1] if self.shape else 1
        if size < 1 or width % size:
            raise ValueError(f"rows of {width:,} values hold no whole blocks of {size:,}")
        sides = self.elements("quantized"), self.elements("reference")
        return worst_rows(*sides, count, width=size, progress=progress, threads=threads)
