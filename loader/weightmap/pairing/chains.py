"""Which transforms may lie between a tensor and its sources: candidates by the tensor's role and by the shapes.

The list is short and in order of likelihood. Which candidate is right, the values say: see `weightmap.pairing.proof`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from weightmap.pairing.facts import Facts
from weightmap.pairing.head_chains import Steps, fused, latent, qkvz, split_heads, value_heads
from weightmap.pairing.lazy import Shape
from weightmap.pairing.steps import (
    Chain,
    Experts,
    Frame,
    LastAxis,
    NegativeExp,
    NegativeLog,
    RowRange,
    Rows,
    Shift,
    Step,
    Transpose,
)
from weightmap.pairing.view import View, reshaped

SHIFTS = (Shift(1.0, "+1"), Shift(-1.0, "-1"), Shift(1 / 5, "+1/5"), Shift(1 / 5**1.5, "+1/5^1.5"))
_NAME = re.compile(r"^((?:[a-z]+\.)?blk\.(\d+)\.)?(.*?)(?:\.(weight|bias))?$", re.DOTALL)
_EXPERTS = re.compile(r"_(?:ch)?exps$")
_STATE = ("attn_qkv", "attn_gate", "ssm_a", "ssm_conv1d", "ssm_dt", "ssm_alpha", "ssm_beta", "ssm_out")


@dataclass(frozen=True, slots=True)
class Place:
    """A GGUF tensor's name in parts: "blk.3.attn_q.weight" is block 3, base "attn_q", end "weight"."""

    block: int | None
    base: str
    end: str


def place(name: str) -> Place:
    """The parts of a GGUF tensor's name."""
    found = _NAME.match(name)
    assert found is not None  # the pattern takes any text
    number = found[2]
    return Place(int(number) if number and len(number) <= 6 else None, found[3] or "", found[4] or "")


def candidates(name: str, shape: Shape, source: View, facts: Facts) -> Iterator[tuple[str, View]]:
    """(label, what the target of this name and shape would hold) for each transform whose result has that shape."""
    if not prod(shape) or not prod(source.shape):
        if shape == source.shape:
            yield "=", source
        return
    seen: set[str] = set()
    for steps in _chains(place(name), shape, source, facts):
        chain = Chain(tuple(steps))
        if chain.label in seen:
            continue
        seen.add(chain.label)
        result = chain.apply(source)
        if result is not None and (fitted := fit(result, shape)) is not None:
            yield chain.label, fitted


def fit(view: View, shape: Shape) -> View | None:
    """The view in this shape where they differ by axes of length 1 or by grouping; None where elements differ."""
    if _without_ones(view.shape) == _without_ones(shape):
        return reshaped(view, shape)
    flat = min(len(_without_ones(view.shape)), len(_without_ones(shape))) <= 1
    if prod(view.shape) == prod(shape) and (flat or view.shape[0] == shape[0]):
        return reshaped(view, shape)
    return None


def _without_ones(shape: Shape) -> Shape:
    return tuple(n for n in shape if n != 1)


def _chains(at: Place, shape: Shape, source: View, facts: Facts) -> Iterator[Steps]:
    """Chains in order of likelihood. Those that do not fit are left out later, so they may be listed freely."""
    yield []
    yield from _by_role(at, shape, source, facts)
    if len(source.shape) >= 2:
        yield [Transpose()]
    for steps in _cuts(shape, source):
        yield [steps]


def _by_role(at: Place, shape: Shape, source: View, facts: Facts) -> Iterator[Steps]:
    base, rows = at.base, source.shape[0] if source.shape else 0
    if base in ("attn_q", "attn_k", "attn_v"):
        yield from split_heads(base, at.block, shape, source, facts)
    elif base in _STATE and (tiles := list(value_heads(base, facts))):
        yield from tiles
    if base == "attn_qkv":
        yield from ([step] for step in fused(at.block, rows, facts))
    if base in ("attn_qkv", "attn_gate"):
        yield from ([step] for step in qkvz(base == "attn_gate", facts))
    if base in ("attn_k_b", "attn_v_b"):
        yield from ([step] for step in latent(base == "attn_k_b", shape, source))
    if re.search(r"norm(?:_\w+)?$", base):
        yield from ([shift] for shift in SHIFTS)
    if base == "ssm_a":
        yield from ([NegativeExp()], [NegativeLog()])
    if "patch_embd" in base:
        yield from ([Frame(frame)] for frame in (0, 1))
        yield [Transpose()]
    if base.startswith(("ffn_gate", "ffn_up", "ffn_down")):
        if len(shape) == 3 and len(source.shape) == 2:
            yield [Experts(shape[0])]
            yield [Experts(shape[0]), Transpose("T2")]
        yield from _halves(base)


def _halves(base: str) -> Iterator[Steps]:
    """Gate and up out of a tensor that holds both, as halves or by turns, as it is or transposed; experts or not."""
    which = 1 if base.startswith("ffn_up") else 0
    picks: Iterable[Step] = (Rows(which, 2), Rows(which, 2, True), LastAxis(which, 2), LastAxis(which, 2, True))
    turned = Transpose("T2")
    if _EXPERTS.search(base):
        yield [turned]
    for pick in picks:
        yield [pick]
        if not isinstance(pick, LastAxis):
            yield [turned, pick]
    yield [Rows(1 - which, 2)]
    yield [turned, Rows(1 - which, 2)]


def _cuts(shape: Shape, source: View) -> Iterator[Step]:
    """Rows left out at the end (a trimmed vocabulary) or at the start (padding positions)."""
    if shape and len(shape) == len(source.shape) and shape[1:] == source.shape[1:] and 0 < shape[0] < source.shape[0]:
        yield RowRange(0, shape[0])
        yield RowRange(source.shape[0] - shape[0], shape[0])
