"""How much the error of a value counts where an importance matrix says how much its column does."""

from __future__ import annotations

import numpy as np

from weightmap.quantize.base import lanes, total
from weightmap.types.fields import Floats
from weightmap.types.workspace import Workspace


def mean_squares(values: Floats, times: int, work: Workspace) -> Floats:
    """`times` the sum of the squares of each block of 256 values, by 256: float32 (n,)."""
    x = lanes(values, 256, work, "encode squares")
    sums = total(np.multiply(x, x, out=x))
    return np.float32(times) * sums / np.float32(256)


def weighted(values: Floats, importance: Floats, group: int, times: int, work: Workspace) -> Floats:
    """Importance * sqrt(mean square of the block, `times` of it, + square of the value): lanes (group, groups) of (n, 256)."""
    x, by = lanes(values, group, work, "encode own"), lanes(importance, group, work, "encode importance")
    np.multiply(x, x, out=x)
    np.add(x, np.repeat(mean_squares(values, times, work), 256 // group), out=x)
    return np.multiply(by, np.sqrt(x, out=x), out=by)
