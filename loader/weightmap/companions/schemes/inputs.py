"""A factor for each input that was taken out of a weight before it was quantized: offered as a reading, for it is no part of it.

Runtimes multiply the inputs with `pre_quant_scale`; multiplied into the columns it gives the weight that the layer acts as.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import prod

from weightmap.companions.base import Build, Claim, Values
from weightmap.companions.codes import number_text
from weightmap.companions.grids.grid import Grid
from weightmap.companions.parts import Parts
from weightmap.companions.scaled.values import Scaled
from weightmap.companions.scales import FLOATS
from weightmap.formats.layout import TensorRecord
from weightmap.reading.elements import Elements

READING = "with pre_quant_scale"


def with_inputs(claim: Claim, parts: Parts) -> Claim:
    """The claim, with the other reading where there are factors for its inputs."""
    factors = parts.get(claim.name.removesuffix(".weight") + ".pre_quant_scale")
    if factors is None or not claim.shape or factors.type.name not in FLOATS or factors.count != claim.shape[-1]:
        return claim
    return replace(claim, others={**claim.others, READING: partial(_values, claim.build, factors, parts)})


def _values(build: Build, factors: TensorRecord, parts: Parts) -> Values:
    return _Inputs(build(), factors, parts)


class _Inputs(Scaled):
    """Values times the factor of their column."""

    def __init__(self, values: Values, factors: TensorRecord, parts: Parts) -> None:
        rows, width = max(prod(values.shape[:-1]), 1), values.shape[-1]
        self._inner, self._factors = values, parts.stored(factors, None, (width,))
        super().__init__(values, self._factors, Grid(rows, rows, max(width, 1), 1))
        self.group = values.group

    def layers(self) -> Mapping[str, Elements]:
        """Those of the weight, and the factors."""
        return {**self._inner.layers(), "inputs": self._factors}

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """The steps of the value, and the factor of its column."""
        *_, (_, value) = super().explain(flat)
        *steps, (_, before) = self._inner.explain(flat)
        factor = number_text(self._factors, flat % self.shape[-1])
        return [*steps, ("stored value", before), ("pre_quant_scale", factor), ("value", value)]
