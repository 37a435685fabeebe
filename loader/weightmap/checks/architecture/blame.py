"""Mismatches as findings: one for each key that no tensor agrees with, else one for each tensor, few in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.checks.architecture.shapes import Comparison, Mismatch
from weightmap.errors import printable
from weightmap.findings import Finding, finding

MOST = 8
"""So many tensors are named one by one; the rest is counted."""


def shape_findings(comparison: Comparison, numbers: Hyperparameters, paths: list[str]) -> Iterator[Finding]:
    """What to say about the mismatches. A number that is wrong itself is one cause, however many tensors contradict it."""
    everywhere, single = list(comparison.everywhere), list(comparison.single)
    while key := _wrong_key(everywhere, comparison.agreeing):
        covered = [(mismatch, count) for mismatch, count in everywhere if key in mismatch.keys]
        everywhere = [pair for pair in everywhere if pair not in covered]
        # kinds whose shape changes from block to block contradict it, too
        covered += [(mismatch, 1) for mismatch in single if key in mismatch.keys]
        single = [mismatch for mismatch in single if key not in mismatch.keys]
        yield _of_key(key, covered, numbers, paths)
    alone = single + [mismatch for mismatch, _ in everywhere]
    others = Counter({id(mismatch): count - 1 for mismatch, count in everywhere})
    for mismatch in alone[:MOST]:
        yield _of_tensor(mismatch, others[id(mismatch)], numbers, paths)
    if len(alone) > MOST:
        rest = len(alone) - MOST
        yield finding(
            "shape_mismatch",
            f"{rest:,} more tensors have another shape than the metadata gives them, {_name(alone[MOST])} first.",
            path=paths[alone[MOST].record.part],
            tensor=alone[MOST].record.name,
        )


def _wrong_key(everywhere: list[tuple[Mismatch, int]], agreeing: Counter[str]) -> str:
    """The key behind most mismatches, where it is behind two kinds of tensor or more and no tensor agrees with it."""
    votes = Counter(key for mismatch, _ in everywhere for key in mismatch.keys if not agreeing[key])
    key, count = max(votes.items(), key=lambda item: item[1], default=("", 0))
    return key if count > 1 else ""


def _of_key(key: str, covered: list[tuple[Mismatch, int]], numbers: Hyperparameters, paths: list[str]) -> Finding:
    mismatch, total = covered[0][0], sum(count for _, count in covered)
    return finding(
        "shape_mismatch",
        f"No tensor agrees with {printable(key)}. {_says(mismatch, numbers)}. "
        f"{total - 1:,} more tensors contradict it in the same way.",
        path=paths[mismatch.record.part],
        tensor=mismatch.record.name,
        key=key,
        expected=shape_text(mismatch.expected),
        found=shape_text(mismatch.record.shape),
        advice="Correct the number in the metadata; the tensors agree with each other.",
    )


def _of_tensor(mismatch: Mismatch, others: int, numbers: Hyperparameters, paths: list[str]) -> Finding:
    more = f" {others:,} more tensors of its kind have the same shape." if others else ""
    return finding(
        "shape_mismatch",
        f"{_says(mismatch, numbers)}.{more}",
        path=paths[mismatch.record.part],
        tensor=mismatch.record.name,
        expected=shape_text(mismatch.expected),
        found=shape_text(mismatch.record.shape),
    )


def _says(mismatch: Mismatch, numbers: Hyperparameters) -> str:
    expected, found = shape_text(mismatch.expected), shape_text(mismatch.record.shape)
    described = printable(numbers.described(mismatch.rule.symbols, mismatch.block))
    by = f" by {described}" if described else ""
    return f"The shape of {_name(mismatch)} should be {expected}{by}, and is {found}"


def _name(mismatch: Mismatch) -> str:
    return printable(mismatch.record.name)


def shape_text(shape: tuple[int | None, ...]) -> str:
    """A shape in a sentence: 4,096 × 11,008, with ? for a dimension that nothing says."""
    return " × ".join("?" if n is None else f"{n:,}" for n in shape) or "a single number"
