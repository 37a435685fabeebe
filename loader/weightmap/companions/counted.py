"""How the values of codes of a byte with scales are counted: under each scale, or under equal ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from weightmap.companions.alike import Alike, alike
from weightmap.companions.cells import CODES, bytes_of, cells
from weightmap.companions.grid import Grid
from weightmap.companions.integers.stored import numbers
from weightmap.companions.limits import Under, cell_limits
from weightmap.reading.elements import Elements, Spans, StoredElements, Tallying
from weightmap.types.fields import Bytes, Floats
from weightmap.types.workspace import Workspace


def counted(
    codes: Elements, scales: Elements | None, grid: Grid, under: Under, spans: Callable[[], Spans | None]
) -> Tallying | None:
    """How to count the values of codes under a grid of scales; None where codes are no bytes, or scales have too few each.

    scales  as they are stored, where values are nothing but their products with codes; else None
    """
    if (coded := codes.codes()) is None or len(coded.values) != CODES:
        return None
    values, stored = coded.values.astype(np.float32), partial(bytes_of, coded)
    found = cells(codes.count, grid, stored, partial(under, values), partial(cell_limits, codes, grid, under))
    short = isinstance(scales, StoredElements) and scales.type.name in ("F16", "BF16")
    if found is not None or not short or grid.tall > 1 or grid.width % grid.wide:
        return found
    assert isinstance(scales, StoredElements)
    of, across = scales, grid.across

    def of_rows(first: int, last: int, work: Workspace) -> Floats:
        return numbers(of, np.arange(first, last, dtype=np.int64) * across, across, work, "alike scales")

    def codes_of(first: int, last: int, work: Workspace) -> Bytes:
        return stored(first, last, grid.width, work)

    return alike(codes.count, Alike(grid.width, grid.wide, codes_of, of_rows, None, values), spans)
