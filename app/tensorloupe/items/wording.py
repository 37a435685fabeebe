"""How the tree words what it counts: what is left of a damaged tensor, how many of a group are shown, tooltips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weightmap
from tensorloupe.items.arrangement import Totals
from tensorloupe.style import text

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

NOT_LOCATED = "not located"


def totals_of_nothing() -> Totals:
    """The totals while no file is shown."""
    return Totals(0, 0, 0, 0.0, 0, 1.0, 0, "ok")


def describe(tensor: Weight) -> str:
    """What a row cannot show, for a tooltip: the full name, ggml's shape, the byte range."""
    lines = [weightmap.printable(tensor.name)]
    if len(tensor.shape) > 1:
        lines.append(f"ggml {text.shape(reversed(tensor.shape))}")
    lines.append(f"{text.count(tensor.count)} values in {text.count(tensor.nbytes)} bytes")
    if not isinstance(tensor, weightmap.Tensor):
        lines += [weightmap.printable(line) for line in (tensor.about, *tensor.sources, tensor.assumed or "") if line]
        return "\n".join(lines if tensor.problem is None else [*lines, weightmap.printable(tensor.problem.message)])
    if tensor.located:
        lines.append(f"bytes {text.count(tensor.offset)} to {text.count(tensor.offset + max(tensor.nbytes, 1) - 1)}")
    if tensor.problem is not None:
        lines.append(weightmap.printable(tensor.problem.message))
    return "\n".join(lines)


def held(nbytes: int, share: float, located: bool = True) -> str:
    """The size of a tensor or group, or which share of it is left, unless it is not `located` at all."""
    if share <= 0 and not located:
        return NOT_LOCATED
    if share >= 1:
        return text.size(nbytes)
    return f"{min(99, int(share * 100))} % left" if share > 0 else "missing"


def inside(group: Totals, shown: int, noun: str = "tensor") -> str:
    """How many tensors a group has; how many of them are shown, or whole, where not all are.

    In a model with weights that lie in several tensors each, the group's rows are weights.
    """
    if shown < group.tensors:
        return f"{text.count(shown)} of {text.count(group.tensors)}"
    if group.whole < group.tensors > group.unlocated:
        return f"{text.count(group.whole)} of {text.count(group.tensors)} whole"
    return text.counted(group.tensors, noun)


def all_inside(whole: Totals) -> str:
    """How many tensors the file has, or how many of them are whole where not all are."""
    every = whole.tensors in (whole.whole, whole.unlocated)
    return text.counted(whole.tensors, "tensor") if every else f"{text.count(whole.whole)} whole"
