from __future__ import annotations

import numpy as np
import pytest
from support.blocks import finite_blocks, random_blocks
from support.elements import of_type

from weightmap.errors import Cancelled
from weightmap.measure.block_health import block_health
from weightmap.measure.block_scales import BlockScales
from weightmap.measure.heatmap import heatmap
from weightmap.types.registry import BUILT_IN, by_name
from weightmap.types.workspace import Workspace

CODED = [type for type in BUILT_IN if type.coded]
Q4_0, Q8_0, Q4_K, MXFP4 = (by_name(name) for name in ("Q4_0", "Q8_0", "Q4_K", "MXFP4"))


def halves(*values: float) -> np.ndarray:
    return np.array(values, "<f2").view(np.uint8).reshape(-1, 2)


def small(monkeypatch, chunk=1 << 10):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", chunk)
    monkeypatch.setattr("weightmap.reading.elements.LEAST", chunk)


@pytest.mark.parametrize("type", CODED, ids=lambda type: type.name)
@pytest.mark.parametrize("threads", [1, 2])
def test_counts_every_code_and_scale(monkeypatch, type, threads):
    small(monkeypatch)
    blocks = finite_blocks(type, 60)
    got = block_health(of_type(type, (60, type.elements), blocks), 16, threads=threads)
    codes = type.coding(blocks, Workspace()).codes.astype(int) - type.first_code
    counts = np.bincount(codes.reshape(-1), minlength=len(type.level_values()))
    assert np.array_equal(got.codes, counts)
    assert (got.blocks, got.elements, got.first_code) == (60, 60 * type.elements, type.first_code)
    shares = counts[counts > 0] / counts.sum()
    assert got.entropy == pytest.approx(-(shares * np.log2(shares)).sum())
    assert got.bits == np.log2(len(counts))
    scales = type.scaling(blocks, Workspace()).scales.astype(np.float64)
    scales = scales[np.isfinite(scales)]
    assert (got.scale_min, got.scale_max) == (scales.min(), scales.max())
    assert got.scale_mean == pytest.approx(scales.mean(), rel=1e-12)
    assert got.scales.counts.sum() == scales.size
    assert len(got.scales.counts) == 16


def test_codes_at_the_ends():
    blocks = np.zeros((2, 18), np.uint8)
    blocks[:, :2], blocks[0, 2:], blocks[1, 2:] = halves(1), 0xF0, 0x87
    got = block_health(of_type(Q4_0, (2, 32), blocks))
    assert got.codes.tolist() == [16, 0, 0, 0, 0, 0, 0, 16, 16, 0, 0, 0, 0, 0, 0, 16]
    assert (got.at_ends, got.entropy, got.bits) == (0.5, 2.0, 4.0)
    assert np.flatnonzero(got.ends).tolist() == [0, 15]
    eights = np.zeros((1, 34), np.uint8)
    eights[0, 2:5] = (127, 129, 128)
    got = block_health(of_type(Q8_0, (32,), eights))
    assert (got.at_ends, got.first_code, got.codes[128]) == (3 / 32, -128, 29)
    floats = np.zeros((1, 17), np.uint8)
    floats[0, 1:3] = (0x7F, 0x08)  # 6 and -6, and 0 twice
    got = block_health(of_type(MXFP4, (32,), floats))
    assert got.at_ends == 2 / 32
    assert np.flatnonzero(got.ends).tolist() == [7, 15]


def test_a_code_of_several_elements_counts_each_of_them_at_the_end():
    type = by_name("IQ2_XXS")
    blocks = random_blocks(type, 10)
    got = block_health(of_type(type, (10, 256), blocks))
    magnitudes = type.level_values()[type.coding(blocks, Workspace()).codes.astype(int)]
    assert got.at_ends == pytest.approx((magnitudes == magnitudes.max()).mean())
    assert got.ends.shape == (256, 8)


def test_odd_scales_are_counted_by_block():
    blocks = finite_blocks(Q4_K, 8)
    blocks[:, :2], blocks[:, 2:4] = halves(1), halves(0)
    blocks[0, :2], blocks[1, :2], blocks[2, :2], blocks[3, :2], blocks[4, 2:4] = (
        halves(each)[0] for each in (np.nan, np.inf, 0, 3e-7, np.nan)
    )
    got = block_health(of_type(Q4_K, (8, 256), blocks))
    assert (got.nan, got.inf, got.zero, got.subnormal, got.blocks) == (2, 1, 1, 1, 8)
    assert np.isfinite([got.scale_min, got.scale_max, got.scale_mean]).all()
    floats = np.full((3, 17), 127, np.uint8)
    floats[:, 0] = (255, 0, 127)
    got = block_health(of_type(MXFP4, (3, 32), floats))
    assert (got.nan, got.zero, got.subnormal) == (1, 0, 1)
    bytes4 = np.zeros((2, 36), np.uint8)
    bytes4[0, :4] = 0x38
    assert block_health(of_type(by_name("NVFP4"), (2, 64), bytes4)).zero == 1


