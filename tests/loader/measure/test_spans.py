"""The range from bounds of runs is that of all values, however loose the bounds are, and few runs are read for it."""

from __future__ import annotations

import numpy as np
import pytest
from support.elements import plain

from weightmap.measure.bounds import bounded_range
from weightmap.measure.spans import spanned_range
from weightmap.measure.statistics import statistics
from weightmap.reading.elements import Elements, Spans
from weightmap.reading.sweep import Meter


class Bounded(Elements):
    """Rows of an array, each with its range, widened by `slack`; counts the elements that are read."""

    integers = False
    grain = 1

    def __init__(self, values: np.ndarray, slack: float = 0, known: bool = True) -> None:
        self._plain = plain(values.reshape(-1))
        self.shape, self.count, self.value = values.shape, values.size, values.dtype
        self._rows, self._slack, self._known = values, np.float32(slack), known
        self.reads = 0

    def spans(self) -> Spans | None:
        if not self._known:
            return None
        edges = np.arange(len(self._rows) + 1, dtype=np.int64) * self.shape[1]
        return Spans(edges, self._rows.min(axis=1) - self._slack, self._rows.max(axis=1) + self._slack)

    def read(self, start, stop, out, work) -> None:
        self.reads += stop - start
        self._plain.read(start, stop, out, work)


@pytest.mark.parametrize("seed", range(6))
def test_few_rows_are_read(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    values = (drawn.standard_normal((200, 64)) * drawn.uniform(0.1, 1, (200, 1))).astype(np.float32)
    elements = Bounded(values)
    found = spanned_range(elements, elements.spans(), meter=Meter(None, elements.count))
    assert found is not None
    assert (found.low, found.high) == (values.min(), values.max())
    assert elements.reads <= 2 * 64
    loose = Bounded(values, slack=0.2)
    found = spanned_range(loose, loose.spans(), meter=Meter(None, loose.count))
    assert found is None or (found.low, found.high) == (values.min(), values.max())


def test_bounds_that_do_not_help_are_given_up() -> None:
    values = np.random.default_rng(1).standard_normal((100, 64)).astype(np.float32)
    elements = Bounded(values, slack=50)
    assert spanned_range(elements, elements.spans(), meter=Meter(None, elements.count)) is None
    assert elements.reads == 3 * 64
    assert bounded_range(Bounded(values, known=False), threads=1, meter=Meter(None, 1)) is None


def test_statistics_are_the_same_and_progress_is_whole() -> None:
    values = np.random.default_rng(1).standard_normal((300, 64)).astype(np.float32)
    seen: list[tuple[int, int]] = []
    with_bounds = statistics(Bounded(values), progress=lambda done, total: seen.append((done, total)))
    without = statistics(Bounded(values, known=False))
    assert (with_bounds.min, with_bounds.max, with_bounds.mean) == (without.min, without.max, without.mean)
    assert np.array_equal(with_bounds.histogram.counts, without.histogram.counts)
    assert seen[-1] == (2 * values.size, 2 * values.size)
