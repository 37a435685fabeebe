"""A look at the stored blocks finds exactly what decoding every value would show, and scales that are no numbers."""

from __future__ import annotations

import numpy as np
import pytest
from support import elements
from support.blocks import decoded, random_blocks

from weightmap.errors import Cancelled
from weightmap.measure.soundness import CHUNK_BYTES, Place, soundness
from weightmap.measure.zeros import Stretch
from weightmap.types.byteorder import big_endian
from weightmap.types.registry import all_types, by_name

FLOATS = [type for type in all_types() if type.known and type.value.kind in "fc"]
SCALED = [type for type in FLOATS if type.scales]


def of(name, blocks, shape=None):
    type = by_name(name)
    return elements.of_type(type, shape or (len(blocks) * type.elements,), blocks)


@pytest.mark.parametrize("type", FLOATS, ids=lambda type: type.name)
def test_counts_are_those_of_all_values(type):
    blocks = random_blocks(type, 400, seed=3)
    found = soundness(elements.of_type(type, (400 * type.elements,), blocks))
    values = decoded(type, blocks).view(np.empty(0, type.value).real.dtype).reshape(400, -1)
    assert found.nan == np.isnan(values).sum()
    assert found.inf == np.isinf(values).sum()
    bad = ~np.isfinite(values).all(axis=1)
    if type.name == "MXFP4":
        bad |= blocks[:, 0] == 255
    assert found.blocks == bad.sum()
    assert [place.block for place in found.places] == np.flatnonzero(bad)[:4].tolist()
    assert not found.zero


@pytest.mark.parametrize("type", SCALED, ids=lambda type: type.name)
@pytest.mark.parametrize("swapped", [False, True], ids=["little", "big"])
def test_each_scale_is_named(type, swapped):
    for place, (name, offset, dtype) in enumerate(type.scales):
        blocks = np.zeros((9, type.bytes), np.uint8)
        blocks[:, -1 if offset == 0 else 0] = 1
        if dtype == "four nibbles":
            blocks[5, offset:].view("<u2")[:] = 0x0000, 0x0000, 0xC000, 0x7000
        elif dtype == "E8M0":
            blocks[5, offset] = 255
        else:
            blocks[5, offset : offset + np.dtype(dtype).itemsize] = np.array([np.inf], dtype).view(np.uint8)
        if swapped:
            for begin, width in type.fields:
                blocks[:, begin : begin + width] = blocks[:, begin : begin + width][:, ::-1]
        found = soundness(elements.of_type(big_endian(type) if swapped else type, (9 * type.elements,), blocks))
        what = "NaN" if dtype == "E8M0" else "Inf"
        assert (found.blocks, found.places) == (1, (Place(5, what, name),)), (place, name)


def test_an_exponent_of_255_is_found_where_every_value_is_finite():
    blocks = np.full((3, 17), 0x11, np.uint8)
    blocks[1, 0] = 255
    found = soundness(of("MXFP4", blocks))
    assert (found.nan, found.inf, found.blocks, found.places) == (0, 0, 1, (Place(1, "NaN", "e"),))


def test_a_finite_scale_may_still_give_infinite_values():
    blocks = np.full((3, 292), 100, np.uint8)
    blocks[:, :4].view("<f4")[:] = 1.0
    blocks[2, :4].view("<f4")[:] = 3e38
    found = soundness(of("Q8_K", blocks))
    assert (found.inf, found.blocks, found.places) == (256, 1, (Place(2, "Inf"),))


def test_only_the_first_places_are_kept_whatever_the_threads():
    values = np.ones(3 * CHUNK_BYTES, np.float32)
    bad = [5, 77, 1_000_000, 2_000_000, 3_000_000]
    values[bad] = [np.nan, np.inf, -np.inf, np.nan, np.nan]
    for threads in (1, 3):
        found = soundness(elements.plain(values), threads=threads)
        assert (found.nan, found.inf, found.blocks) == (3, 2, 5)
        assert [place.block for place in found.places] == bad[:4]


def test_zero_by_value_or_by_bytes():
    assert soundness(elements.plain(np.zeros(7, np.float32))).zero
    assert soundness(elements.plain(np.full(7, -0.0, np.float32))).zero
    assert soundness(elements.plain(np.zeros(7, np.int32))).zero
    assert not soundness(elements.plain(np.zeros(0, np.float32))).zero
    without_scale = np.full((4, 18), 0x88, np.uint8)
    without_scale[:, :2] = 0
    assert soundness(of("Q4_0", without_scale)).zero
    without_scale[3, :2] = 1
    assert not soundness(of("Q4_0", without_scale[:3])).stretches
    without_scale[3, 2] = 0
    assert not soundness(of("Q4_0", without_scale)).zero


@pytest.mark.parametrize(("begin", "end"), [(5000, 9096), (0, 4096), (60_000, 65_536), (4001, 30_003), (2048, 6144)])
def test_zero_bytes_in_a_row_are_found_to_the_byte(begin, end):
    data = np.full(65_536, 7, np.uint8)
    data[begin:end] = 0
    assert soundness(elements.plain(data.view(np.float32))).stretches == (Stretch(begin, end),)
    data[begin:end] = 7
    data[begin : begin + 4095] = 0
    assert soundness(elements.plain(data.view(np.float32))).stretches == ()


def test_stretches_go_on_from_chunk_to_chunk():
    data = np.full(5 * CHUNK_BYTES, 7, np.uint8)
    data[CHUNK_BYTES - 9000 : 2 * CHUNK_BYTES + 5] = 0
    data[4 * CHUNK_BYTES : 4 * CHUNK_BYTES + 4096] = 0
    for threads in (1, 3):
        found = soundness(elements.plain(data.view(np.float32)), threads=threads)
        assert found.stretches == (
            Stretch(CHUNK_BYTES - 9000, 2 * CHUNK_BYTES + 5),
            Stretch(4 * CHUNK_BYTES, 4 * CHUNK_BYTES + 4096),
        )


def test_a_matrix_that_is_mostly_zeros_has_no_stretches():
    assert soundness(elements.plain(np.eye(3000, dtype=np.float32))).stretches == ()


def test_halfs_at_their_limit_are_counted():
    found = soundness(elements.plain(np.array([1, 65504, -65504, 65472], np.float16)))
    assert (found.saturated, found.blocks) == (2, 0)


def test_progress_and_cancelling():
    tensor = elements.plain(np.ones(3 * CHUNK_BYTES, np.float32))
    seen = []
    soundness(tensor, progress=lambda done, total: seen.append((done, total)), threads=1)
    assert seen == sorted(seen)
    assert seen[-1] == (tensor.count, tensor.count)
    with pytest.raises(Cancelled):
        soundness(tensor, progress=lambda done, total: False)
