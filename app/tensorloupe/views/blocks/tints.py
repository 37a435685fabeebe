"""What the cells of a block are coloured by, and the colours: pale enough to carry text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import weightmap
from tensorloupe.plots.shade import colors_of
from tensorloupe.style.colormaps import value_map

PALER = 1.5  # colours run to this multiple of the largest magnitude, so that texts can be read on them


def tints(values: NDArray[np.float64], dark: bool) -> NDArray[np.uint8]:
    """The ground of each cell: uint8 (elements, 3)."""
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    colors: NDArray[np.uint8] = colors_of(values[None], largest * PALER, value_map(dark))[0]
    return colors


def shown_values(block: weightmap.Block, reference: NDArray[np.float64] | None, shown: str) -> NDArray[np.float64]:
    """What the cells are coloured by: the values, those of the reference, or what the block differs by."""
    values: NDArray[np.float64] = block.values.astype(np.float64)
    if reference is None or shown in ("codes", "values"):
        return values
    with np.errstate(invalid="ignore"):
        return reference if shown == "reference" else values - reference
