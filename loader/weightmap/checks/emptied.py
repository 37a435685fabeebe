"""Checkpoints that were saved without their values: each process of a sharded training holds a piece, and gathered none.

A tensor without elements is a marker in many good files. Weights that have none are weights that were lost.
"""

from __future__ import annotations

from weightmap.checks.reach import is_empty
from weightmap.errors import printable
from weightmap.findings import Finding, finding
from weightmap.formats.layout import Layout, listed

FEWEST = 2


def check(layout: Layout) -> list[Finding]:
    """One finding where half of the weights of a safetensors file or set, or more, have no values."""
    weights = (
        [record for record in layout.records if record.name.endswith(".weight")]
        if layout.format == "safetensors"
        else []
    )
    empty = [record for record in weights if is_empty(record)]
    if len(empty) < FEWEST or 2 * len(empty) < len(weights):
        return []
    text = (
        f"{len(empty):,} of {len(weights):,} weights have no values, {printable(empty[0].name)} first: the checkpoint was saved "
        "without gathering them, as happens with DeepSpeed's ZeRO-3."
    )
    where = listed(layout.parts[empty[0].part], empty[0])
    return [finding("emptied", text, **where, expected="values", found=f"{len(empty):,} of shape [0]")]
