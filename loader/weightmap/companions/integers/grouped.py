"""Values of codes in groups along the rows: (code - zero) * scale, code * scale + offset, or a table's value * scale.

One rounding per operation, in the order written, in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.counting.alike import Alike, alike
from weightmap.companions.counting.cells import CODES, cells
from weightmap.companions.grids.grid import in_groups
from weightmap.companions.integers.by_group import Span, Step, applied, span
from weightmap.companions.integers.groups import Groups, equal_groups
from weightmap.companions.integers.looks import Look, groups_shape, text
from weightmap.companions.integers.matrix import PIECE, Matrix
from weightmap.companions.integers.ordered import Of, ordered
from weightmap.companions.integers.packed import Codes
from weightmap.companions.integers.per_group import Grid, Single, Zeros
from weightmap.companions.integers.turned import Turned
from weightmap.companions.packing.stored import Rows
from weightmap.reading.elements import Elements, Numbered, Spans, Tallying
from weightmap.types.fields import Bytes, Floats, looked_up, quiet
from weightmap.types.workspace import Workspace

ENDS = 1 << 16  # values that are computed at a time to see where rows end
TALL = 64  # rows of a piece are a multiple of this where they lie turned: as words some lines of the cache, as nibbles half of one
TOGETHER = 32  # rows that are read together where each by itself would take as long


class Grouped(Matrix):
    """A matrix of codes with a scale per row and group of columns.

    zero    a number, or zeros per row and group, taken off before scaling
    table   float32 values of the codes, looked up instead
    offset  added after scaling, one per row and group
    divide  whether values are divided by the scale
    factor  what all are multiplied with at last
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        codes: Codes,
        scales: Grid,
        groups: Groups,
        *,
        zero: int | Zeros = 0,
        table: Floats | None = None,
        offset: Grid | None = None,
        divide: bool = False,
        factor: np.float32 | None = None,
    ) -> None:
        super().__init__(shape)
        self.codes_, self.scales, self.groups, self.zero, self.table = codes, scales, groups, zero, table
        self.offset, self._scale, self._factor = offset, np.divide if divide else np.multiply, factor
        self.cut = max(groups.size, 32) if groups.size <= 1 << 14 else 32
        self.tall = TALL if isinstance(codes, Turned) else 1
        if groups.order is None:  # else columns that share a scale need not be neighbours
            rows = (1, 1, *shape)[-2] if isinstance(scales, Single) else scales.share
            self.group = rows, min(groups.size, self.width)

    @quiet
    def tile(self, rows: Rows, left: int, right: int, out: NDArray[Any], work: Workspace) -> None:
        """Codes, less their zeros, times their scales."""
        codes: NDArray[Any] = self.codes_.read(rows, left, right, work, "codes")
        if self.codes_.signed:
            codes = codes.view(np.int8)
        if self.groups.order is not None:
            self._ordered(rows, codes, left, out, work)
            return
        self._computed(rows, codes, span(self.groups, left, right), out, work)

    def _computed(self, rows: Rows, codes: NDArray[Any], over: Span, out: Floats, work: Workspace) -> None:
        """Values of codes (rows, columns) into `out`."""
        steps: list[Step] = [(self._scale, self.scales.read(rows, over.first, over.last, work, "scales"))]
        whole, less = self._plain(codes, work), None
        if whole is None:
            assert isinstance(self.zero, Zeros)
            zeros = self.zero.read(rows, over.first, over.last, work, "zeros")
            whole, less = codes, zeros.astype(np.uint8) if self._narrow else None
            if less is None:
                steps.insert(0, (np.subtract, zeros.astype(np.float32)))
        if self.offset is not None:
            steps.append((np.add, self.offset.read(rows, over.first, over.last, work, "offsets")))
        applied(whole, less, steps, over, out, work)
        if self._factor is not None:
            np.multiply(out, self._factor, out=out)

    def tallying(self) -> Tallying | None:
        """Where codes of a byte share each scale with many others: these are counted, and the values of 256 codes computed."""
        grid, natural = in_groups(self.shape, self.groups.size), self.groups.order is None
        whole = natural and grid.across == self.scales.groups and not isinstance(self.codes_, Turned)
        if self.codes_.bits != 8 or not whole:
            return None
        return cells(self.count, grid, self._stored, partial(self._under, self._every()), self.spans)

    def _every(self) -> NDArray[Any]:
        """All codes of a byte."""
        return np.arange(CODES, dtype=np.uint8).view(np.int8 if self.codes_.signed else np.uint8)

    def numbered(self) -> Numbered | None:
        """The same where scales of many groups are equal."""
        zero = self.zero.same if isinstance(self.zero, Zeros) else self.zero
        apart = zero is None and isinstance(self.zero, Zeros) and self.zero.near and not self.codes_.signed
        plain = self.table is None and self.offset is None and self._factor is None and self._scale is np.multiply
        if self.codes_.bits != 8 or not plain or not self.scales.short or self.width > PIECE:
            return None
        if zero is None and not apart:
            return None
        columns = None if self.groups.order is None else equal_groups(self.groups, self.width, self.scales.groups)
        if self.width != self.groups.size * self.scales.groups or (self.groups.order is not None and columns is None):
            return None

        def codes(first: int, last: int, work: Workspace) -> Bytes:
            stored = self._stored(first, last, self.width, work)
            return stored if columns is None else np.take(stored, columns, axis=1, mode="wrap")

        def of_groups(numbers: Grid | Zeros, first: int, last: int, work: Workspace) -> NDArray[Any]:
            rows = np.arange(first, last, dtype=np.int64)
            return numbers.read(rows, 0, self.scales.groups, work, f"alike {type(numbers).__name__}")

        zeros = partial(of_groups, self.zero) if isinstance(self.zero, Zeros) and apart else None
        numbers = self._every().astype(np.float32) - np.float32(zero or 0)
        kind, scales = self.scales.of.type.name, partial(of_groups, self.scales)
        return alike(self.count, Alike(self.width, self.groups.size, codes, kind, scales, zeros, numbers))

    def _stored(self, first: int, last: int, width: int, work: Workspace) -> Bytes:
        return self.codes_.read(np.arange(first, last, dtype=np.int64), 0, width, work, "codes")

    @quiet
    def _under(self, some: NDArray[Any], first: int, last: int, work: Workspace) -> Floats:
        """What these codes are in each group of rows first:last: (rows * groups, codes)."""
        groups, many = self.scales.groups, len(some)
        values = work.array("under scales", (last - first, groups * many), np.float32)
        rows, codes = np.arange(first, last, dtype=np.int64), np.tile(some, (last - first, groups))
        over = Span(0, groups, ((slice(0, groups * many), slice(0, groups), many),))
        self._computed(rows, codes, over, values, work)
        return values.reshape(-1, many)

    @quiet
    def spans(self) -> Spans | None:
        """Rows, or some together where they lie turned: what the least and the largest code are in each of their groups."""
        groups, rows = self.scales.groups, self.count // max(self.width, 1)
        if not rows or self.width < 64 or groups * 8 > self.width:
            return None
        low, high = np.empty((2, rows), np.float32)
        ends, step, work = self._ends(), max(ENDS // (2 * groups), 1), Workspace()
        each = slice(0, groups)
        over = Span(0, groups, tuple((slice(at, at + groups), each, 1) for at in (0, groups)))
        for first in range(0, rows, step):
            last = min(first + step, rows)
            values = work.array("ends", (last - first, 2 * groups), np.float32)
            codes = np.tile(np.repeat(ends, groups), (last - first, 1))
            self._computed(np.arange(first, last, dtype=np.int64), codes, over, values, work)
            np.min(values, axis=1, out=low[first:last])
            np.max(values, axis=1, out=high[first:last])
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            return None
        tall = TOGETHER if isinstance(self.codes_, Turned) else 1
        starts = np.arange(0, rows, tall)
        edges = np.append(starts, rows) * self.width
        return Spans(edges, np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts))

    def _ends(self) -> NDArray[Any]:
        """The code of the least and that of the largest number, as `_computed` takes codes."""
        if self.table is not None:
            return np.array([np.argmin(self.table), np.argmax(self.table)], np.uint8)
        most = (1 << self.codes_.bits) - 1
        return np.array([-128, 127], np.int8) if self.codes_.signed else np.array([0, most], np.uint8)

    def layers(self) -> Mapping[str, Elements]:
        """Codes as stored, and what is there of scales, zeros, offsets and the groups of columns."""
        groups = groups_shape(self.shape, self.scales.groups)
        found: dict[str, Elements] = {"codes": Look(self.shape, self.codes_)}
        single = self.scales.of.count == 1
        found["scales"] = self.scales.of if single else Look(groups, self.scales)
        if isinstance(self.zero, Zeros):
            found["zeros"] = Look(groups, self.zero)
        if self.offset is not None:
            found["offsets"] = Look(groups, self.offset)
        if self.groups.order is not None:
            found["groups"] = self.groups.order
        return found

    def explain(self, flat: int) -> list[tuple[str, str]]:
        """Group, code, zero, scale and offset of one value, and the value."""
        row, column = divmod(flat, self.width)
        work, at = Workspace(), np.array([row], np.int64)
        group = int(self.groups.of(column, column + 1, work)[0])
        code = text(Look(self.shape, self.codes_), flat)
        said = code if self.table is None else f"{int(code):#x} = {self.table[int(code)]}"
        steps = [("code", said)]
        if isinstance(self.zero, Zeros):
            steps.append((f"zero of group {group:,}", str(self.zero.read(at, group, group + 1, work, "zeros")[0, 0])))
        elif self.zero:
            steps.append(("zero", str(self.zero)))
        sign = " (÷)" if self._scale is np.divide else ""
        name = "scale" if self.scales.of.count == 1 else f"scale of group {group:,}"
        steps.append((name + sign, str(self.scales.read(at, group, group + 1, work, "scales")[0, 0])))
        if self.offset is not None:
            number = self.offset.read(at, group, group + 1, work, "offsets")[0, 0]
            steps.append((f"offset of group {group:,}", str(number)))
        if self._factor is not None:
            steps.append(("factor", str(self._factor)))
        return [*steps, ("value", text(self, flat))]

    @property
    def _narrow(self) -> bool:
        """Whether codes less zeros fit a signed byte: then they are taken off modulo 256."""
        far = isinstance(self.zero, Zeros) and not self.zero.near
        return self.codes_.bits < 8 and not self.codes_.signed and not far

    def _plain(self, codes: NDArray[Any], work: Workspace) -> NDArray[Any] | None:
        """What is scaled where no zeros of groups are taken off: numbers of any kind; else None."""
        if self.table is not None:
            flat = codes if codes.flags.c_contiguous else np.ascontiguousarray(codes)
            values = work.array("looked up", codes.shape, np.float32)
            looked_up(self.table, flat, values, work)
            return values
        zero = self.zero.same if isinstance(self.zero, Zeros) else self.zero
        if zero is None or zero > 128 or (zero and (1 << self.codes_.bits) - 1 - zero > 127):
            return None  # differences are not those of signed bytes
        return np.subtract(codes, np.uint8(zero), out=codes).view(np.int8) if zero else codes

    def _ordered(self, rows: Rows, codes: NDArray[Any], left: int, out: NDArray[Any], work: Workspace) -> None:
        """The same where each column names its group."""
        of = self.groups.of(left, left + codes.shape[1], work)
        first, last = int(of.min()), int(of.max()) + 1
        of -= first
        scales = self.scales.read(rows, first, last, work, "scales")
        whole, zeros = self._plain(codes, work), None
        if whole is None:
            assert isinstance(self.zero, Zeros)
            zeros = self.zero.read(rows, first, last, work, "zeros")
            zeros = zeros.astype(np.uint8) if self._narrow else zeros
        offsets = None if self.offset is None else self.offset.read(rows, first, last, work, "offsets")
        free = self.scales.short and (self._narrow or (isinstance(self.zero, Zeros) and self.zero.near))
        ordered(codes if whole is None else whole, Of(of, scales, zeros, offsets, free, self._scale), out, work)
