"""A GGUF against its own metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from weightmap.checks.architecture.book import gguf_book
from weightmap.checks.architecture.census import take_census
from weightmap.checks.architecture.hyperparameters import Hyperparameters
from weightmap.checks.architecture.pairs import check_pairs
from weightmap.checks.architecture.presence import (
    block_findings,
    count_findings,
    missing_findings,
    unexpected_findings,
)
from weightmap.checks.architecture.relations import foreign_findings, numbers_findings
from weightmap.checks.architecture.shapes import compare_shapes
from weightmap.checks.architecture.vocabulary import TOKENS, id_findings, row_findings, token_findings
from weightmap.errors import printable
from weightmap.findings import Finding, finding, limited
from weightmap.formats.layout import Layout
from weightmap.formats.metadata import Metadata
from weightmap.naming.symbols import Symbol, symbols
from weightmap.wording import plural

OTHER_TYPES = ("adapter", "imatrix", "mmproj", "clip-vision")
OTHER_ARCHITECTURES = ("clip", "controlvector", "imatrix")
"""Files that are no language model by themselves: nothing is expected of their tensors."""
RIDERS = (".scale", ".input_scale", ".lora_a", ".lora_b", ".in_sum2", ".counts")
"""Endings of tensors that go with another tensor, whatever the architecture."""
INTEGERS = frozenset(f"{sign}{bits}[]" for sign in "ui" for bits in (8, 16, 32, 64))
SLIDING_HEADS = ("attention.key_length_swa", "attention.value_length_swa")


def check_gguf(layout: Layout) -> Iterator[Finding]:
    """Findings about a GGUF, of one part or several."""
    metadata = layout.metadata
    yield from token_findings(lambda key: _length(metadata, key), layout.path)
    yield from id_findings(metadata, _length(metadata, TOKENS), layout.path)
    architecture, kind = metadata.get("general.architecture"), metadata.get("general.type")
    kind = kind if isinstance(kind, str) else ""
    if kind in OTHER_TYPES:
        yield from limited(check_pairs(layout, kind))
    if not isinstance(architecture, str) or not layout.records:
        return
    if kind in OTHER_TYPES or architecture in OTHER_ARCHITECTURES:
        return
    yield from foreign_findings(metadata, architecture, layout.path)
    book = gguf_book(architecture)
    if book is None:
        name = printable(architecture[:64]) or "(an empty name)"
        text = f"The architecture {name} is not known here: its tensors were not checked against the hyperparameters."
        yield finding("unknown_arch", text, path=layout.path, key="general.architecture", found=name)
        return
    if any(part.size is not None and not part.located for part in layout.parts):
        return  # where reading stopped nothing follows from what is there, and what is not was never read
    paths = [part.path for part in layout.parts]
    numbers = gguf_numbers(metadata, architecture)
    census = take_census(layout.records, book, numbers)
    yield from _array_findings(numbers, symbols(architecture), layout.path)
    yield from numbers_findings(
        compare_shapes(census.groups.values(), numbers), numbers, architecture, paths, layout.path
    )
    yield from row_findings(census.groups, numbers, paths)
    yield from count_findings(census, numbers, layout.path)
    yield from block_findings(census, numbers, paths)
    what = f"the architecture {architecture}"
    if census.groups and all(part.size is not None for part in layout.parts):
        complete = kind == "model" and bool(_length(metadata, TOKENS))
        yield from missing_findings(census, book, numbers, what, layout.path, complete)
    yield from unexpected_findings([r for r in census.strangers if not r.name.endswith(RIDERS)], what, paths)


def gguf_numbers(metadata: Mapping[str, Any], architecture: str) -> Hyperparameters:
    """The hyperparameters as a GGUF's metadata gives them."""
    known = symbols(architecture)
    keys: dict[str, tuple[str, ...]] = {
        letter: (symbol.key[1:] if symbol.key.startswith("/") else f"{architecture}.{symbol.key}",)
        for letter, symbol in known.items()
    }
    default = {letter: symbol.default for letter, symbol in known.items()}
    if any(f"{architecture}.{key}" in metadata for key in SLIDING_HEADS):  # which blocks slide is not told in a key
        for letter in ("K", "V"):
            keys[letter], default[letter] = (), ""
    lengths = {keys[letter][0] for letter, symbol in known.items() if symbol.length}

    def read(key: str) -> Any:
        if key in lengths and (entries := _length(metadata, key)) is not None:
            return entries
        pending = metadata.entry(key).pending if isinstance(metadata, Metadata) and key in metadata else None
        # an array of anything but integers is there and says nothing: it is not even read
        return metadata.get(key) if pending is None or pending.kind in INTEGERS else pending.kind

    return Hyperparameters(known, keys, read, default)


def _length(metadata: Mapping[str, Any], key: str) -> int | None:
    """How many entries an array has, without reading it; None where the key is absent or no array."""
    if key not in metadata:
        return None
    value = (metadata.entry(key).pending if isinstance(metadata, Metadata) else None) or metadata[key]
    return None if isinstance(value, str | bytes) or not hasattr(value, "__len__") else len(value)


def _array_findings(numbers: Hyperparameters, known: Mapping[str, Symbol], path: str) -> Iterator[Finding]:
    blocks = numbers.value("B")
    for letter, symbol in known.items():
        key, value = numbers.source(letter)
        if blocks is not None and symbol.per_block and hasattr(value, "__len__") and len(value) != blocks:
            if isinstance(value, str):
                continue
            yield finding(
                "per_layer_length",
                f"{printable(key)} has {plural(len(value), 'number')} for {plural(blocks, 'block')}; it should have one for each.",
                path=path,
                key=key,
                expected=f"{blocks:,} numbers",
                found=f"{len(value):,} numbers",
            )
