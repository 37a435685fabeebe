"""Blocks of one scale and a code of few bits for each element: equal scales have equal values, so codes are counted.

Scales of two bytes come up again and again: a matrix has some thousands of different ones, and a hundred blocks for each.
Blocks are put into the order of their scales; then all bytes under one scale, with two to eight codes each, are counted next
to each other, in counters that stay in the cache. What a code stands for is left to the type's own decoder, which sees one
block a scale.

It does not pay where sub-blocks have scales of their own: of 16 or 32 elements hardly two share their scale and minimum. Nor
do codes of a byte, of which each scale has more than it has elements.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightmap.reading.runs import InBlocks
from weightmap.reading.sweep import thread_limit
from weightmap.reading.tally import Counts, count_into
from weightmap.types.base import Blocks, StoredType
from weightmap.types.coded import CodedType
from weightmap.types.fields import column
from weightmap.types.workspace import Workspace

WORTH = 1 << 22  # elements: in fewer, scales do not come up often enough
ROOM = 1 << 24  # elements that all threads together have in hand: they take some 40 MB
SCALES = 1 << 11  # counted at once: 256 counters each
BYTES = 1 << 17  # counted at once
CODES = 256  # of a byte

Counted = tuple[NDArray[np.float32], Counts]  # values, and how often each occurs


class Place(NamedTuple):
    """Where a block has its scale, of one or two bytes, and its codes, and how many different codes there are: 2, 4 or 16."""

    type: CodedType
    scale: slice
    codes: slice
    many: int


def chunk() -> int:
    """How many elements to count at a time: the more, the less often the same scale is met anew."""
    return max(ROOM // max(thread_limit(), 2), WORTH // 2)


def place(type: StoredType) -> Place | None:
    """Where blocks of this type have scale and codes; None where they have more than that, or other codes."""
    if not isinstance(type, CodedType) or len(type.anatomy) != 2 or type.groups != 1 or type.code_elements != 1:
        return None
    fields = {field.role: field for field in type.anatomy}
    if fields.keys() != {"scale", "codes"}:
        return None
    scale, codes = fields["scale"], fields["codes"]
    bits, left = divmod(codes.size * 8, type.elements)
    if scale.size > 2 or left or bits not in (1, 2, 4) or len(type.level_values()) != 1 << bits:
        return None
    return Place(
        type, slice(scale.offset, scale.offset + scale.size), slice(codes.offset, codes.offset + codes.size), 1 << bits
    )


def tally(elements: InBlocks, at: Place, start: int, stop: int, work: Workspace) -> Counted:
    """The values of elements start:stop and how often each occurs; `start` is the first of a block."""
    grain = elements.grain
    blocks = elements.read_blocks(start // grain, -(-stop // grain), work)
    scales = np.ascontiguousarray(column(blocks, at.scale.start, f"u{at.scale.stop - at.scale.start}")[:, 0])
    order = np.argsort(scales, kind="stable")  # of numbers of so few bits a radix sort
    rising = scales[order]
    first = np.flatnonzero(np.append(True, rising[1:] != rising[:-1]))  # block of each scale
    codes = np.ascontiguousarray(column(blocks, at.codes.start, f"V{at.codes.stop - at.codes.start}")[:, 0])
    codes = np.take(codes, order, mode="clip").view(np.uint8).reshape(len(blocks), -1)
    ends = np.append(first[1:], len(blocks))
    counts = [
        _of_codes(
            _counted(
                codes[first[some] : ends[min(some + SCALES, len(first)) - 1]],
                ends[some : some + SCALES] - first[some],
                work,
            ),
            at.many,
        )
        for some in range(0, len(first), SCALES)
    ]
    return _values(at, blocks[order[first]], work), np.concatenate(counts).reshape(-1)


def _counted(codes: Blocks, ends: NDArray[np.intp], work: Workspace) -> Counts:
    """How often each byte stands under each scale, (scales, 256): the blocks of the first end at ends[0], and so on."""
    counts = np.zeros((len(ends), CODES), np.int64)
    flat = counts.reshape(-1)
    several = BYTES // codes.shape[1]
    offsets = np.repeat(np.arange(len(ends)) * CODES, np.diff(ends, prepend=0))  # of each block's counters
    for start in range(0, len(codes), several):
        some, under = codes[start : start + several], offsets[start : start + several]
        places = work.array("places", some.shape, np.intp)
        np.copyto(places, under[:, None] - under[0])
        places = places.reshape(-1)
        np.add(places, some.reshape(-1), out=places)
        count_into(flat[under[0] : under[-1] + CODES], places)
    return counts


def _of_codes(counts: Counts, many: int) -> Counts:
    """Of bytes to codes, (scales, many): bytes are taken apart into halves, and these again, until a half is a code."""
    while counts.shape[1] > many:
        half = math.isqrt(counts.shape[1])
        both = counts.reshape(-1, half, half)
        counts = np.einsum("sij->si", both) + np.einsum("sij->sj", both)
    return counts


def _values(at: Place, blocks: Blocks, work: Workspace) -> NDArray[np.float32]:
    """What each code stands for under the scale of each block, flat; NaN and Inf among them."""
    every = np.arange(at.codes.stop - at.codes.start) % at.many
    blocks[:, at.codes] = every * ((CODES - 1) // (at.many - 1))  # the same code in all places of a byte
    codes = at.type.coding(blocks[:1], work).codes[0].astype(np.intp)
    decoded = work.array("counted values", (len(blocks), at.type.elements), np.float32)
    at.type.decode(blocks, decoded, work)
    values = np.empty((len(blocks), at.many), np.float32)
    values[:, codes] = decoded
    return values.reshape(-1)
