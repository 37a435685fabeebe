import numpy as np
import pytest
from support.blocks import decoded, finite_blocks, random_blocks
from support.elements import of_type, plain

from weightmap.measure.bounds import BOUNDS, bounded_range
from weightmap.reading.sweep import Meter
from weightmap.types.registry import by_name


def found(elements, threads=1):
    return bounded_range(elements, threads=threads, meter=Meter(None, elements.count))


@pytest.mark.parametrize("name", sorted(BOUNDS))
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("chunk", [256, 1 << 17])
def test_the_range_is_that_of_the_decoded_values(monkeypatch, name, seed, chunk):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", chunk)
    type = by_name(name)
    blocks = finite_blocks(type, 3000, seed)
    values = decoded(type, blocks)
    got = found(of_type(type, (3000, type.elements), blocks), threads=2)
    assert (got.low, got.high) == (values.min(), values.max())


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_the_extremes_of_codes_stay_within_their_bounds(name):
    type, bound = by_name(name), BOUNDS[name]
    blocks = random_blocks(type, 4000, 5)
    blocks[::4], blocks[1::4], blocks[2::4, ::2] = 0xFF, 0x00, 0xFF
    one = np.float16(1).view(np.uint16)
    for offset, value in ((bound.d, one), (bound.m, 0)):
        if offset is not None:
            blocks[:, offset : offset + 2] = np.array([value], "<u2").view(np.uint8)
    values = decoded(type, blocks)
    assert bound.low <= values.min() < 0.8 * bound.low or bound.low == 0 == values.min()
    assert 0.8 * bound.high < values.max() <= bound.high


def test_most_blocks_are_never_decoded(monkeypatch):
    type = by_name("Q8_0")
    blocks = finite_blocks(type, 1 << 15)
    elements, seen = of_type(type, (1 << 20,), blocks), []
    real = type.decode
    monkeypatch.setattr(type.__class__, "decode", lambda self, b, out, work: (seen.append(len(b)), real(b, out, work)))
    found(elements)
    assert sum(seen) < len(blocks) / 4


@pytest.mark.parametrize("scale", [np.inf, np.nan])
def test_scales_that_are_not_finite_tell_nothing(scale):
    type = by_name("Q4_0")
    blocks = finite_blocks(type, 50)
    blocks[7, :2] = np.float16(scale).reshape(1).view(np.uint8)
    assert found(of_type(type, (50, 32), blocks)) is None


def test_other_types_tell_nothing():
    assert found(plain(np.ones(5, np.float32))) is None
    assert found(of_type(by_name("IQ1_S"), (256,), random_blocks(by_name("IQ1_S"), 1))) is None
