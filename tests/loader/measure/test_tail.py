"""The percentile of a stream from its largest values, against numpy; and when too few were kept to tell it."""

from __future__ import annotations

import numpy as np
import pytest

from weightmap.measure.tail import Tail
from weightmap.types.workspace import Workspace

VALUES = np.random.default_rng(1).exponential(1e-3, 5000).astype(np.float32)


def told(threshold: float, values: np.ndarray = VALUES) -> tuple[float, float] | None:
    tail, work = Tail(len(values), threshold), Workspace()
    for start in range(0, len(values), 700):
        tail.add(values[start : start + 700], work)
    return tail.result(len(values))


@pytest.mark.parametrize("share", [0.0, 0.5, 0.985])
def test_a_threshold_that_is_low_enough_loses_nothing(share: float) -> None:
    found = told(float(np.quantile(VALUES, share)) if share else 0.0)
    assert found == pytest.approx((np.percentile(VALUES.astype(float), 99), VALUES.max()), rel=1e-12)


@pytest.mark.parametrize("share", [0.995, 1.0])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_one_that_is_too_high_asks_for_another_pass(share: float, scale: float) -> None:
    values = VALUES * np.float32(scale)
    assert told(float(np.quantile(values, share)), values) is None


def test_zeros_are_not_kept_and_counted_all_the_same() -> None:
    values = np.zeros(1000, np.float32)
    values[7] = 0.25
    assert told(0.0, values) == (0.0, 0.25)
    assert told(0.0, np.zeros(10, np.float32)) == (0.0, 0.0)
    assert Tail(0).result(0) == (0.0, 0.0)


def test_what_is_kept_is_cut_to_the_largest_as_it_grows() -> None:
    values = np.arange(400_000, dtype=np.float32)
    tail, work = Tail(len(values)), Workspace()
    for start in range(0, len(values), 1 << 15):
        tail.add(values[start : start + (1 << 15)], work)
    assert tail.result(len(values)) == pytest.approx((np.percentile(values, 99), 399_999))
