"""What can be selected in a model: a tensor as it is stored, or a weight that lies in several tensors.

The names below are for annotations only: to look at the types themselves would load what plain files do not need.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

import weightmap

if TYPE_CHECKING:
    Weight = weightmap.Tensor | weightmap.Composed


def kind_name(weight: Weight) -> str:
    """How it is stored, in a word, escaped: the type's name, or that of the scheme."""
    return weightmap.printable(weight.type.name if isinstance(weight, weightmap.Tensor) else weight.scheme)


def composed_of(model: weightmap.WeightFile) -> Mapping[str, weightmap.Composed]:
    """The weights that lie in several tensors. GGUF has none, so that nothing is loaded for it."""
    return {} if model.format == "gguf" else model.composed


def weight_called(model: weightmap.WeightFile, name: str) -> Weight | None:
    """The weight of that name, else the tensor, None where there is neither."""
    return composed_of(model).get(name) or model.tensors.get(name)


def nearest_name(model: weightmap.WeightFile, name: str) -> str | None:
    """The weight or tensor that is called nearly so; None where none is."""
    return weightmap.nearest_name(name, chain(composed_of(model), model.tensors))


def not_called(name: str, near: str | None) -> tuple[str, str]:
    """In sentences: that there is no weight of that name, and which is meant perhaps. Escaped."""
    meant = "" if near is None else f"Is {weightmap.printable(near)} meant?"
    return f"No tensor is called {weightmap.printable(name)}.", meant
