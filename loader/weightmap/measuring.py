"""What can be asked of anything whose values can be read: slices, statistics, histogram, heatmap, a look at every value.

A stored tensor and a weight that lies in several tensors have these methods from here. What the passes import is left to
the first use: most programs only open files and take arrays.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal

from weightmap.findings import Finding
from weightmap.reading.elements import Elements
from weightmap.reading.slices import taken
from weightmap.reading.sweep import Progress

if TYPE_CHECKING:
    from weightmap.frameworks import Valued
    from weightmap.measure.binning import Histogram
    from weightmap.measure.heatmap import Heatmap
    from weightmap.measure.statistics import Statistics

Key = int | slice | EllipsisType | tuple[int | slice | EllipsisType, ...]
Reduction = Literal["max_abs", "mean", "rms"]


class Measuring:
    """Mixed into what has a `shape` and gives `elements`, the values as passes read them."""

    __slots__ = ()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the values in numpy order."""

    @abstractmethod
    def elements(self) -> Elements:
        """The values as the passes of `weightmap.reading` and `weightmap.measure` read them."""

    @abstractmethod
    def _judged(
        self, statistics: Statistics | None, progress: Progress | None, threads: int | None
    ) -> tuple[Finding, ...]:
        """What is to be said about the values, kept for `status` and `findings`; of `statistics` where there are some."""

    def __getitem__(self, key: Key) -> Any:
        """`array()[key]` for ints, slices with any step and `...`, decoding only the blocks that are touched.

        Types that are stored plainly give read-only views of the file, others new read-only arrays. IndexError and TypeError
        as in numpy.
        """
        return taken(self.elements(), key)

    def read(self, key: Key = ...) -> Any:
        """`self[key]` without a view of the file: what is touched is read into a new, read-only array of the same dtype.

        For programs that must outlive a file that shrinks while they look at it. Raises FileChangedError then, and
        IndexError and TypeError as in numpy.
        """
        return taken(self.elements(), key, copy=True)

    def __dlpack__(
        self: Valued,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The values for whatever takes DLPack; see `weightmap.frameworks.to_dlpack`."""
        from weightmap.frameworks import to_dlpack

        return to_dlpack(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the first CPU, in DLPack's numbers

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor without axes has no length")
        return self.shape[0]

    def statistics(
        self, bins: int = 256, *, progress: Progress | None = None, threads: int | None = None
    ) -> Statistics:
        """Exact count, min, max, mean, std, NaN, Inf, zeros and a histogram of `bins` bins, from every value.

        `progress(done, total)` is called from the calling thread; returning False raises Cancelled.
        """
        from weightmap.measure.statistics import statistics

        result = statistics(self.elements(), bins, progress=progress, threads=threads)
        self._judged(result, progress, threads)
        return result

    def check_values(self, *, progress: Progress | None = None, threads: int | None = None) -> tuple[Finding, ...]:
        """Look at every value and every block's scale; what is to be said about them, with the places: NaN, Inf, zeros.

        Part of `status` and `findings` from then on. Quicker than `statistics`: little is decoded.
        """
        return self._judged(None, progress, threads)

    def histogram(
        self,
        bins: int = 256,
        limits: tuple[float, float] | None = None,
        *,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Histogram:
        """Exact counts in `bins` equal bins between `limits` (None: the finite minimum and maximum), and outside of them."""
        from weightmap.measure.histogram import histogram

        return histogram(self.elements(), bins, limits, progress=progress, threads=threads)

    def heatmap(
        self,
        height: int,
        width: int,
        *,
        rows: tuple[int, int] | None = None,
        columns: tuple[int, int] | None = None,
        index: Sequence[int] = (),
        reduction: Reduction = "max_abs",
        sample: int | Literal["fast"] | None = None,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Heatmap:
        """A picture of at most height x width cells of the tensor seen as a matrix of its last two axes.

        rows, columns  the window (first, one past the last) to show; None shows all
        index          position in the leading axes, one number each
        reduction      what a cell shows of its elements: the one of largest magnitude with its sign, mean, or root mean square
        sample         None reads everything; a number n reads 1 of every n rows; "fast" chooses n for a first picture
        """
        from weightmap.measure.heatmap import heatmap

        return heatmap(
            self.elements(),
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
