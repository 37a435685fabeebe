"""Statistics of weights whose codes are counted instead of every value computed: against numpy on all values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.composed import checkpoint, quantized_by
from support.counted import opened, same
from support.floats import E2M1, E4M3, E8M0, grouped, high_first, low_first, swizzled
from support.packing import down, words

import weightmap

ROWS, COLUMNS = 768, 512


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def exponents(shape: tuple[int, ...]) -> np.ndarray:
    return random(3).integers(118, 124, shape, np.uint8)


@pytest.mark.parametrize("odd", [False, True])
def test_mxfp8(tmp_path: Path, odd: bool) -> None:
    codes = random(1).integers(0, 127, (ROWS, COLUMNS), np.uint8)
    scales = exponents((ROWS, COLUMNS // 32))
    if odd:
        codes[5, 7], scales[9, 3] = 0x7F, 255
    tensors = {"a.weight": ("F8_E4M3", codes), "a.weight_scale": scales}
    found, values, elements = opened(tmp_path / "m", tensors)
    assert np.array_equal(values, E4M3[codes] * grouped(E8M0[scales], 32, COLUMNS), equal_nan=True)
    assert len(elements.codes().values) == 1 << 16
    assert found.nan == (33 if odd else 0)
    same(found, values)


def test_mxfp4(tmp_path: Path) -> None:
    codes, scales = random(1).integers(0, 16, (ROWS, COLUMNS), np.uint8), exponents((ROWS, COLUMNS // 32))
    found, values, elements = opened(tmp_path / "m", {"a.weight": low_first(codes), "a.weight_scale": scales})
    assert np.array_equal(values, E2M1[codes] * grouped(E8M0[scales], 32, COLUMNS))
    assert len(elements.codes().values) == 1 << 12
    same(found, values)


def test_nvfp4_in_tiles_with_a_second_scale(tmp_path: Path) -> None:
    codes = random(1).integers(0, 16, (ROWS, COLUMNS), np.uint8)
    scales = random(2).integers(8, 0x7F, (ROWS, COLUMNS // 16), np.uint8)
    second = np.array(0.0004, np.float32)
    tensors = {
        "a.weight": high_first(codes),
        "a.weight_scale": ("F8_E4M3", swizzled(scales)),
        "a.weight_scale_2": second,
        "a.comfy_quant": np.frombuffer(b'{"format": "nvfp4"}', np.uint8),
    }
    found, values, elements = opened(tmp_path / "m", tensors)
    assert np.array_equal(values, E2M1[codes] * grouped(E4M3[scales] * second, 16, COLUMNS))
    assert len(elements.codes().values) == 1 << 12
    same(found, values)


@pytest.mark.parametrize("shape", [(ROWS, COLUMNS), (700, 900), (3, 256, 384), (3, 200, 384), (40, 9000), (1, 5000)])
@pytest.mark.parametrize("tall", [128, 64, 0])
def test_blocks_and_rows_of_fp8(tmp_path: Path, shape: tuple[int, ...], tall: int) -> None:
    codes = random(1).integers(0, 127, shape, np.uint8)
    wide = tall or shape[-1]
    scales = random(2).uniform(0.001, 0.01, (*shape[:-2], -(-shape[-2] // (tall or 1)), -(-shape[-1] // wide)))
    scales = scales.astype(np.float32)
    tensors = {"a.weight": ("F8_E4M3", codes), "a.weight_scale_inv": scales}
    found, values, elements = opened(tmp_path / "m", tensors)
    spread = np.repeat(np.repeat(scales, tall or 1, -2)[..., : shape[-2], :], wide, -1)[..., : shape[-1]]
    assert np.array_equal(values, E4M3[codes] * spread)
    even = len(shape) == 2 or not tall or shape[-2] % tall == 0  # else rows of scales begin at odd distances
    assert (elements.tallying() is not None) == (
        (min(tall, shape[-2]) * tall >= 2048 or (shape[-1] >= 2048 and not tall)) and even
    )
    same(found, values)


def test_codes_that_are_no_numbers_are_counted_with_the_rest(tmp_path: Path) -> None:
    codes = random(1).integers(0, 127, (ROWS, COLUMNS), np.uint8)
    codes[3, 4] = codes[700, 9] = 0x7F
    scales = random(2).uniform(0.001, 0.01, (6, 4)).astype(np.float32)
    scales[2, 1] = np.inf
    found, values, elements = opened(tmp_path / "m", {"a.weight": ("F8_E4M3", codes), "a.weight_scale_inv": scales})
    assert elements.tallying() is not None
    assert found.nan > 2
    assert found.inf > 0
    same(found, values)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("stack", [(), (3,)])
def test_columns_that_name_their_groups_have_their_scales_and_zeros(
    tmp_path: Path, stack: tuple[int, ...], kind: type[np.floating]
) -> None:
    draw = random(1)
    codes = draw.integers(0, 16, (*stack, COLUMNS, ROWS), np.uint8)
    zeros = draw.integers(1, 16, (*stack, 8, ROWS), np.uint8)
    scales = draw.uniform(0.001, 0.01, (*stack, 8, ROWS)).astype(kind)
    order = draw.permutation(np.arange(COLUMNS) // 64).astype(np.int32)
    tensors = {
        "a.qweight": down(codes, 4),
        "a.qzeros": words(zeros - np.uint8(1), 4),
        "a.scales": scales,
        "a.g_idx": order,
    }
    config = quantized_by(quant_method="gptq", bits=4, checkpoint_format="gptq")
    with weightmap.open(checkpoint(tmp_path / "m", tensors, config)) as model:
        weight = model.composed["a.weight"]
        values = weight.array()
        less = codes.astype(np.float32) - zeros[..., order, :].astype(np.float32)
        assert np.array_equal(values, np.swapaxes(less * scales.astype(np.float32)[..., order, :], -1, -2))
        same(weight.statistics(), values)


def test_a_few_columns_are_read_whose_groups_begin_late(tmp_path: Path) -> None:
    draw = random(5)
    codes = draw.integers(0, 16, (COLUMNS, ROWS), np.uint8)
    order = (np.arange(COLUMNS)[::-1] // 64).astype(np.int32)
    scales = draw.uniform(0.001, 0.01, (8, ROWS)).astype(np.float16)
    zeros = draw.integers(1, 16, (8, ROWS), np.uint8)
    tensors = {"a.qweight": down(codes, 4), "a.qzeros": words(zeros - np.uint8(1), 4), "a.scales": scales}
    config = quantized_by(quant_method="gptq", bits=4, checkpoint_format="gptq")
    with weightmap.open(checkpoint(tmp_path / "m", tensors | {"a.g_idx": order}, config)) as model:
        weight = model.composed["a.weight"]
        values = (codes.astype(np.float32) - zeros[order].astype(np.float32)) * scales.astype(np.float32)[order]
        for begin, end in ((0, 10), (60, 70), (100, 130), (500, 512)):
            assert np.array_equal(weight[:, begin:end], values[begin:end].T)


def kinds() -> dict[str, dict[str, Any]]:
    draw = random(4)
    codes = draw.integers(0, 16, (2, COLUMNS, 96), np.uint8)
    scales = (draw.uniform(0.001, 0.01, (2, 8, 96)) * draw.choice([-1, 1], (2, 8, 96))).astype(np.float16)
    turned = {"a.qweight": down(codes, 4), "a.scales": scales}
    turned["a.qzeros"] = words(draw.integers(0, 15, (2, 8, 96), np.uint8), 4)
    offsets = draw.normal(0, 0.1, (ROWS, 8)).astype(np.float32)
    affine = {"a.weight": words(draw.integers(0, 256, (ROWS, COLUMNS), np.uint8), 8).view(np.uint32)}
    affine |= {"a.scales": np.abs(offsets), "a.biases": offsets}
    channel = {"a._weight_qdata": draw.integers(-128, 128, (ROWS, COLUMNS), np.int8)}
    channel |= {
        "a._weight_scale": np.abs(offsets[:, :1]),
        "a._weight_zero_point": np.arange(ROWS, dtype=np.int8)[:, None],
    }
    signed = {"a.weight": channel["a._weight_qdata"], "a.weight_scale": offsets[:, :1]}
    return {"turned": turned, "affine": affine, "channel": channel, "signed": signed}


@pytest.mark.parametrize("kind", ["turned", "affine", "channel", "signed"])
def test_scales_and_zeros_say_between_which_values_rows_lie(tmp_path: Path, kind: str) -> None:
    with weightmap.open(checkpoint(tmp_path / "m", kinds()[kind])) as model:
        weight = model.composed["a.weight"]
        values, spans, found = weight.array(), weight.elements().spans(), weight.statistics()
    assert spans is not None
    flat, height = values.reshape(-1), spans.high - spans.low
    assert (spans.edges[0], spans.edges[-1]) == (0, values.size)
    assert (np.minimum.reduceat(flat, spans.edges[:-1]) >= spans.low).all()
    assert (np.maximum.reduceat(flat, spans.edges[:-1]) <= spans.high).all()
    assert (
        np.maximum.reduceat(flat, spans.edges[:-1]) - np.minimum.reduceat(flat, spans.edges[:-1]) > height / 2
    ).all()
    same(found, values)