def test_experts_are_looked_at_one_by_one(monkeypatch):
    small(monkeypatch, 96)  # chunks that cross the border between experts
    blocks = finite_blocks(Q4_0, 12)
    blocks[:, :2], blocks[4:8, 2:] = halves(0.25), 0x88
    blocks[9, :2] = halves(np.nan)
    got = block_health(of_type(Q4_0, (3, 2, 64), blocks), threads=2)
    assert [one.expert for one in got.experts] == [0, 1, 2]
    assert [one.blocks for one in got.experts] == [4, 4, 4]
    assert [one.nan for one in got.experts] == [0, 0, 1]
    assert got.experts[1].entropy == 0
    assert got.experts[1].codes[8] == 128
    assert np.array_equal(sum(one.codes for one in got.experts), got.codes)
    assert got.experts[0].scales is None
    assert got.experts[0].experts == ()
    assert block_health(of_type(Q4_0, (6, 64), blocks)).experts == ()
    many = block_health(of_type(Q4_0, (1025, 1, 32), finite_blocks(Q4_0, 1025)))
    assert (many.experts, many.blocks) == ((), 1025)


def test_nothing_and_all_the_same_and_no_number():
    empty = block_health(of_type(Q4_0, (0, 32), np.zeros((0, 18), np.uint8)))
    assert (empty.blocks, empty.entropy, empty.at_ends, empty.scale_min, empty.scales) == (0, None, None, None, None)
    same = np.zeros((2, 18), np.uint8)
    got = block_health(of_type(Q4_0, (2, 32), same))
    assert (got.entropy, got.scale_min, got.scale_mean, got.scales, got.zero) == (0, 0, 0, None, 2)
    same[:, :2] = halves(np.nan)
    got = block_health(of_type(Q4_0, (2, 32), same))
    assert (got.nan, got.scale_mean, got.scales) == (2, None, None)


def test_progress_and_cancelling(monkeypatch):
    small(monkeypatch)
    elements = of_type(Q4_0, (100, 64), finite_blocks(Q4_0, 200))
    seen = []
    block_health(elements, threads=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (400, 400)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    for end in (100, 300):
        with pytest.raises(Cancelled):
            block_health(elements, threads=1, progress=lambda done, _, end=end: done < end)


def test_scales_as_a_matrix():
    blocks = finite_blocks(Q4_K, 12)
    elements = of_type(Q4_K, (6, 512), blocks)
    scaling = Q4_K.scaling(blocks, Workspace())
    got = heatmap(BlockScales(elements), 6, 16)
    assert np.array_equal(got.cells, scaling.scales.reshape(6, 16))
    assert np.array_equal(heatmap(BlockScales(elements, "minimum"), 6, 16).cells, scaling.minima.reshape(6, 16))
    window = heatmap(BlockScales(elements), 2, 3, rows=(3, 5), columns=(6, 9))  # from one block to the next
    assert np.array_equal(window.cells, scaling.scales.reshape(6, 16)[3:5, 6:9])
    stacked = of_type(Q4_K, (2, 3, 512), blocks)
    assert np.array_equal(heatmap(BlockScales(stacked), 3, 16, index=(1,)).cells, scaling.scales.reshape(2, 3, 16)[1])
    assert BlockScales(of_type(Q4_0, (1, 40), finite_blocks(Q4_0, 1))).shape == (1,)


def test_what_has_no_scales_or_minima():
    with pytest.raises(ValueError, match="Q4_0 have no minimum"):
        BlockScales(of_type(Q4_0, (32,), finite_blocks(Q4_0, 1)), "minimum")
    with pytest.raises(ValueError, match="which"):
        BlockScales(of_type(Q4_0, (32,), finite_blocks(Q4_0, 1)), "scales")
    plain = of_type(by_name("F16"), (4,), np.zeros(8, np.uint8))
    for ask in (BlockScales, block_health):
        with pytest.raises(TypeError, match="F16 has no blocks"):
            ask(plain)
