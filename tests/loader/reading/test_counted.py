"""Values of blocks with one scale and codes of few bits, counted under their scales instead of decoded."""

import math

import numpy as np
import pytest
from support.blocks import decoded, finite_blocks, random_blocks
from support.elements import of_type

from weightmap.measure.statistics import statistics
from weightmap.reading import counted
from weightmap.types.registry import all_types, big_endian, by_name
from weightmap.types.workspace import Workspace

NAMES = ["IQ4_NL", "MXFP4", "Q1_0", "Q2_0", "Q4_0", "TQ2_0"]


def test_which_types_are_counted():
    assert sorted(type.name for type in all_types() if counted.place(type) is not None) == NAMES


@pytest.fixture
def small(monkeypatch):
    """A few scales and bytes at a time, so that a small tensor takes every turn."""
    monkeypatch.setattr(counted, "WORTH", 64)
    monkeypatch.setattr(counted, "ROOM", 2048)
    monkeypatch.setattr(counted, "SCALES", 3)
    monkeypatch.setattr(counted, "BYTES", 192)


def types():
    return [*map(by_name, NAMES), big_endian(by_name("Q4_0"))]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("type", types(), ids=[*NAMES, "big-endian Q4_0"])
def test_every_value_is_counted_as_often_as_it_occurs(type):
    blocks = random_blocks(type, 300, 3)
    blocks[::4] = blocks[0]  # scales that come up again, and are NaN or Inf in some blocks
    many = type.elements
    elements = of_type(type, (300, many), blocks)
    values, counts = counted.tally(elements, counted.place(type), many, 290 * many, Workspace())
    with np.errstate(invalid="ignore"):
        expected = np.sort(decoded(type, blocks[1:290]).reshape(-1))
    assert counts.sum() == 289 * many
    assert np.array_equal(np.sort(np.repeat(values, counts)), expected, equal_nan=True)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_statistics_are_those_of_the_values(name, threads):
    type = by_name(name)
    blocks = finite_blocks(type, 1000, 5)
    elements = of_type(type, (1000, type.elements), blocks)
    assert elements.tallying() is not None
    wide = decoded(type, blocks).reshape(-1).astype(np.float64)
    got = statistics(elements, 100, threads=threads)
    assert (got.count, got.nan, got.zeros) == (wide.size, 0, int((wide == 0).sum()))
    wide = wide[np.isfinite(wide)]  # the largest scales of MXFP4 leave float32's range
    assert got.inf == got.count - wide.size
    assert (got.min, got.max) == (wide.min(), wide.max())
    assert got.mean == pytest.approx(math.fsum(wide) / wide.size, rel=1e-12)
    assert got.std == pytest.approx(wide.std(), rel=1e-12)
    assert np.array_equal(got.histogram.counts, np.histogram(wide, got.histogram.edges)[0])


@pytest.mark.usefixtures("small")
def test_scales_that_are_no_numbers_are_counted_apart():
    blocks = finite_blocks(by_name("Q4_0"), 400, 6)
    blocks[7, :2] = np.array([np.nan], "<f2").view(np.uint8)
    blocks[8, :2] = np.array([np.inf], "<f2").view(np.uint8)
    blocks[8, 2:] = 0x88 + 0x11  # codes of 9: one step above zero
    got = statistics(of_type(by_name("Q4_0"), (400, 32), blocks), 10)
    assert (got.nan, got.inf) == (32, 32)
    assert got.histogram.counts.sum() == 398 * 32


def test_small_tensors_are_decoded():
    blocks = finite_blocks(by_name("Q4_0"), 10, 7)
    assert of_type(by_name("Q4_0"), (10, 32), blocks).tallying() is None
