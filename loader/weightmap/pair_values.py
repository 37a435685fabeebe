"""A pair of tensors looked at as one tensor: its errors, either side, or the errors that a fresh quantization would leave.

What draws, counts and reads the values of a tensor does the same with these: both sides stand in one order, with the
transform between them undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weightmap.asked import dtype_asked
from weightmap.companions.base import Values
from weightmap.measure.differences import Differences
from weightmap.measure.requantized import Requantized
from weightmap.measuring import Measuring
from weightmap.pairing.tensor_pair import TensorPair
from weightmap.quantize.registry import ENCODERS
from weightmap.reading.elements import Elements
from weightmap.reading.slices import taken
from weightmap.types import registry
from weightmap.types.base import StoredType

if TYPE_CHECKING:
    from weightmap.findings import Finding
    from weightmap.measure.statistics import Statistics
    from weightmap.reading.sweep import Progress

Face = Literal["error", "quantized", "reference", "fresh"]
FACES: tuple[Face, ...] = get_args(Face)


class PairValues(Measuring):
    """The values of one face of a pair, read as those of a `Tensor` are.

    face  "error" (quantized - reference), "quantized", "reference", or "fresh": the errors of the reference written in the
          quantized tensor's type by the quantizers of `whatif`
    type  the plain type that the values are read as

    ValueError for "fresh" where `can_be_fresh` says no, and for any other face.
    """

    def __init__(self, pair: TensorPair, face: Face = "error") -> None:
        if face not in FACES:
            raise ValueError(f"face must be one of {', '.join(FACES)}; got {face!r}")
        if not isinstance(pair, TensorPair):
            raise TypeError(f"PairValues takes one of the pairs of two models, pairs[n]; got {type(pair).__name__}")
        self.pair, self.face, self.name = pair, face, pair.tensor
        self._elements = _elements(pair, face)
        self.count = self._elements.count
        self.type: StoredType = registry.by_name("F64" if self._elements.value == np.float64 else "F32")  # type: ignore[assignment]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values in numpy order."""
        return self._elements.shape

    @property
    def block_size(self) -> int:
        """Values per block of the quantized tensor, where blocks lie along the rows; else 1."""
        return _block(self.pair)

    @property
    def group_shape(self) -> tuple[int, int] | None:
        """As `Composed.group_shape` of the quantized weight, where the pair stands in its order; None for other tensors."""
        side = self.pair.sides[0]
        return side.group if isinstance(side, Values) and side.shape == self.shape else None

    def elements(self) -> Elements:
        """The values as the passes of `weightmap.measure` read them."""
        return self._elements

    def array(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """All values as a new array. TypeError for a dtype that loses kinds."""
        values, wanted = np.asarray(taken(self._elements, ...)), dtype_asked(dtype)
        return values if wanted is None else values.astype(wanted, casting="same_kind")

    def __repr__(self) -> str:
        return f"<{self.face} of {self.name!r} {self.shape}>"

    def _judged(
        self, statistics: Statistics | None, progress: Progress | None, threads: int | None
    ) -> tuple[Finding, ...]:
        return ()  # findings are about files; what a pair's values are is its errors


def can_be_fresh(pair: TensorPair) -> bool:
    """Whether the reference can be written in the quantized tensor's type here, to see what that would leave."""
    kind = registry.by_name(pair.type)
    return kind is not None and kind.elements > 1 and kind in ENCODERS and _block(pair) == kind.elements


def _block(pair: TensorPair) -> int:
    kind = registry.by_name(pair.type)
    width = pair.shape[-1] if pair.shape else 1
    return kind.elements if kind is not None and width % kind.elements == 0 else 1


def _elements(pair: TensorPair, face: Face) -> Elements:
    if face != "fresh":
        return pair.elements(face)
    if not can_be_fresh(pair):
        raise ValueError(f"{pair.tensor} cannot be written as {pair.type} here")
    reference, kind = pair.elements("reference"), registry.by_name(pair.type)
    assert kind is not None
    return Differences(Requantized(reference, kind), reference, pair.shape)
