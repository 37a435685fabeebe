"""What a GGUF promises to be quantized as, by `general.file_type` and by its name, against what its tensors are.

Both are only labels: llama.cpp reads each tensor by its own type. So whatever is found here is worth knowing and no fault.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout, TensorRecord
from weightmap.source.address import basename
from weightmap.types.registry import by_name

KEY = "general.file_type"
GUESSED = 1024
"""Added to the number where the program that wrote it had to guess."""

FILE_TYPES: dict[int, tuple[str, tuple[str, ...]]] = {
    0: ("F32", ("F32",)),
    1: ("F16", ("F16",)),
    2: ("Q4_0", ("Q4_0",)),
    3: ("Q4_1", ("Q4_1",)),
    4: ("Q4_1_F16", ("Q4_1",)),
    7: ("Q8_0", ("Q8_0",)),
    8: ("Q5_0", ("Q5_0",)),
    9: ("Q5_1", ("Q5_1",)),
    10: ("Q2_K", ("Q2_K", "Q3_K")),
    11: ("Q3_K_S", ("Q3_K",)),
    12: ("Q3_K_M", ("Q3_K",)),
    13: ("Q3_K_L", ("Q3_K",)),
    14: ("Q4_K_S", ("Q4_K",)),
    15: ("Q4_K_M", ("Q4_K",)),
    16: ("Q5_K_S", ("Q5_K",)),
    17: ("Q5_K_M", ("Q5_K",)),
    18: ("Q6_K", ("Q6_K",)),
    19: ("IQ2_XXS", ("IQ2_XXS",)),
    20: ("IQ2_XS", ("IQ2_XS",)),
    21: ("Q2_K_S", ("Q2_K",)),
    22: ("IQ3_XS", ("IQ3_XXS", "IQ3_S")),
    23: ("IQ3_XXS", ("IQ3_XXS",)),
    24: ("IQ1_S", ("IQ1_S",)),
    25: ("IQ4_NL", ("IQ4_NL",)),
    26: ("IQ3_S", ("IQ3_S",)),
    27: ("IQ3_M", ("IQ3_S",)),
    28: ("IQ2_S", ("IQ2_XS", "IQ2_S")),
    29: ("IQ2_M", ("IQ2_S",)),
    30: ("IQ4_XS", ("IQ4_XS",)),
    31: ("IQ1_M", ("IQ1_M",)),
    32: ("BF16", ("BF16",)),
    36: ("TQ1_0", ("TQ1_0",)),
    37: ("TQ2_0", ("TQ2_0",)),
    38: ("MXFP4_MOE", ("MXFP4",)),
    39: ("NVFP4", ("NVFP4",)),
    40: ("Q1_0", ("Q1_0",)),
    41: ("Q2_0", ("Q2_0",)),
}
"""llama.cpp's numbers: the label, and the types that most weights of such a file have."""

FALLBACKS = {
    **dict.fromkeys(("Q2_K", "IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S"), ("IQ4_NL", "Q4_0", "F16")),
    **dict.fromkeys(("Q3_K", "IQ3_XXS", "IQ3_S", "IQ4_XS"), ("IQ4_NL", "Q4_0", "Q4_1", "F16")),
    **dict.fromkeys(("TQ1_0", "TQ2_0"), ("Q4_0", "F16")),
    "Q4_K": ("Q5_0", "F16"),
    "Q5_K": ("Q5_1", "F16"),
    "Q6_K": ("Q8_0", "F16"),
}
"""What llama.cpp's quantizer, in its older versions too, takes for rows that blocks of the wanted type do not fit."""

ANY_FALLBACK = frozenset[str]().union(*FALLBACKS.values())
APART = frozenset({"token_embd.weight", "output.weight", "per_layer_token_embd.weight"})
"""What mixes give types of their own: in a small model with a large vocabulary most weights are these."""

ENOUGH = 0.25
"""Share of the weights that must have one of the promised types: mixes give many tensors more bits than the label says."""

