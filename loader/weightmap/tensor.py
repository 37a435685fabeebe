"""One tensor of an open model: what its entry says, its values, and measures of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weightmap import telemetry
from weightmap.entry import Entry
from weightmap.findings import Finding
from weightmap.measuring import Measuring, Reduction
from weightmap.reading.decode import decoded
from weightmap.reading.elements import StoredElements
from weightmap.reading.slices import flat_index
from weightmap.reading.sweep import Meter, Progress
from weightmap.reading.told import viewing

if TYPE_CHECKING:
    from weightmap.measure.block_health import BlockHealth
    from weightmap.measure.blocks import Block
    from weightmap.measure.heatmap import Heatmap
    from weightmap.measure.statistics import Statistics
    from weightmap.measure.zeros import Watch


class Tensor(Entry, Measuring):
    """One entry of the tensor table. It keeps the model's files open as long as it lives. Thread-safe.

    Every way to its values raises a WeightFileError where they cannot be given: the error of `problem`, FileChangedError
    where the file is no longer the one opened, ClosedError after the model was closed.
    """

    __slots__ = ("_elements",)

    _elements: StoredElements

    def raw(self) -> NDArray[np.uint8]:
        """The stored bytes: a zero-copy, read-only uint8 view (blocks, bytes per block), C order whatever the rank.

        If the file shrinks while the view is in use, touching what was lost ends the process. Of a remote file it is a copy.
        """
        record = self._record
        source = self._opened.source(record)
        if telemetry.active is None:
            return source.view(record.offset, record.nbytes).reshape(-1, record.type.bytes)
        with viewing(record):
            return source.view(record.offset, record.nbytes).reshape(-1, record.type.bytes)

    def array(
        self,
        dtype: DTypeLike | None = None,
        threads: int | None = None,
        copy: bool = False,
        *,
        progress: Progress | None = None,
    ) -> NDArray[Any]:
        """All values, in `shape`.

        Where numpy (or ml_dtypes, for bfloat16 and float8) has a dtype for what is stored, a zero-copy, read-only view of
        the file: if the file shrinks while it is in use, touching what was lost ends the process; `copy=True` gives an
        array of its own instead, which may be written to. Anything else is decoded to a new, read-only float32 array. What is
        stored plainly in a remote file comes as a read-only copy.

        dtype    another dtype to convert to (np.float32 always decodes). TypeError where that would lose kinds: complex to
                 real, float to integer
        threads  at most this many; None takes WEIGHTMAP_THREADS, else the cores that the process may use
        """
        if dtype is None and not copy and (view := self._opened.view(self._record)) is not None:
            return view
        return decoded(self.elements(), dtype, threads=threads, copy=copy, progress=progress)

    def locate(self, index: int | Sequence[int]) -> tuple[int, int]:
        """Where an element lies: (block, absolute position of the block's first byte in `path`).

        `index` is a flat index in C order, or one index per axis; negative ones count from the end. IndexError outside.
        """
        axes = (index, self.shape) if isinstance(index, Sequence) else ((index,), (self.count,))
        flat = flat_index(*axes)
        block = flat // self.type.elements
        return block, self.offset + block * self.type.bytes

    def block(self, index: int) -> Block:
        """One block taken apart: its scales, codes, values and bytes, and where each lies. Only that block is read.

        `index` counts blocks from 0, negative ones from the end; `locate` gives it for an element. IndexError outside,
        TypeError for a type without codes (see `type.coded`).
        """
        from weightmap.measure.blocks import block

        return block(self.elements(), index)

    def block_health(
        self, bins: int = 64, *, progress: Progress | None = None, threads: int | None = None
    ) -> BlockHealth:
        """How well the codes are used, and how sound the scales are: of all blocks, and per expert where there are three axes.

        `bins` is for the histogram of scales. TypeError for a type without codes (see `type.coded`).
        """
        from weightmap.measure.block_health import block_health

        return block_health(self.elements(), bins, progress=progress, threads=threads)

    def scale_heatmap(
        self,
        height: int,
        width: int,
        *,
        rows: tuple[int, int] | None = None,
        columns: tuple[int, int] | None = None,
        index: Sequence[int] = (),
        which: Literal["scale", "minimum"] = "scale",
        reduction: Reduction = "max_abs",
        sample: int | Literal["fast"] | None = None,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Heatmap:
        """A picture of the scales, or minima, of all sub-blocks: as `heatmap`, but a column is one sub-block.

        Column edges times `type.sub_elements` are those of elements. TypeError for a type without codes, ValueError for
        minima where the type has none.
        """
        from weightmap.measure.block_scales import BlockScales
        from weightmap.measure.heatmap import heatmap

        return heatmap(
            BlockScales(self.elements(), which),
            height,
            width,
            rows=rows,
            columns=columns,
            index=index,
            reduction=reduction,
            sample=sample,
            progress=progress,
            threads=threads,
        )

    def elements(self) -> StoredElements:
        """The values as the passes of `weightmap.reading` and `weightmap.measure` read them."""
        elements = getattr(self, "_elements", None)  # whoever looks at window after window asks each time
        if elements is None:
            elements = self._elements = StoredElements(self._opened.source(self._record), self._record)
        if self._opened.closed:
            self._opened.require_open()
        return elements

    def statistics(
        self, bins: int = 256, *, progress: Progress | None = None, threads: int | None = None
    ) -> Statistics:
        """Exact count, min, max, mean, std, NaN, Inf, zeros and a histogram of `bins` bins, from every value.

        `progress(done, total)` is called from the calling thread; returning False raises Cancelled. With a cache (see
        `weightmap.open`) the values of exactly this content are looked at once.
        """
        if (store := self._opened.store) is None:
            return self._measured(bins, progress, threads)
        from weightmap.cache.statistics import asked  # not for who has no cache

        question = asked(store, self._opened.source(self._record), self._record, bins)
        if question is not None and (known := question.recall()) is not None:
            Meter(progress, self.count).finish(self.count)
            result, found = known
            self._opened.keep_value_findings(self._index, found)
            return result
        result = self._measured(bins, progress, threads)
        if question is not None:
            question.keep(result, self._opened.value_findings(self._index))
        return result

    def _measured(self, bins: int, progress: Progress | None, threads: int | None) -> Statistics:
        """Statistics, and the look at what is stored in the same pass where that is enough."""
        from weightmap.measure.statistics import statistics
        from weightmap.measure.zeros import Watch

        elements = self.elements()
        watch = Watch(elements.source, elements.record.offset, elements.record.nbytes)
        result = statistics(elements, bins, progress=progress, threads=threads, watch=watch.look)
        self._judged(result, progress, threads, watch)
        return result

    def _judged(
        self,
        statistics: Statistics | None,
        progress: Progress | None,
        threads: int | None,
        watch: Watch | None = None,
    ) -> tuple[Finding, ...]:
        from weightmap.checks.values import value_findings

        found: tuple[Finding, ...] = ()
        if not self._opened.holds_bytes(self._index):
            found = value_findings(self.elements(), statistics, watch, progress=progress, threads=threads)
        self._opened.keep_value_findings(self._index, found)
        return found
