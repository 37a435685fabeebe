"""Adapters in safetensors, whose matrices come in twos: one without the other, or of another rank, and loaders stop or skip it.

An adapter adds `up · down` to a weight. The rank is the first axis of the one and the second of the other, of kernels too.
"""

from __future__ import annotations

from collections.abc import Iterator

from weightmap.checks.architecture.blame import shape_text
from weightmap.errors import printable
from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import Layout, TensorRecord, listed

PAIRS = ((".lora_A.", ".lora_B."), (".lora_down.", ".lora_up."), (".lora.down.", ".lora.up."))
"""What PEFT, sd-scripts and diffusers put into the names of the two; the rest of the names is the same."""
ALONE = ("missing_index", "index_mismatch")
LOOSE = "Take the whole file from its source again, or save the adapter anew."


def check_adapter(layout: Layout) -> Iterator[Finding]:
    """Findings about halves that do not go together; none where other files may hold what is missing."""
    halves = [record for record in layout.records if ".lora" in record.name and record.name.endswith(".weight")]
    if not halves or layout.partial or any(problem.code in ALONE for problem in layout.problems):
        return
    by_name = {record.name: record for record in halves}
    whole = any(first in name and name.replace(first, second) in by_name for name in by_name for first, second in PAIRS)
    if not whole:  # one kind of halves alone is an extract
        return
    for record in halves:
        for first, second in PAIRS:
            if first in record.name:
                yield from _judged(layout, record, by_name, record.name.replace(first, second), is_first=True)
            elif second in record.name:
                yield from _judged(layout, record, by_name, record.name.replace(second, first), is_first=False)


def _fit(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether two matrices, or two kernels, or stacks of a matrix for each expert, have one rank."""
    return first[0] == second[1] or (len(first) == 3 and first[1] == second[2] > 1)


def _judged(
    layout: Layout, record: TensorRecord, by_name: dict[str, TensorRecord], partner: str, *, is_first: bool
) -> Iterator[Finding]:
    other = by_name.get(partner)
    if other is None:
        yield finding(
            "missing_tensor",
            f"{printable(record.name)} is there without {printable(partner)}: they only work as a pair.",
            severity=Severity.WARNING,
            **listed(layout.parts[record.part], record),
            expected=partner,
            advice=LOOSE,
        )
    elif is_first and len(record.shape) == len(other.shape) > 1 and not _fit(record.shape, other.shape):
        yield finding(
            "shape_mismatch",
            f"{printable(record.name)} of {shape_text(record.shape)} and {printable(other.name)} of {shape_text(other.shape)} "
            f"do not go together: the second should have rank {record.shape[0]:,}, and has rank {other.shape[1]:,}.",
            **listed(layout.parts[other.part], other),
            expected=f"rank {record.shape[0]:,}",
            found=f"rank {other.shape[1]:,}",
            advice=LOOSE,
        )
