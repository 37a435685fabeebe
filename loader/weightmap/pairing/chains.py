"""Which transforms may lie between a tensor and its sources: candidates by the tensor's role and by the shapes.

The list is short and in order of likelihood. Which candidate is right, the values say: see `weightmap.pairing.proof`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from weightmap.pairing.facts import Facts
from weightmap.pairing.heads import GroupedQKV, InterleavedQKV, LatentPart, LinearQKVZ, ValueHeads, share, shares
from weightmap.pairing.lazy import Shape
from weightmap.pairing.steps import (
    Chain,
    Frame,
    LastAxis,
    NegativeExp,
    NegativeLog,
    RopeRows,
    RowRange,
    Rows,
    Shift,
    Step,
    Transpose,
    View,
    reshaped,
)

WIDTHS = (128, 64, 96, 80, 256, 32, 112, 160, 192, 48, 16, 8)  # usual rows of a head, where no number of heads is told
SHIFTS = (Shift(1.0, "+1"), Shift(-1.0, "-1"), Shift(1 / 5, "+1/5"), Shift(1 / 5**1.5, "+1/5^1.5"))
_NAME = re.compile(r"^((?:[a-z]+\.)?blk\.(\d+)\.)?(.*?)(?:\.(weight|bias))?$")
_EXPERTS = re.compile(r"_(?:ch)?exps$")
Steps = Sequence[Step]
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
        yield from _split_heads(base, at.block, shape, source, facts)
    elif base in _STATE and (tiles := list(_value_heads(base, source, facts))):
        yield from tiles
    if base == "attn_qkv":
        yield from ([step] for step in _fused(at.block, rows, facts))
    if base in ("attn_qkv", "attn_gate"):
        yield from ([step] for step in _qkvz(base == "attn_gate", facts))
    if base in ("attn_k_b", "attn_v_b"):
        yield from ([step] for step in _latent(base == "attn_k_b", shape, source))
    if re.search(r"norm(?:_\w+)?$", base):
        yield from ([shift] for shift in SHIFTS)
    if base == "ssm_a":
        yield from ([NegativeExp()], [NegativeLog()])
    if "patch_embd" in base:
        yield from ([Frame(frame)] for frame in (0, 1))
        yield [Transpose()]
    if base.startswith(("ffn_gate", "ffn_up", "ffn_down")):
        yield from _halves(base)


def _split_heads(base: str, block: int | None, shape: Shape, source: View, facts: Facts) -> Iterator[Steps]:
    """Queries, keys or values of their own, out of a tensor of their own or of a fused one, their rows in either order."""
    which = ("attn_q", "attn_k", "attn_v").index(base)
    rotations: list[Steps] = [[]]
    if which < 2:
        for heads in _heads(which, block, shape, facts):
            once, back = RopeRows(heads), RopeRows(heads, undo=True)
            rotations += [[once], [back], [once, once]]
    wanted = shape[0] if shape else 0
    rows = source.shape[0] if source.shape else 0
    ways: list[Steps] = [[]]
    if rows > wanted:
        if rows == 3 * wanted:
            ways.append([Rows(which, 3)])
        for heads, groups in _head_pairs(block, facts):
            if (sizes := shares(heads, groups, rows)) is not None and sizes[which] == wanted:
                ways += [[share(which, sizes)], [GroupedQKV(heads, groups), share(which, sizes)]]
                if heads == groups:
                    ways.append([InterleavedQKV(heads), share(which, sizes)])
    for way in ways:
        for rotation in rotations:
            yield [*way, *rotation]


def _heads(which: int, block: int | None, shape: Shape, facts: Facts) -> list[int]:
    """How many heads queries (0) or keys (1) may have: as told, or guessed by usual widths where nothing fits."""
    rows = shape[0] if shape else 0
    letters = ("H", "HK") if which == 0 else ("HK", "H")
    told = [n for letter in letters for n in facts.numbers(letter, block) if rows % (2 * n) == 0]
    guessed = [rows // width for width in WIDTHS if rows and rows % width == 0]
    return list(dict.fromkeys(told or guessed))


def _head_pairs(block: int | None, facts: Facts) -> list[tuple[int, int]]:
    queries = facts.numbers("H", block)
    groups = [*facts.numbers("HK", block), *queries, 1]
    return list(dict.fromkeys((h, g) for h in queries for g in groups if g <= h and h % g == 0))


def _fused(block: int | None, rows: int, facts: Facts) -> Iterator[Step]:
    for heads, groups in _head_pairs(block, facts):
        if shares(heads, groups, rows) is not None:
            yield GroupedQKV(heads, groups)
        if heads == groups:
            yield InterleavedQKV(heads)


def _qkvz(gates: bool, facts: Facts) -> Iterator[Step]:
    for key_heads, value_heads, key, value in _linear(facts):
        yield LinearQKVZ(key_heads, key, value_heads // key_heads * value, gates)


def _value_heads(base: str, source: View, facts: Facts) -> Iterator[Steps]:
    edits: list[Steps] = [[NegativeExp()]] if base == "ssm_a" else [[]]
    for key_heads, value_heads, key, value in _linear(facts):
        if value_heads == key_heads:
            continue
        first = 2 * key_heads * key
        for edit in edits:
            for width in (value, 1):
                yield [*edit, ValueHeads(key_heads, value_heads, width)]
                yield [*edit, ValueHeads(key_heads, value_heads, width, first)]
            yield [*edit, ValueHeads(key_heads, value_heads, value, columns=True)]


def _linear(facts: Facts) -> Iterator[tuple[int, int, int, int]]:
    """(key heads, value heads, key width, value width) of linear attention."""
    for key_heads in facts.numbers("key_heads"):
        for value_heads in facts.numbers("value_heads"):
            for key in facts.numbers("key_width"):
                inner = [n // value_heads for n in facts.numbers("DI") if n % value_heads == 0]
                for value in dict.fromkeys([*facts.numbers("value_width"), *inner, key]):
                    if value_heads % key_heads == 0:
                        yield key_heads, value_heads, key, value


def _latent(keys: bool, shape: Shape, source: View) -> Iterator[Step]:
    if len(shape) == 3 and len(source.shape) == 2 and shape[0] and source.shape[0] % shape[0] == 0:
        heads, each = shape[0], source.shape[0] // shape[0]
        part = shape[2] if keys else shape[1]
        yield LatentPart(heads, *((part, each - part) if keys else (each - part, part)), keys)


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
