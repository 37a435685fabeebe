"""The weights of one side of a comparison: its tensors, and those that lie in two, codes and scales, taken together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.errors import WeightFileError
from weightmap.measure.parts import real_parts
from weightmap.model import WeightFile
from weightmap.naming.roles import Role, gguf_role, roles
from weightmap.pairing.lazy import Lazy, Shape
from weightmap.pairing.view import View
from weightmap.reading.elements import Elements
from weightmap.tensor import Tensor
from weightmap.types.workspace import Workspace

_CODES = (".qweight", "", ".weight_q", "_q", ".q", ".int8")
_SCALES = (".scale", "_scale", ".scales", ".weight_scale")
_SCALED_TYPES = ("I8", "F8_E4M3", "F8_E5M2")


@dataclass(frozen=True, slots=True, eq=False)
class Weight:
    """One weight: a name, a shape, the name of its stored type, and a way to its elements."""

    name: str
    shape: Shape
    type: str
    nbytes: int
    format: str
    elements: Elements

    @property
    def roles(self) -> tuple[Role, ...]:
        """What the name may stand for in a GGUF, the likeliest first."""
        return (gguf_role(self.name),) if self.format == "gguf" else roles(self.name)

    @property
    def view(self) -> View:
        """The elements as they lie."""
        return View(self.elements, self.shape)


@dataclass(frozen=True, slots=True)
class Side:
    """All weights of a model by name, in file order; `left_out` says why a tensor of the file is none."""

    format: str
    path: str
    metadata: Mapping[str, Any]
    by_name: dict[str, Weight]
    left_out: dict[str, str]
    _by_role: dict[str, list[tuple[int | None, Weight]]] = field(default_factory=dict)

    def of_role(self, target: str) -> list[tuple[int | None, Weight]]:
        """(expert, weight) of every weight that may answer this tensor of a GGUF."""
        if not self._by_role:  # worked out when first asked for: files of equal names never ask
            for weight in self:
                for role in weight.roles:
                    self._by_role.setdefault(role.target, []).append((role.expert, weight))
        return self._by_role.get(target, [])

    def __iter__(self) -> Iterator[Weight]:
        return iter(self.by_name.values())


class Scaled(Lazy):
    """Codes times one scale for all of them or one for each position of the first axis, in float32."""

    def __init__(self, codes: Elements, scales: NDArray[np.float32]) -> None:
        super().__init__(codes.shape, codes.grain, (codes,))
        self.value = np.dtype(np.float32)
        self._codes, self._scales = codes, scales
        self._width = max(codes.count // len(scales), 1)

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Decode the codes, then scale them."""
        self._codes.read(start, stop, out, work)
        with np.errstate(all="ignore"):
            np.multiply(out, self._scales[np.arange(start, stop) // self._width], out=out)


def side_of(model: WeightFile) -> Side:
    """The weights of an open model. What cannot be read, or is no number, is left out with the reason."""
    found = Side(model.format, model.path, model.metadata, {}, {})
    for codes, scales, name in _scaled_pairs(model.tensors):
        try:
            weight = _scaled(codes, scales, name)
        except WeightFileError:
            weight = None
        if weight is not None:
            found.by_name[name] = weight
            part = "codes" if codes.name != name else "weight"
            found.left_out[codes.name] = f"These are the {part} of {name}, which is compared as a whole."
            found.left_out[scales.name] = f"These are the scales of {name}, which is compared as a whole."
    for tensor in model.tensors.values():
        if tensor.name in found.by_name or tensor.name in found.left_out:
            continue
        if (problem := tensor.problem) is not None:
            found.left_out[tensor.name] = problem.message
        else:
            found.by_name[tensor.name] = _plain(tensor, found.format)
    return found


def _plain(tensor: Tensor, format: str) -> Weight:
    elements = real_parts(tensor.elements())
    shape = elements.shape if elements.count != tensor.count else tensor.original_shape or tensor.shape
    return Weight(tensor.name, shape, tensor.type.name, tensor.nbytes, format, elements)


def _scaled_pairs(tensors: Mapping[str, Tensor]) -> Iterator[tuple[Tensor, Tensor, str]]:
    """(codes, scales, name of the weight) where both lie side by side under one of the usual spellings."""
    for tensor in tensors.values():
        if tensor.type.name not in _SCALED_TYPES or tensor.problem is not None:
            continue
        for end in _CODES:
            name = tensor.name.removesuffix(end)
            if end and name == tensor.name:
                continue
            scales = next((tensors[name + s] for s in _SCALES if name + s in tensors), None)
            if scales is not None and (not end or name not in tensors):
                yield tensor, scales, name
                break


def _scaled(codes: Tensor, scales: Tensor, name: str) -> Weight | None:
    """The two as one weight; None where the scales are not one for all or one for each row."""
    single = scales.count == 1
    per_row = bool(codes.shape) and scales.count == codes.shape[0] and (scales.shape or (0,))[0] == codes.shape[0]
    if not codes.count or not (single or per_row) or scales.problem is not None or scales.type.value.kind != "f":
        return None
    factors = scales.array(np.float32).reshape(-1)
    return Weight(
        name,
        codes.shape,
        codes.type.name,
        codes.nbytes + scales.nbytes,
        "safetensors",
        Scaled(codes.elements(), factors),
    )
