"""How the values of codes of a byte with scales are counted: under each scale, or under equal ones."""

from __future__ import annotations

from functools import partial

import numpy as np

from weightmap.companions.counting.alike import Alike, alike
from weightmap.companions.counting.cells import CODES, bytes_of, cells
from weightmap.companions.grids.grid import Grid
from weightmap.companions.grids.limits import Under, cell_limits
from weightmap.companions.packing.stored import numbers
from weightmap.reading.elements import Elements, Numbered, StoredElements, Tallying
from weightmap.types.fields import Bytes, Floats
from weightmap.types.workspace import Workspace


def counted(codes: Elements, grid: Grid, under: Under) -> Tallying | None:
    """How to count the values of codes under each scale of a grid; None where codes are no bytes, or scales have too few each."""
    if (coded := codes.codes()) is None or len(coded.values) != CODES:
        return None
    values = partial(under, coded.values.astype(np.float32))
    return cells(codes.count, grid, partial(bytes_of, coded), values, partial(cell_limits, codes, grid, under))


def counted_alike(codes: Elements, scales: Elements, grid: Grid) -> Numbered | None:
    """The products of codes and scales of 16 bits, and how to count them under equal ones; None where there are others."""
    short = isinstance(scales, StoredElements) and scales.type.name in ("F16", "BF16")
    if not short or grid.tall > 1 or grid.width % grid.wide or (coded := codes.codes()) is None:
        return None
    if len(coded.values) != CODES:
        return None
    assert isinstance(scales, StoredElements)
    of, across, stored = scales, grid.across, partial(bytes_of, coded)

    def of_rows(first: int, last: int, work: Workspace) -> Floats:
        return numbers(of, np.arange(first, last, dtype=np.int64) * across, across, work, "alike scales")

    def codes_of(first: int, last: int, work: Workspace) -> Bytes:
        return stored(first, last, grid.width, work)

    values = coded.values.astype(np.float32)
    return alike(codes.count, Alike(grid.width, grid.wide, codes_of, of.type.name, of_rows, None, values))
