"""Shapes in the file against those that follow from its hyperparameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from weightmap.checks.architecture.census import Group
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.formats.layout import TensorRecord
from weightmap.naming.formula import Formula
from weightmap.naming.rules import TensorRule

Shape = tuple[int, ...]
Expected = tuple[int | None, ...]
ROWS_OF_VOCABULARY = ("NV",)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A tensor that has another shape than the file's numbers give it. `keys` are behind the dimensions that differ."""

    record: TensorRecord
    rule: TensorRule
    block: int | None
    expected: Expected
    keys: frozenset[str]


@dataclass(slots=True)
class Comparison:
    """What came out: single mismatches, kinds of tensor that differ wherever they stand, and how many agree with a key."""

    single: list[Mismatch] = field(default_factory=list)
    everywhere: list[tuple[Mismatch, int]] = field(default_factory=list)
    agreeing: Counter[str] = field(default_factory=Counter)


def compare_shapes(groups: Iterable[Group], numbers: Hyperparameters) -> Comparison:
    """Every tensor of the groups against its formula; where a number is not given, a dimension is not judged."""
    result = Comparison()
    for group in groups:
        dims = _judged(group.entry.rule)
        mismatches = _mismatches(group, dims, numbers)
        if len(mismatches) == len(group.records) and len({m.record.shape for m in mismatches}) == 1:
            result.everywhere.append((mismatches[0], len(mismatches)))
        else:
            result.single += mismatches
        disagreeing = {key for mismatch in mismatches for key in mismatch.keys} if mismatches else frozenset()
        if len(mismatches) < len(group.records):
            disagreeing = frozenset()
        result.agreeing.update({key for dim in dims for key in _keys(dim, numbers, exact=True)} - disagreeing)
    return result


def _judged(rule: TensorRule) -> tuple[Formula | None, ...]:
    """The rule's dimensions in numpy order; rows of a vocabulary are judged elsewhere, for padding is normal there."""
    return tuple(None if dim.symbols == ROWS_OF_VOCABULARY else dim for dim in reversed(rule.dims))


def _mismatches(group: Group, dims: Sequence[Formula | None], numbers: Hyperparameters) -> list[Mismatch]:
    if group.whole:
        expected = _expected(dims, numbers, None)
        shapes: list[Expected] = [record.shape for record in group.records]
        if shapes.count(expected) == len(shapes):
            return []
    varying = any(numbers.varies(symbol) for dim in dims if dim for symbol in dim.symbols)
    judged: dict[tuple[int | None, Shape], tuple[Expected, set[int]]] = {}  # thousands of tensors are of few kinds
    result = []
    for record, block in group.found:
        case = block if varying else None, record.shape
        if case not in judged:
            expected = _expected(dims, numbers, block)
            judged[case] = expected, different(expected, record.shape)
        expected, differing = judged[case]
        if differing:
            keys = {key for at in differing for key in _keys(dims[at], numbers)} if differing != {-1} else set()
            result.append(Mismatch(record, group.entry.rule, block, expected, frozenset(keys)))
    return result


def _expected(dims: Sequence[Formula | None], numbers: Hyperparameters, block: int | None) -> Expected:
    return tuple(None if dim is None else dim(lambda symbol: numbers.value(symbol, block)) for dim in dims)


def _keys(dim: Formula | None, numbers: Hyperparameters, *, exact: bool = False) -> set[str]:
    """The keys behind a dimension; with `exact` only those that no remainder is dropped of, which would hide a wrong number."""
    symbols = dim.symbols if dim else ()
    return {key for symbol in symbols if not exact or numbers.is_exact(symbol) for key in numbers.keys(symbol)}


def different(expected: Expected, shape: Shape) -> set[int]:
    """Positions in `expected` that the shape contradicts; axes of length 1 in front count for nothing, as in ggml.

    A shape with more axes than it should have contradicts position -1.
    """
    surplus = len(shape) - len(expected)
    if surplus > 0:
        if any(n != 1 for n in shape[:surplus]):
            return {-1}
        shape = shape[surplus:]
    shape = (1,) * -surplus + shape
    return {at for at, (e, n) in enumerate(zip(expected, shape, strict=True)) if e is not None and e != n}
