"""Nibbles of a table, times the scale of their block: blocks run on over the ends of rows, and the high nibble comes first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.looks import text
from weightmap.companions.integers.matrix import Matrix
from weightmap.companions.packing.stored import Rows
from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.fields import Floats, looked_up, quiet
from weightmap.types.workspace import Workspace

PIECE = 1 << 17  # pairs of codes that are looked up at a time


@dataclass(frozen=True, slots=True, eq=False)
class Nested:
    """Scales that are codes of a table themselves: table[code] * scale of their block + offset."""

    table: Floats
    scales: StoredElements
    block: int
    offset: np.float32


class Flat(Matrix):
    """Elements whose packing knows no rows: a range is what is cheap to read, and a rectangle is a range of each row."""

    def tile(self, rows: Rows, left: int, right: int, out: NDArray[Any], work: Workspace) -> None:
        """Row by row."""
        for index, start in enumerate((rows * self.width).tolist()):
            self.read(start + left, start + right, out[index], work)

    def chunk(self) -> int:
        """Rows do not matter."""
        return Elements.chunk(self)


class Tabled(Flat):
    """Values table[code] * scale, `block` neighbours of the flat order with one scale."""

    def __init__(
        self,
        shape: tuple[int, ...],
        codes: StoredElements,
        table: Floats,
        scales: StoredElements,
        block: int,
        nested: Nested | None,
    ) -> None:
        super().__init__(shape)
        self._codes, self._table, self._scales, self._block, self._nested = codes, table, scales, block, nested
        self.group = (1, block) if self.width % block == 0 else None
        byte = np.arange(256)
        self._pairs = np.stack([table[byte >> 4], table[byte & 15]], axis=1).astype(np.float32).view(np.complex64)[:, 0]

    @quiet
    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Both values of a byte at once, then the scales of whole blocks and of what is left at the ends."""
        for at in range(start, stop, 2 * PIECE):
            last = min(at + 2 * PIECE, stop)
            self._piece(at, last, out[at - start : last - start], work)

    def _piece(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        begin, end = start // 2, -(-stop // 2)
        packed = work.array("packed", (end - begin,), np.uint8)
        self._codes.source.read_into(self._codes.record.offset + begin, packed)
        pairs = work.array("pairs", (end - begin,), np.complex64)
        looked_up(self._pairs, packed, pairs, work)
        values = pairs.view(np.float32)[start - 2 * begin :][: stop - start]
        block = self._block
        first = start // block
        scales = self.scales(first, -(-stop // block), work)
        at = start
        while at < stop:
            index = at // block
            whole = (stop - at) // block if at % block == 0 else 0
            until = at + whole * block if whole else min((index + 1) * block, stop)
            shape = (max(whole, 1), -1)
            source, target = values[at - start : until - start], out[at - start : until - start]
            scale = scales[index - first : index - first + max(whole, 1), None]
            np.multiply(source.reshape(shape), scale, out=target.reshape(shape))
            at = until

    def scales(self, first: int, last: int, work: Workspace) -> Floats:
        """Scales of blocks first:last, float32."""
        found: Floats = work.array("scales", (last - first,), np.float32)
        nested = self._nested
        if nested is None:
            stored = work.array("stored scales", (last - first,), self._scales.value)
            self._scales.read(first, last, stored, work)
            np.copyto(found, stored, casting="same_kind")
            return found
        codes = work.array("scale codes", (last - first,), np.uint8)
        self._scales.source.read_into(self._scales.record.offset + first, codes)
        looked_up(nested.table, codes, found, work)
        begin, end = first // nested.block, (last - 1) // nested.block + 1
        outer = work.array("outer", (end - begin,), nested.scales.value)
        nested.scales.read(begin, end, outer, work)
        np.multiply(found, outer.astype(np.float32)[np.arange(first, last) // nested.block - begin], out=found)
        return np.add(found, nested.offset, out=found)

    def layers(self) -> Mapping[str, Elements]:
        """Codes in the weight's shape; scales as stored, or as their own table and scales make them."""
        found: dict[str, Elements] = {"codes": Nibbles(self.shape, self._codes), "scales": self._scales}
        if self._nested is not None:
            found |= {"scale codes": self._scales, "scales": _Scales(self, self._scales.count)}
            found["scales of scales"] = self._nested.scales
        return found

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """Code, scale of its block, and the value."""
        work, block = Workspace(), flat // self._block
        code = int(text(Nibbles(self.shape, self._codes), flat))
        steps = [("code", f"{code:#x} = {self._table[code]}")]
        with np.errstate(over="ignore", invalid="ignore"):
            scale = self.scales(block, block + 1, work)[0]
        if (nested := self._nested) is not None:
            at = block // nested.block
            number = int(text(self._scales, block))
            steps.append((f"scale code of block {block:,}", f"{number:#04x} = {nested.table[number]}"))
            steps.append((f"scale of scales {at:,}", text(nested.scales, at)))
            steps.append(("offset of scales", str(nested.offset)))
        steps.append((f"scale of block {block:,}", str(scale)))
        return [*steps, ("value", text(self, flat))]


class Nibbles(Flat):
    """The codes themselves."""

    integers = True

    def __init__(self, shape: tuple[int, ...], codes: StoredElements) -> None:
        super().__init__(shape)
        self._codes = codes

    def layers(self) -> Mapping[str, Elements]:
        """Nothing lies below."""
        return {}

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """The code."""
        return [("code", text(self, flat))]

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """High nibble first."""
        begin, end = start // 2, -(-stop // 2)
        packed = work.array("packed", (end - begin, 1), np.uint8)
        self._codes.source.read_into(self._codes.record.offset + begin, packed.reshape(-1))
        pairs = work.array("nibbles", (end - begin, 2), np.uint8)
        np.right_shift(packed, 4, out=pairs[:, :1])
        np.bitwise_and(packed, 15, out=pairs[:, 1:])
        np.copyto(out, pairs.reshape(-1)[start - 2 * begin :][: stop - start])


class _Scales(Elements):
    """The scales of blocks as a row of numbers."""

    value, integers, grain = np.dtype(np.float32), False, 1

    def __init__(self, of: Tabled, count: int) -> None:
        self.shape, self.count, self._of = (count,), count, of

    def read(self, start: int, stop: int, out: NDArray[Any], work: Workspace) -> None:
        """Their values, made of their own codes and scales."""
        with np.errstate(over="ignore", invalid="ignore"):
            np.copyto(out, self._of.scales(start, stop, work))
