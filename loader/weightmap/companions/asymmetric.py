"""4-bit codes of ComfyUI's asym_w4a8_int8: looked up in a codebook, scaled by group, rounded to int8, and scaled by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.base import Values
from weightmap.companions.codes import code_text, number_text
from weightmap.companions.grid import Grid
from weightmap.companions.scaled import Scaled
from weightmap.reading.elements import Elements
from weightmap.types.fields import quiet
from weightmap.types.workspace import Workspace


class _Booked(Values):
    """The number of the codebook for each code; without one, the code itself."""

    def __init__(self, codes: Elements, book: NDArray[Any] | None) -> None:
        self.shape, self.count, self.grain = codes.shape, codes.count, codes.grain
        self._codes = codes
        self._book = None if book is None else book.astype(np.float32)

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        self._codes.read(start, stop, out, work)
        if self._book is not None:
            places = work.array("book", out.shape, np.intp)
            np.copyto(places, out, casting="unsafe")
            np.take(self._book, places, out=out, mode="clip")

    def layers(self) -> Mapping[str, Elements]:
        return {}

    def explain(self, flat: int) -> list[tuple[str, str]]:
        return [("code", code_text(self._codes, flat))]


class Asymmetric(Values):
    """clamp(round(book[code] * relative scale), -127, 127) * scale of the row."""

    def __init__(
        self,
        codes: Elements,
        relative: Elements,
        rows: Elements,
        grid: Grid,
        book: NDArray[Any] | None,
    ) -> None:
        self.shape, self.count, self.grain = codes.shape, codes.count, codes.grain
        self._codes, self._relative, self._rows, self._width = codes, relative, rows, grid.width
        self._small = Scaled(_Booked(codes, book), relative, grid)
        self._grid = grid

    def layers(self) -> Mapping[str, Elements]:
        """Codes, relative scales, scales of rows."""
        return {"codes": self._codes, "scales": self._rows, "relative scales": self._relative}

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """In three steps, each rounded to float32."""
        self._small.read(start, stop, out, work)
        np.rint(out, out=out)
        np.clip(out, -127, 127, out=out)
        first, last = start // self._width, -(-stop // self._width)
        factors = work.array("factors", (last - first,), np.float32)
        self._rows.read(first, last, factors, work)
        np.multiply(out, factors[np.arange(start, stop) // self._width - first], out=out)

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """Code, both scales, value."""
        first = flat // self.grain * self.grain
        values = np.empty(self.grain, np.float32)
        self.read(first, first + self.grain, values, Workspace())
        return [
            ("code", code_text(self._codes, flat)),
            ("relative scale", number_text(self._relative, self._grid.flat(flat))),
            ("scale of the row", number_text(self._rows, flat // self._width)),
            ("value", str(values[flat - first])),
        ]


class Shifted(Values):
    """Values plus one number for each group."""

    def __init__(self, values: Values, offsets: Elements, grid: Grid) -> None:
        self.shape, self.count, self.grain = values.shape, values.count, values.grain
        self._values, self._offsets, self._grid = values, offsets, grid

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
