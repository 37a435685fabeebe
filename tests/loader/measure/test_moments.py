import math
from fractions import Fraction

import numpy as np
import pytest

from weightmap.measure.moments import Moments
from weightmap.types.workspace import Workspace


def moments(values, pieces=3):
    work, whole = Workspace(), Moments(values.min().item(), values.max().item())
    for piece in np.array_split(values, pieces):
        part = Moments(values.min().item(), values.max().item())
        part.add(piece, work)
        whole.join(part)
    return whole


def exact(values):
    numbers = [Fraction(v) for v in values.tolist()]
    mean = sum(numbers) / len(numbers)
    largest = max(abs(n) for n in numbers)
    return float(mean), math.sqrt(sum(((n - mean) / largest) ** 2 for n in numbers) / len(numbers)) * float(largest)


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).standard_normal(5000).astype("f4"),
        np.random.default_rng(2).standard_normal(70_000) + 1e9,
        1e5 + np.random.default_rng(3).random(3000).astype("f4"),
        np.random.default_rng(4).integers(-(2**63), 2**63 - 1, 1000),
        np.random.default_rng(5).integers(2**63, 2**64 - 1, 1000, dtype="u8"),
        np.random.default_rng(6).integers(-(2**31), 2**31 - 1, 1000, dtype="i4"),
        np.array([1e200, 3e200, -1e199]),
        np.array([1e-200, 3e-200, 5e-200]),
        np.append(np.full(999, 1e-8), -1.0).astype("f4"),
    ],
)
def test_mean_and_deviation_against_exact_arithmetic(values):
    mean, std = exact(values)
    got = moments(values)
    assert got.count == len(values)
    assert got.mean() == pytest.approx(mean, rel=1e-7, abs=std * 1e-8)
    assert got.std() == pytest.approx(std, rel=1e-6)


def test_sums_of_integers_are_exact():
    values = np.array([2**62, 2**62 + 1, -(2**63), 7] * 50_000)
    assert moments(values).mean() == sum(values.tolist()) / len(values)


@pytest.mark.parametrize("values", [[-5, -3], [-(2**63), -(2**63) + 2], [-(2**63), -1], [3, 2**63 - 1]])
def test_the_deviation_of_large_integers_on_one_side_of_zero(values):
    assert moments(np.array(values, np.int64), pieces=1).std() == pytest.approx((values[1] - values[0]) / 2, rel=1e-12)


@pytest.mark.parametrize("count", [3, 1000, 70_000, 200_000])
def test_few_floats_are_as_exact_as_many(count):
    for seed in range(3):
        values = np.random.default_rng(seed).standard_normal(count).astype("f4")
        got, wide = moments(values, pieces=1), values.astype(np.float64)
        assert got.std() == pytest.approx(wide.std(), rel=1e-13)
        assert got.mean() == pytest.approx(wide.mean(), abs=1e-9 * wide.std())


def test_many_values_on_a_grid_keep_their_digits():
    """Halves and codes under a scale: in float32 the roundings of their squares would not even out."""
    generator = np.random.default_rng(8)
    halves = (generator.standard_normal(1 << 19) * 0.02).astype("f2").astype("f4")
    codes = (generator.integers(-127, 128, (1 << 14, 32)) * generator.choice([0.0077, 0.0011], (1 << 14, 1))).ravel()
    for values in (halves, codes.astype("f4")):
        got, wide = moments(values, pieces=1), values.astype(np.float64)
        assert got.std() == pytest.approx(wide.std(), rel=1e-13)
        assert got.mean() == pytest.approx(wide.mean(), abs=1e-9 * wide.std())
