"""What values themselves give reason to say: NaN and Inf with their places, zeros where there should be none."""

from __future__ import annotations

import re
from math import prod

from weightmap.findings import Finding, Severity, finding
from weightmap.formats.layout import TensorRecord
from weightmap.measure.soundness import SHOWN, Place, Soundness, soundness
from weightmap.measure.statistics import Statistics
from weightmap.measure.zeros import GRANULE, Stretch, Watch
from weightmap.reading.elements import StoredElements
from weightmap.reading.sweep import Progress
from weightmap.wording import plural

ZERO_BY_NATURE = ("bias", "beta", ".in_sum2", ".counts")
"""Ends of names: biases of a fresh or pruned layer; sums of activations that an expert never got."""

NO_WEIGHT = (
    *("zeropoint", "zeropoints", "zero_point", "zero_points", "zeros", "format", "idx", "ids", "mask", "workspace"),
    *("num_batches_tracked", "num_updates", "scaled_fp8", "running_mean", "moving_mean", "global_mean"),
)
"""Ends of names: zero points of a symmetric quantization, indices, counters, a number or a tensor that names a format, room for
a kernel's notes, means of a normalization that never saw a batch.
"""

TOKEN_TYPES = "token_type"
"""In a name: the types of tokens, which RoBERTa and what comes of it do not use."""

_ZERO = ZERO_BY_NATURE + NO_WEIGHT

UNBOUNDED = re.compile(r"mask$|(input|output)_(min|max)$")
"""What an attention may not look at is minus infinity in masks of floats, and bounds of activations may be none."""

VOCABULARY = re.compile(r"emb|wte|wpe|lm_head|^output\.weight$|shared\.weight$")
"""Tensors with a row per token or position: rows of those that nothing uses are zero in good files."""

MOST_PADDING = 8  # rows of padding at the end of other tensors are at most one in so many

SLACK = 64  # bytes that neighbouring values may add to rows of zeros


def value_findings(
    elements: StoredElements,
    statistics: Statistics | None = None,
    watch: Watch | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
) -> tuple[Finding, ...]:
    """Findings about the values of one tensor, from a look at all of them (`measure.soundness`).

    Where `statistics` of every value are given, only if they are reason for it, and if a `watch` has not seen enough
    meanwhile; `progress` may then end it, but its bar stays full.
    """
    record, path = elements.record, elements.source.path
    if statistics is not None and not _suspicious(record, statistics):
        return ()
    if statistics is not None and watch is not None and watch.complete and _finite(record, statistics):
        sound = Soundness(stretches=watch.stretches())
    else:
        meter = progress if progress is None or statistics is None else lambda done, total: progress(total, total)
        sound = soundness(elements, progress=meter, threads=threads)
    natural = zero_by_nature(record) or (elements.integers and record.count == 1)  # a single integer is no weight
    found = [_non_finite(record, path, sound)] if sound.blocks else []
    if sound.zero and not natural:
        found.append(_all_zero(record, path))
    elif not natural and not elements.integers:
        odd = [stretch for stretch in sound.stretches if not natural_stretch(record, stretch)]
        found += [_zeroed(record, path, odd)] if odd else []
    if sound.saturated:
        found.append(_saturated(record, path, sound.saturated))
    return tuple(found)


def zero_by_nature(record: TensorRecord) -> bool:
    """Whether the name is that of a tensor which is zero throughout in good files."""
    return record.name.endswith(_ZERO) or TOKEN_TYPES in record.name


def _finite(record: TensorRecord, statistics: Statistics) -> bool:
    """Whether values tell that there is nothing to find but zeros. The scales of some types are finite whatever they say."""
    return not (
        statistics.nan
        or statistics.inf
        or any(dtype == "E8M0" for *_, dtype in record.type.scales)
        or _clipped(record, statistics)
    )


def _suspicious(record: TensorRecord, statistics: Statistics) -> bool:
    """Whether there is reason to look for places. Of scales that are no numbers not all show in the values."""
    kind = record.type
    return bool(
        statistics.nan
        or statistics.inf
        or statistics.zeros * kind.bytes >= GRANULE * kind.elements
        or (statistics.zeros and statistics.zeros == statistics.count)
        or any(dtype == "E8M0" for *_, dtype in kind.scales)
        or _clipped(record, statistics)
    )


def _clipped(record: TensorRecord, statistics: Statistics) -> bool:
    """Whether half floats reach the end of their range."""
    return record.type.name == "F16" and max(abs(statistics.min or 0), abs(statistics.max or 0)) >= 65504


