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
from weightmap.reading.elements import Elements, StoredElements
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
        codes: StoredElements,
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
