"""4-bit codes of ComfyUI's asym_w4a8_int8: looked up in a codebook, scaled by group, rounded to int8, and scaled by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import Values
from weightmap.companions.codes import code_text, number_text
from weightmap.companions.counting.rounded import pairs_of, rounded
from weightmap.companions.grids.grid import Grid
from weightmap.companions.packing.whole import Keyed, WholeNumbers
from weightmap.companions.scaled.values import Scaled
from weightmap.reading.elements import Elements
from weightmap.types.fields import quiet
from weightmap.types.workspace import Workspace


class _Rounded(Values, WholeNumbers):
    """Codes times relative scales as the whole numbers from -127 to 127 that are nearest to them."""

    def __init__(self, codes: Elements, relative: Elements, grid: Grid) -> None:
        values = Scaled(codes, relative, grid)
        self.shape, self.count, self.grain, self._values = values.shape, values.count, values.grain, values
        self._pairs = pairs_of(codes, relative, grid.wide) if grid.width % grid.wide == 0 else None

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read, then round; or looked up."""
        if self._pairs is not None:
            self._pairs.read(start, stop, out, work)
            return
        self._values.read(start, stop, out, work)
        rounded(out)

    def whole(self, start: int, stop: int, work: Workspace) -> NDArray[Any]:
        """As bytes, where they can be looked up."""
        return super().whole(start, stop, work) if self._pairs is None else self._pairs.whole(start, stop, work)

    def keyed(self) -> Keyed | None:
        """Where they can be looked up."""
        return None if self._pairs is None else self._pairs.keyed()

    def layers(self) -> Mapping[str, Elements]:
        """Those of the values."""
        return self._values.layers()

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """The number."""
        return [("rounded", number_text(self, flat))]


class Asymmetric(Scaled):
    """clamp(round(number of the code * relative scale), -127, 127) * scale of the row; `codes` are read as these numbers."""

    def __init__(self, codes: Elements, relative: Elements, rows: Elements, grid: Grid) -> None:
        numbers = _Rounded(codes, relative, grid)
        super().__init__(numbers, rows, Grid(grid.rows, 1, grid.width, grid.width))
        self._parts, self._groups, self._rounded = (codes, relative, rows), grid, numbers
        self.group = grid.over(codes.shape)  # of the relative scales

    def layers(self) -> Mapping[str, Elements]:
        """Codes, relative scales, scales of rows."""
        codes, relative, rows = self._parts
        return {"codes": codes, "scales": rows, "relative scales": relative}

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """Code, relative scale, what they make, scale of the row, value."""
        codes, relative, rows = self._parts
        return [
            ("code", code_text(codes, flat)),
            ("relative scale", number_text(relative, self._groups.flat(flat))),
            ("rounded", number_text(self._rounded, flat)),
            ("scale of the row", number_text(rows, flat // self._groups.width)),
            ("value", number_text(self, flat)),
        ]


class Shifted(Values):
    """Values plus one number for each group."""

    def __init__(self, values: Values, offsets: Elements, grid: Grid) -> None:
        self.shape, self.count, self.grain = values.shape, values.count, values.grain
        self._values, self._offsets, self._grid, self.group = values, offsets, grid, values.group

    def layers(self) -> Mapping[str, Elements]:
        """Those of the values, and the numbers added."""
        return {**self._values.layers(), "offsets": self._offsets}

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Read, then add."""
        self._values.read(start, stop, out, work)
        width, across = self._grid.width, self._grid.across
        first, last = start // width, -(-stop // width)
        offsets = work.array("shifts", (last - first, across), np.float32)
        self._offsets.read(first * across, last * across, offsets.reshape(-1), work)
        rows, columns = np.divmod(np.arange(start, stop), width)
        np.add(out, offsets[rows - first, columns // self._grid.wide], out=out)

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """The steps of the value, and what is added."""
        first = flat // self.grain * self.grain
        values = np.empty(self.grain, np.float32)
        self.read(first, first + self.grain, values, Workspace())
        offset = number_text(self._offsets, self._grid.flat(flat))
        return [*self._values.explain(flat)[:-1], ("offset", offset), ("value", str(values[flat - first]))]
