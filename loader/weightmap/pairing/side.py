"""The weights of one side of a comparison: its tensors, and those that lie in several, taken together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weightmap.errors import WeightFileError
from weightmap.measure.parts import real_parts
from weightmap.model import WeightFile
from weightmap.naming.roles import Role, gguf_roles, roles
from weightmap.pairing.lazy import Shape
from weightmap.pairing.view import View
from weightmap.reading.elements import Elements
from weightmap.tensor import Tensor

if TYPE_CHECKING:
    from weightmap.composed import Composed


@dataclass(frozen=True, slots=True, eq=False)
class Weight:
    """One weight: a name, a shape, the name of its stored type or scheme, and a way to its elements.

    usual   under which name `measure.usual` knows the error of its kind
    turned  whether runtimes hold it with its last two axes exchanged
    """

    name: str
    shape: Shape
    type: str
    nbytes: int
    format: str
    elements: Elements
    usual: str
    turned: bool = False

    @property
    def roles(self) -> tuple[Role, ...]:
        """What the name may stand for in a GGUF, the likeliest first."""
        return gguf_roles(self.name) if self.format == "gguf" else roles(self.name)

    @property
    def view(self) -> View:
        """The elements as they lie."""
        return View(self.elements, self.shape)


@dataclass(frozen=True, slots=True)
class Side:
    """All weights of a model by name, in file order; `left_out` says why a tensor of the file is none, `part_of` of which
    weight it is a part then, `aliases` has names of the other file that mean one of this one.
    """

    format: str
    path: str
    metadata: Mapping[str, Any]
    by_name: dict[str, Weight]
    left_out: dict[str, str]
    part_of: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    _by_role: dict[str, list[tuple[int | None, Weight]]] = field(default_factory=dict)

    def named(self, name: str) -> Weight | None:
        """The weight of this name, or of one that is the same but for a wrapper's words."""
        return self.by_name.get(name) or self.by_name.get(self.aliases.get(name, ""))

    def of_role(self, target: str) -> list[tuple[int | None, Weight]]:
        """(expert, weight) of every weight that may answer this tensor of a GGUF."""
        if not self._by_role:  # worked out when first asked for: files of equal names never ask
            for weight in self:
                for role in weight.roles:
                    self._by_role.setdefault(role.target, []).append((role.expert, weight))
        return self._by_role.get(target, [])

    def __iter__(self) -> Iterator[Weight]:
        return iter(self.by_name.values())


def side_of(model: WeightFile) -> Side:
    """The weights of an open model. What cannot be read, or is no number, is left out with the reason."""
    found = Side(model.format, model.path, model.metadata, {}, {})
    for name, one in model.weights.items():
        if (problem := one.problem) is not None:
            found.left_out[name] = problem.message
            continue
        try:
            found.by_name[name] = _plain(one, found.format) if isinstance(one, Tensor) else _composed(one, found.format)
        except WeightFileError as problem_of_parts:
            found.left_out[name] = problem_of_parts.finding.message
    for weight in model.composed.values():
        if weight.problem is not None:
            found.left_out[weight.name] = weight.problem.message
            for source in weight.sources:
                found.by_name.pop(source, None)
        for source in weight.sources:
            if source not in found.by_name and source not in found.left_out:
                found.part_of[source] = weight.name
                found.left_out[source] = f"This is a part of {weight.name}, which is compared as a whole."
    return found


def _plain(tensor: Tensor, format: str) -> Weight:
    elements = real_parts(tensor.elements())
    shape = elements.shape if elements.count != tensor.count else tensor.original_shape or tensor.shape
    return Weight(tensor.name, shape, tensor.type.name, tensor.nbytes, format, elements, tensor.type.name)


def _composed(weight: Composed, format: str) -> Weight:
    kind = weight.scheme if weight.reading is None else f"{weight.scheme}: {weight.reading}"
    return Weight(
        weight.name, weight.shape, kind, weight.nbytes, format, weight.elements(), weight.usual, weight.turned
    )
