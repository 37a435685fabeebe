"""Files whose tensors come in twos: adapters and importance matrices. Loaders refuse one of a pair without the other.

An adapter adds `b · a` to a weight, so the rows of `lora_a` are as many as the columns of `lora_b`; those of the token
embedding, which is looked up row by row, may be stored either way round. An importance matrix has a row of sums and one count for
each matrix of a weight: one, or one for each expert.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from weightmap.checks.architecture.blame import shape_text
from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import Layout, TensorRecord, listed
from weightmap.wording import plural

ENDINGS = {"adapter": (".lora_a", ".lora_b"), "imatrix": (".in_sum2", ".counts")}
EMBEDDING = "token_embd.weight"
LOOSE = "llama.cpp refuses it: take the whole file from its source again, or make it anew."


def check_pairs(layout: Layout, kind: str) -> Iterator[Finding]:
    """Findings about a file of this `general.type`; none where its tensors stand alone, or where parts of it are missing."""
    if kind not in ENDINGS or any(part.size is None for part in layout.parts):
        return
    first, second = ENDINGS[kind]
    by_name = {record.name: record for record in layout.records}
    for record in layout.records:
        stem, ending = record.name[: -len(first)], first
        if record.name.endswith(second):
            stem, ending = record.name[: -len(second)], second
        elif not record.name.endswith(first):
            continue
        partner = by_name.get(stem + (second if ending == first else first))
        if partner is None:
            yield _loose(layout, record, stem + (second if ending == first else first))
        elif ending == first and (odd := _at_odds(kind, stem, record, partner)):
            expected, found = odd
            yield finding(
                "shape_mismatch",
                f"{printable(record.name)} of {shape_text(record.shape)} and {printable(partner.name)} of "
                f"{shape_text(partner.shape)} do not go together: the second should have {expected}, and has {found}.",
                path=layout.parts[partner.part].path,
                tensor=partner.name,
                offset=partner.entry,
                expected=expected,
                found=found,
                advice=LOOSE,
            )


def _at_odds(kind: str, stem: str, first: TensorRecord, second: TensorRecord) -> tuple[str, str] | None:
    """What the second of a pair should have by the first, and what it has; None where they agree."""
    if kind == "imatrix":
        matrices, counts = prod(first.shape[:-1]), prod(second.shape)
        return None if matrices == counts else (plural(matrices, "count"), plural(counts, "count"))
    if len(first.shape) < 2 or len(second.shape) < 2:
        return None
    rank, there = first.shape[-2], second.shape[-1]
    if rank == there or (stem == EMBEDDING and not set(first.shape).isdisjoint(second.shape)):
        return None
    return f"rank {rank:,}", f"rank {there:,}"


def _loose(layout: Layout, record: TensorRecord, partner: str) -> Finding:
    return finding(
        "missing_tensor",
        f"{printable(record.name)} is there without {printable(partner)}: they only work as a pair.",
        severity=Severity.WARNING,
        **listed(layout.parts[record.part], record),
        expected=partner,
        advice=LOOSE,
    )
