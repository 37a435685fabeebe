"""Which transforms may lie between tensors of attention: heads split or fused, their rows in one order or the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weightmap.pairing.facts import Facts
from weightmap.pairing.heads import GroupedQKV, InterleavedQKV, LatentPart, LinearQKVZ, ValueHeads, share, shares
from weightmap.pairing.lazy import Shape
from weightmap.pairing.steps import NegativeExp, RopeRows, Rows, Step
from weightmap.pairing.view import View

Steps = Sequence[Step]

WIDTHS = (128, 64, 96, 80, 256, 32, 112, 160, 192, 48, 16, 8)  # usual rows of a head, where no number of heads is told


def split_heads(base: str, block: int | None, shape: Shape, source: View, facts: Facts) -> Iterator[Steps]:
    """Queries, keys or values, out of a tensor of their own or out of a fused one, their rows in either order."""
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


def fused(block: int | None, rows: int, facts: Facts) -> Iterator[Step]:
    """Orders of the rows of fused queries, keys and values."""
    for heads, groups in _head_pairs(block, facts):
        if shares(heads, groups, rows) is not None:
            yield GroupedQKV(heads, groups)
        if heads == groups:
            yield InterleavedQKV(heads)


def qkvz(gates: bool, facts: Facts) -> Iterator[Step]:
    """Queries, keys and values, or the gates, out of the one projection of linear attention."""
    for key_heads, value_heads, key, value in _linear(facts):
        yield LinearQKVZ(key_heads, key, value_heads // key_heads * value, gates)


def value_heads(base: str, facts: Facts) -> Iterator[Steps]:
    """Orders of the value heads of linear attention, in rows, single numbers or columns."""
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


def latent(keys: bool, shape: Shape, source: View) -> Iterator[Step]:
    """The key or the value part of the shared projection of latent attention."""
    if len(shape) == 3 and len(source.shape) == 2 and shape[0] and source.shape[0] % shape[0] == 0:
        heads, each = shape[0], source.shape[0] // shape[0]
        part = shape[2] if keys else shape[1]
        yield LatentPart(heads, *((part, each - part) if keys else (each - part, part)), keys)
