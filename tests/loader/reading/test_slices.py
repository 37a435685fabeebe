import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.blocks import random_blocks
from support.elements import of_type, plain, values_of

from weightmap.reading import runs
from weightmap.reading.slices import taken
from weightmap.types.registry import by_name


def quantized(name, shape, seed=0):
    type = by_name(name)
    return of_type(type, shape, random_blocks(type, math.prod(shape) // type.elements, seed))


def same(got, expected):
    assert np.shape(got) == np.shape(expected)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    assert type(got) is type(expected)
    assert np.array_equal(got, expected, equal_nan=np.asarray(expected).dtype.kind == "f")


def parts(size):
    bound = st.one_of(st.none(), st.integers(-size - 2, size + 2))
    slices = st.builds(slice, bound, bound, st.one_of(st.none(), st.integers(-size - 1, size + 1).filter(bool)))
    return st.one_of(slices, st.integers(-size, size - 1)) if size else slices


@st.composite
def keys(draw, shape):
    picked = [draw(parts(size)) for size in shape]
    dots = draw(st.one_of(st.none(), st.integers(0, len(shape))))
    if dots is None:
        picked = picked[: draw(st.integers(0, len(picked)))]
    else:
        picked[dots : draw(st.integers(dots, len(shape)))] = [...]
    return picked[0] if len(picked) == 1 and draw(st.booleans()) else tuple(picked)


CASES = [
    ("Q4_0", (96,)),
    ("Q4_K", (3, 512)),
    ("Q8_0", (2, 3, 64)),
    ("IQ4_NL", (2, 1, 3, 32)),
    ("Q5_1", (1, 2, 2, 1, 96)),
    ("F4", (3, 5, 2)),
    ("F4", (2, 3)),
    ("F6_E2M3", (5, 4)),
    ("F6_E3M2", (2, 2, 3)),
    ("BOOL", (4, 5)),
    ("Q4_0", (0, 32)),
    ("BOOL", ()),
]


@pytest.mark.parametrize(("name", "shape"), CASES, ids=[f"{name}{shape}" for name, shape in CASES])
@settings(max_examples=60)
@given(data=st.data())
def test_a_slice_equals_the_slice_of_all_values(name, shape, data):
    elements = quantized(name, shape)
    key = data.draw(keys(shape))
    same(taken(elements, key), values_of(elements)[key])


@settings(max_examples=60)
@given(data=st.data())
def test_plain_slices_are_views(data):
    values = np.arange(2 * 3 * 5, dtype="<f4").reshape(2, 3, 5)
    elements = plain(values)
    key = data.draw(keys(values.shape))
    got = taken(elements, key)
    same(got, values[key])
    if isinstance(got, np.ndarray):
        assert not got.flags.writeable
        assert not got.size or np.shares_memory(got, elements.source.view(0, elements.source.size))
    read = taken(elements, key, copy=True)
    same(read, values[key])
    if isinstance(read, np.ndarray):
        assert not read.flags.writeable
        assert not np.shares_memory(read, elements.source.view(0, elements.source.size))


@pytest.mark.parametrize(
    ("group", "span", "gap"), [(64, 100, 0), (64, 1 << 20, 1 << 20), (1, 1, 10), (1 << 18, 300, 90)]
)
@pytest.mark.parametrize(
    "key", [np.s_[1:7, 30:100], np.s_[::3, 5:6], np.s_[::-2, ::-7], np.s_[:, ::70], np.s_[4, 1::2]]
)
def test_grouping_of_reads_changes_nothing(monkeypatch, key, group, span, gap):
    monkeypatch.setattr(runs, "VALUES", group)
    monkeypatch.setattr(runs, "SPAN", span)
    monkeypatch.setattr(runs, "GAP", gap)
    elements = quantized("Q4_0", (9, 320))
    same(taken(elements, key), values_of(elements)[key])


@pytest.mark.parametrize("name", ["Q4_0", "F4"])
def test_runs_longer_than_a_chunk(monkeypatch, name):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 64)
    elements = quantized(name, (4, 480))
    expected = values_of(elements)
    for key in (np.s_[1:3, 3:470], np.s_[:, 32:], np.s_[2, ::-1], np.s_[1, 5:400:3], np.s_[:, 477:]):
        same(taken(elements, key), expected[key])


def test_only_touched_blocks_are_read():
    elements = quantized("Q8_0", (1000, 4096))
    taken(elements, np.s_[500, 40:60])
    assert elements.source.ranges == [(7 + (500 * 128 + 1) * 34, 34)]


def test_distant_rows_are_read_apart():
    elements = quantized("Q8_0", (3, 1 << 16))
    same(taken(elements, np.s_[:, 64:96]), values_of(elements)[:, 64:96])
    assert elements.source.ranges == [(7 + (row * 2048 + 2) * 34, 34) for row in range(3)]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ((0, 0, 0), IndexError),
        (3, IndexError),
        ((0, -33), IndexError),
        ((..., ...), IndexError),
        (1.0, TypeError),
        ("a", TypeError),
        (None, TypeError),
        (True, TypeError),
        ([0, 1], TypeError),
        (slice(0.5, 1), TypeError),
        (slice(0, 1, 0), ValueError),
    ],
)
@pytest.mark.parametrize("name", ["Q4_0", "F32"])
def test_keys_that_are_refused(name, key, kind):
    with pytest.raises(kind):
        taken(quantized(name, (3, 32)), key)


def test_an_array_as_a_key_is_named():
    with pytest.raises(TypeError, match="got ndarray for axis 0"):
        taken(quantized("F32", (3, 32)), np.array([0, 1]))
    assert np.array_equal(taken(quantized("F32", (3, 32)), np.array(1)), taken(quantized("F32", (3, 32)), 1))


def test_results_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        taken(quantized("Q4_0", (2, 32)), 0)[0] = 1