_LABELS = dict(FILE_TYPES.values()) | {name: (name,) for name in ("Q3_K", "Q4_K", "Q5_K")}
_IN_NAME = re.compile(
    "(?<![A-Z0-9])(" + "|".join(sorted(_LABELS, key=len, reverse=True)) + ")(?![A-Z0-9])", re.IGNORECASE
)


def check(layout: Layout) -> list[Finding]:
    """Findings about the promised quantization, all of them info."""
    if layout.format != "gguf" or not layout.records:
        return []
    return list(_findings(layout))


def _findings(layout: Layout) -> Iterator[Finding]:
    held: dict[tuple[str, int], list[int]] | None = None
    said: set[tuple[str, ...]] = set()
    for promiser, label, key in _promises(layout):
        types = _LABELS[label]
        if types in said or _all_are(layout.records, types):
            continue
        said.add(types)
        held = held or _weights(layout.records)
        size = max(kind.elements for kind in map(by_name, types) if kind is not None)
        fallback = {
            (name, row): counts
            for (name, row), counts in held.items()
            if name in ANY_FALLBACK and name not in types and row % size
        }
        layers = _weights(record for record in layout.records if record.name not in APART) or held
        own = frozenset(types).union(*(FALLBACKS.get(name, ()) for name in types))
        total = sum(elements for _, elements in layers.values())
        kept = sum(
            elements
            for (name, row), (_, elements) in layers.items()
            if name in types or (name in own and (name, row) in fallback)
        )
        if total and kept < ENOUGH * total:
            held_text = _counted(held)
            text = f"{promiser} {label}, and less than a quarter of the weights are that: the tensors are {held_text}."
            yield finding("file_type", text, path=layout.path, key=key, expected=label, found=held_text)
        elif fallback:
            number, other = sum(tensors for tensors, _ in fallback.values()), _counted(fallback)
            many = "1 tensor is of another type" if number == 1 else f"{number:,} tensors are of other types"
            text = f"{promiser} {label}; {many}, for blocks of {size:,} do not fit their rows: {other}."
            yield finding("fallback_type", text, path=layout.path, key=key, expected=label, found=other)


def _promises(layout: Layout) -> Iterator[tuple[str, str, str | None]]:
    value = layout.metadata.get(KEY)
    if isinstance(value, int) and not isinstance(value, bool):
        known = FILE_TYPES.get(value & ~GUESSED)
        if known is not None:
            yield f"{KEY} is {value:,}, which means", known[0], KEY
    name = basename(layout.path)
    if found := _IN_NAME.findall(name):
        yield f"The file name {printable(name)} promises", found[-1].upper(), None


def _all_are(records: Iterable[TensorRecord], types: tuple[str, ...]) -> bool:
    """Whether every tensor has one of these types, or F32 as small tensors always do, and F32 is not all there is."""
    names = {kind.name for kind in set(map(operator.attrgetter("type"), records))}
    return names <= {*types, "F32"} and not names.isdisjoint(types)


def _weights(records: Iterable[TensorRecord]) -> dict[tuple[str, int], list[int]]:
    """By type and row length: how many tensors of two axes or more there are, and how many elements they have."""
    held: dict[tuple[str, int], list[int]] = {}
    wide = [record for record in records if len(record.shape) > 1]
    counts = Counter(zip([record.type for record in wide], [record.shape for record in wide], strict=True))
    for (kind, shape), tensors in counts.items():
        entry = held.setdefault((kind.name, shape[-1]), [0, 0])
        entry[0] += tensors
        entry[1] += tensors * _product(shape)
    return held


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for n in shape:
        product *= n
    return product


def _counted(held: dict[tuple[str, int], list[int]]) -> str:
    tensors: Counter[str] = Counter()
    for (name, _), (number, _) in held.items():
        tensors[name] += number
    return ", ".join(f"{printable(name)} ({number:,})" for name, number in tensors.most_common())
