"""Values of codes in groups along the rows: (code - zero) * scale, code * scale + offset, or a table's value * scale.

One rounding per operation, in the order written, in float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.companions.integers.looks import Look, groups_shape, text
from weightmap.companions.integers.matrix import Matrix, Rows
from weightmap.companions.integers.packed import Codes
from weightmap.companions.integers.per_group import Grid, Zeros
from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.fields import Bytes, Floats, looked_up, quiet
from weightmap.types.workspace import Workspace


class Groups:
    """Which group a column belongs to: `size` neighbours each, or as a tensor of indices says."""

    def __init__(self, size: int, order: StoredElements | None = None) -> None:
        self.size, self.order = size, order

    def of(self, first: int, last: int, work: Workspace) -> NDArray[np.int64]:
        """The groups of columns first:last: int64."""
        if self.order is None:
            return np.arange(first, last, dtype=np.int64) // self.size
        stored = work.array("order", (last - first,), self.order.value)
        self.order.read(first, last, stored, work)
        return stored.astype(np.int64)

    def cuts(self, left: int, right: int) -> Iterator[tuple[slice, slice, int]]:
        """(columns, groups, columns per group) of the parts of left:right that whole groups or one group make up, from 0 on."""
        size, first = self.size, left // self.size
        at = left
        while at < right:
            group = at // size
            whole = (right - at) // size if at % size == 0 else 0
            end = at + whole * size if whole else min((group + 1) * size, right)
            yield (
                slice(at - left, end - left),
                slice(group - first, group - first + max(whole, 1)),
                (end - at) // max(whole, 1),
            )
            at = end


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

    @quiet
    def tile(self, rows: Rows, left: int, right: int, out: NDArray[Any], work: Workspace) -> None:
        """Codes, less their zeros, times their scales."""
        codes: NDArray[Any] = self.codes_.read(rows, left, right, work, "codes")
        if self.codes_.signed:
            codes = codes.view(np.int8)
        if self.groups.order is not None:
            self._ordered(rows, left, right, codes, out, work)
            return
        first, last = left // self.groups.size, -(-right // self.groups.size)
        scales = self.scales.read(rows, first, last, work, "scales")
        parts = list(self.groups.cuts(left, right))
        whole = self._plain(codes, work)
        if whole is None:
            assert isinstance(self.zero, Zeros)
            zeros = self.zero.read(rows, first, last, work, "zeros")
            whole = work.array("centred", codes.shape, np.int8 if self._narrow else np.int16)
            less, kind = (zeros.astype(np.uint8), np.uint8) if self._narrow else (zeros, np.int16)
            for columns, groups, size in parts:
                spread(np.subtract, codes[:, columns], less[:, groups], size, whole.view(kind)[:, columns])
        for columns, groups, size in parts:
            spread(self._scale, whole[:, columns], scales[:, groups], size, out[:, columns])
        if self.offset is not None:
            offsets = self.offset.read(rows, first, last, work, "offsets")
            for columns, groups, size in parts:
                spread(np.add, out[:, columns], offsets[:, groups], size, out[:, columns])
        if self._factor is not None:
            np.multiply(out, self._factor, out=out)

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
        return self.codes_.bits < 8 and not self.codes_.signed

    def _plain(self, codes: NDArray[Any], work: Workspace) -> NDArray[Any] | None:
        """What is scaled where no zeros of groups are taken off: numbers of any kind; else None."""
        if self.table is not None:
            flat = codes if codes.flags.c_contiguous else np.ascontiguousarray(codes)
            values = work.array("looked up", codes.shape, np.float32)
            looked_up(self.table, flat, values, work)
            return values
        zero = self.zero.same if isinstance(self.zero, Zeros) else self.zero
        if zero is None or zero > 1 << self.codes_.bits - 1:
            return None
        return np.subtract(codes, np.uint8(zero), out=codes).view(np.int8) if zero else codes

    def _ordered(
        self, rows: Rows, left: int, right: int, codes: NDArray[Any], out: NDArray[Any], work: Workspace
    ) -> None:
        """The same where each column names its group."""
        of = self.groups.of(left, right, work)
        first, last = int(of.min()), int(of.max()) + 1
        of -= first
        scales = self.scales.read(rows, first, last, work, "scales")
        wide = out if out.flags.c_contiguous else work.array("wide scales", codes.shape, np.float32)
        whole = self._plain(codes, work)
        if whole is None:
            assert isinstance(self.zero, Zeros)
            zeros = self.zero.read(rows, first, last, work, "zeros").astype(np.uint8 if self._narrow else np.int16)
            less = work.array("wide zeros", codes.shape, zeros.dtype)
            if self._narrow and self.scales.short and scales.flags.writeable:
                self._together(scales, zeros, of, wide, less)
            else:
                np.take(zeros, of, axis=1, out=less, mode="wrap")
                np.take(scales, of, axis=1, out=wide, mode="wrap")
            whole = np.subtract(codes, less, out=less)
            whole = whole.view(np.int8) if self._narrow else whole
        else:
            np.take(scales, of, axis=1, out=wide, mode="wrap")
        self._scale(whole, wide, out=out)
        if self.offset is not None:
            offsets = work.array("wide offsets", codes.shape, np.float32)
            np.take(self.offset.read(rows, first, last, work, "offsets"), of, axis=1, out=offsets, mode="wrap")
            np.add(out, offsets, out=out)

    def _together(
        self, scales: Floats, zeros: NDArray[Any], of: NDArray[np.int64], wide_scales: Floats, wide_zeros: Bytes
    ) -> None:
        """Fetch scales and zeros at once: the bits that scales of 16 bits leave free in 32 have room for a byte each."""
        bits, wide = scales.view(np.uint32), wide_scales.view(np.uint32)
        np.bitwise_or(bits, zeros, out=bits)
        np.take(bits, of, axis=1, out=wide, mode="wrap")  # nothing is beyond the end, and this looks for it quickest
        np.copyto(wide_zeros, wide, casting="unsafe")
        np.bitwise_and(wide, np.uint32(0xFFFFFF00), out=wide)


def spread(function: np.ufunc, values: NDArray[Any], per_group: NDArray[Any], size: int, out: NDArray[Any]) -> None:
    """`function` of values (n, groups * size) and one number per row and group (n, groups), into `out`."""
    if values.flags.c_contiguous and out.flags.c_contiguous:
        shape: tuple[int, ...] = (-1, size)  # one axis for all groups is what numpy handles quickest
        function(values.reshape(shape), per_group.reshape(-1, 1), out=out.reshape(shape))
        return
    shape = (len(values), -1, size)
    function(values.reshape(shape), per_group[:, :, None], out=out.reshape(shape))