def _non_finite(record: TensorRecord, path: str, sound: Soundness) -> Finding:
    counts = [f"{number:,} {name}" for number, name in ((sound.nan, "NaN"), (sound.inf, "Inf")) if number]
    first = sound.places[0]
    scales = [place for place in sound.places if place.scale]
    what = f"{' and '.join(counts)} among {plural(record.count, 'value')}" if counts else "Every value is finite"
    if scales:
        of = "its scale is" if sound.blocks == 1 else "their scales are"
        blocks = plural(sound.blocks, "block")
        what += f", from {blocks}: {of} no number" if counts else f", but {blocks} should not be read: {of} no number"
    where = "; ".join(_where(record, place) for place in sound.places)
    more = f"; and in {sound.blocks - SHOWN:,} more places" if sound.blocks > SHOWN else ""
    return finding(
        "non_finite",
        f"{what}. {where[0].upper()}{where[1:]}{more}.",
        severity=Severity.INFO if not sound.nan and UNBOUNDED.search(record.name) else None,
        path=path,
        tensor=record.name,
        offset=record.offset + first.block * record.type.bytes,
        expected="finite values",
        found=", ".join(counts) or f"{first.scale} = {first.what}",
    )


def _where(record: TensorRecord, place: Place) -> str:
    kind = record.type
    what = place.what if place.scale is None else f"scale {place.scale} is {place.what}"
    lies = _index(record, place.block * kind.elements)
    if kind.elements > 1:
        lies = f"block {place.block:,}, in {lies}" if lies else f"block {place.block:,}"
    return f"{what} at byte {record.offset + place.block * kind.bytes:,}" + (f" ({lies})" if lies else "")


def _index(record: TensorRecord, element: int) -> str:
    """Expert, row and column of an element; of a block's first one without the column."""
    shape = record.shape
    if not shape:
        return ""
    row, column = divmod(element, shape[-1])
    parts = []
    if len(shape) > 2:
        expert, row = divmod(row, prod(shape[1:-1]))
        parts.append(f"expert {expert:,}" if "exp" in record.name else f"index {expert:,}")
    if len(shape) > 1:
        parts.append(f"row {row:,}")
    return ", ".join(
        parts if record.type.elements > 1 else [*parts, f"column {column:,}" if parts else f"element {column:,}"]
    )


def _all_zero(record: TensorRecord, path: str) -> Finding:
    return finding(
        "all_zero",
        "Its one value is zero." if record.count == 1 else f"Every one of the {record.count:,} values is zero.",
        path=path,
        tensor=record.name,
        offset=record.offset,
        expected="values other than zero",
        found="zeros",
    )


def _row_bytes(record: TensorRecord) -> int:
    row = record.shape[-1] if record.shape else 1
    return row // record.type.elements * record.type.bytes if row % record.type.elements == 0 else 0


def natural_stretch(record: TensorRecord, stretch: Stretch) -> bool:
    """Whether these are whole rows that good files leave zero: padding at the end, tokens that nothing uses."""
    row = _row_bytes(record)
    if not row or len(record.shape) < 2 or stretch.end - stretch.begin > record.nbytes // 2:
        return False
    slack = max(SLACK, 2 * record.type.bytes)
    whole = -(-stretch.begin // row) * row - stretch.begin <= slack and stretch.end % row <= slack
    if VOCABULARY.search(record.name):
        return whole
    return whole and stretch.end == record.nbytes and (stretch.end - stretch.begin) * MOST_PADDING <= record.nbytes


def _zeroed(record: TensorRecord, path: str, odd: list[Stretch]) -> Finding:
    first = odd[0]
    total = sum(end - begin for begin, end in odd)
    size = record.type.bytes
    begin, end = (_index(record, byte // size * record.type.elements) for byte in (first.begin, first.end - 1))
    lies = f" ({begin} to {end})" if begin and begin != end else f" ({begin})" if begin else ""
    more = f" {len(odd):,} such stretches have {total:,} bytes." if len(odd) > 1 else ""
    around = "with other values before them" if first.end == record.nbytes else "with other values around them"
    return finding(
        "zeroed_stretch",
        f"{first.end - first.begin:,} bytes in a row are zero, from byte {record.offset + first.begin:,}{lies}, {around}.{more}",
        path=path,
        tensor=record.name,
        offset=record.offset + first.begin,
        expected="values other than zero",
        found=f"{total:,} zero bytes",
    )


def _saturated(record: TensorRecord, path: str, number: int) -> Finding:
    values = "1 value is" if number == 1 else f"{number:,} values are"
    return finding(
        "saturated",
        f"{values} ±65,504, the largest that F16 has: larger ones may have been clipped to it.",
        severity=Severity.INFO,
        path=path,
        tensor=record.name,
        offset=record.offset,
        expected="smaller values",
        found=f"{number:,} at the limit",
    )
