"""Hyperparameters that contradict each other, whatever the shapes are: loaders stop at them, or compute nonsense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weightmap.checks.architecture.blame import shape_findings
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.checks.architecture.shapes import Comparison
from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.wording import plural

WHOLE_HEADS_TURNED = ("llama", "llama-embed", "deci", "falcon")
"""Architectures that llama.cpp refuses where not the whole head is rotated."""
BLOCKS = ".block_count"
MOST_BLOCKS = 512  # whose own numbers are looked at


def foreign_findings(metadata: Iterable[str], architecture: str, path: str) -> Iterator[Finding]:
    """A finding where a GGUF has the hyperparameters of another architecture than it names, and none of its own."""
    keys = list(metadata)
    other = next((key for key in keys if key.endswith(BLOCKS)), None)
    if other is None or any(key.startswith(f"{architecture}.") for key in keys):
        return
    named, theirs = printable(architecture[:64]), printable(other.removesuffix(BLOCKS))
    text = f"general.architecture is {named}, but the hyperparameters are those of {theirs}, as {printable(other)}."
    yield finding("hyperparameter", text, path=path, key="general.architecture", expected=theirs, found=named)


def numbers_findings(
    comparison: Comparison, numbers: Hyperparameters, architecture: str, paths: list[str], path: str
) -> Iterator[Finding]:
    """Findings about the hyperparameters of a GGUF or a checkpoint, which stand in the file at `path`: where the tensors
    contradict them, else where they contradict each other, which may be the same fault once more.
    """
    contradicted = list(shape_findings(comparison, numbers, paths))
    yield from contradicted or _relations(numbers, architecture, path)


def _relations(numbers: Hyperparameters, architecture: str, path: str) -> Iterator[Finding]:
    yield from _heads(numbers, path)
    yield from _experts(numbers, path)
    if architecture in WHOLE_HEADS_TURNED and numbers.source("R")[1] is not None:
        turned, head = numbers.value("R"), numbers.value("K", 0)
        if turned is not None and head is not None and head > 0 and turned != head:
            text = f"{_shown(numbers, 'R')} is {turned:,}, and a head has {head:,} values, all of which are rotated."
            yield _finding(numbers, "R", path, text, f"{head:,}", f"{turned:,}")


def _heads(numbers: Hyperparameters, path: str) -> Iterator[Finding]:
    """The first block whose heads cannot share their keys and values evenly; a block without attention has none of them."""
    if numbers.source("HK")[1] is None:
        return
    varying = numbers.varies("H") or numbers.varies("HK")
    total = numbers.value("B") or 0
    for block in range(min(total, MOST_BLOCKS)) if varying else (None,):
        heads, shared = numbers.value("H", block), numbers.value("HK", block)
        if heads is None or shared is None or heads <= 0 or shared <= 0 or heads % shared == 0:
            continue
        where = "" if block is None else f" in block {block:,}"
        text = f"{_shown(numbers, 'HK')} is {shared:,}{where}, which does not divide {_shown(numbers, 'H')}, {heads:,}."
        yield _finding(numbers, "HK", path, text, f"a divisor of {heads:,}", f"{shared:,}")
        return


def _experts(numbers: Hyperparameters, path: str) -> Iterator[Finding]:
    experts, used = numbers.value("E"), numbers.value("EU")
    if experts is not None and used is not None and experts > 0 and not 0 < used <= experts:
        text = (
            f"{_shown(numbers, 'EU')} is {used:,}, and there are {plural(experts, 'expert')} by {_shown(numbers, 'E')}."
        )
        yield _finding(numbers, "EU", path, text, f"1 to {experts:,}", f"{used:,}")


def _shown(numbers: Hyperparameters, symbol: str) -> str:
    return printable(numbers.source(symbol)[0])


def _finding(numbers: Hyperparameters, symbol: str, path: str, text: str, expected: str, found: str) -> Finding:
    return finding("hyperparameter", text, path=path, key=numbers.source(symbol)[0], expected=expected, found=found)
