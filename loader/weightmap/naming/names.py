"""Which tensor of a Hugging Face checkpoint answers which tensor of a GGUF, and what the converter does to its values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from weightmap.naming.name_tables import TABLES

TRANSFORMS = {
    "=": "the same values",
    "P(q)": "rows of each query head reordered for the rotary embedding",
    "P(k)": "rows of each key head reordered for the rotary embedding",
    "+1": "one added to every value",
    "T": "transposed",
    "T2": "the last two axes swapped",
    "S": "the experts' matrices stacked along a new first axis",
    "-exp": "minus the exponential",
    "sq": "axes of length 1 dropped",
    "F": "query, key and value rows of each group of heads gathered",
    "B": "query, key and value rows of each head gathered",
    "KB": "key part of the shared projection, transposed head by head",
    "VB": "value part of the shared projection",
    "rows[:half]": "first half of the rows",
    "rows[half:]": "second half of the rows",
    "T2,rows[0::2]": "the last two axes swapped, then every second row from the first",
    "T2,rows[1::2]": "the last two axes swapped, then every second row from the second",
    "cols[0::2]": "every second column from the first",
    "cols[1::2]": "every second column from the second",
}
"""The converter's ways from source to GGUF, by their codes in the tables."""

PREFIXES = (
    "model.",
    "language_model.",
    "text_model.",
    "transformer.",
    "bert.",
    "roberta.",
    "distilbert.",
    "gpt_neox.",
    "backbone.",
)
"""What may stand before a name, one behind the other, or be missing: checkpoints of one model differ in it."""

LEFTOVERS = (
    "rotary_emb.inv_freq",
    "attn.bias",
    "attn.masked_bias",
    "attention.bias",
    "attention.masked_bias",
    "position_ids",
    "pooler.dense.weight",
    "pooler.dense.bias",
)
"""Endings of tensors that a checkpoint may hold and a conversion leaves out."""


@dataclass(frozen=True, slots=True)
class Name:
    """One line of a table: the source's name and the GGUF's, with {i} for the block and {x} for the expert."""

    source: str
    target: str
    transform: str


@cache
def names(architecture: str) -> tuple[Name, ...]:
    """The names that belong to this architecture of GGUF, () where it is not in the tables."""
    layers, table = TABLES.get(architecture, ("", ""))
    rows = []
    for line in table.split("\n"):
        if words := line.split():
            source, target, transform = (*words, "=")[:3]
            source = f"{layers}{source}" if source.startswith(".") else source
            rows.append(Name(source, f"blk.{{i}}{target}" if target.startswith(".") else target, transform))
    return tuple(rows)


def bare(name: str) -> str:
    """A source's name without what may stand before it, the same for every checkpoint of one model."""
    while prefix := next((prefix for prefix in PREFIXES if name.startswith(prefix)), None):
        name = name[len(prefix) :]
    return name
