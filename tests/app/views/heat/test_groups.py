"""Groups that share a scale in a weight of several tensors: parted by lines in the heatmap, or why they are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor
from support.build import safetensors
from support.composed import checkpoint, quantized_by
from support.gptq import Made, gptq

import weightmap
from tensorloupe.views import View
from tensorloupe.views.heat.words import without_borders

CODES = np.random.default_rng(1).integers(0, 0x7F, (256, 384), np.uint8)
BLOCKS = quantized_by(quant_method="fp8", weight_block_size=[128, 128])


def fp8(folder: Path, *shape: int, **options: object) -> weightmap.Composed:
    name = "_scale_inv" if options else "_scale"
    tensors = {"a.weight": ("F8_E4M3", CODES), f"a.weight{name}": np.ones(shape, np.float32)}
    return weightmap.open(checkpoint(folder, tensors, options or None)).composed["a.weight"]


def test_blocks_of_rows_and_columns_are_parted_both_ways(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path
) -> None:
    view = make("heatmap", 1300, 700)
    view.show_tensor(fp8(tmp_path / "m", 2, 3, **BLOCKS))
    settle(view)
    view.go_to_element((127, 128))
    settle(view)
    frame, image, area = view.picture.frame, view.picture.grab().toImage(), view.picture.image_rect()
    assert (frame.tall, frame.block, frame.sub, frame.what) == (128, 128, 0, "group")
    assert view.controls.borders.text() == "Group borders" and view.controls.borders.isEnabled()
    assert "move by one group · Enter or double click shows how the value is made" in view.hint
    ink = QColor(view.context.theme.colors.text).lightness() + 30
    across, down = range(round(area.left()) + 2, round(area.right()) - 2), frame.viewport.rows
    dark = [
        np.mean([image.pixelColor(x, round(area.top() + down.at(row))).lightness() < ink for x in across])
        for row in (128, 126)
    ]
    assert dark[0] > 0.95 and dark[1] < 0.2
    view.controls.borders.setChecked(False)
    assert (view.picture.frame.tall, view.picture.frame.block) == (0, 0)


@pytest.mark.parametrize(
    ("shape", "why"),
    [((1,), "One scale is for all of these values."), ((256, 1), "Each row has a scale of its own.")],
)
def test_it_is_said_why_no_groups_are_parted(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path, shape: tuple[int, ...], why: str
) -> None:
    view = make("heatmap")
    view.show_tensor(fp8(tmp_path / "m", *shape))
    settle(view)
    assert not view.controls.borders.isEnabled() and view.controls.borders.toolTip() == why


@pytest.mark.parametrize("order", [False, True])
def test_the_errors_of_a_pair_are_parted_like_its_quantized_weight(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path, order: bool
) -> None:
    quantized = checkpoint(tmp_path / "q", Made(4, order=order).tensors(1), gptq(bits=4))
    with weightmap.open(quantized) as model:
        values = model.composed["a.weight"].array()
    reference = tmp_path / "r.safetensors"
    reference.write_bytes(safetensors([("a.weight", "F32", values.shape, values.tobytes())]))
    view = make("heatmap")
    with weightmap.pair_models(quantized, reference) as pairs:
        [pair] = [one for one in pairs if one.tensor == "a.weight"]
        errors = weightmap.PairValues(pair)
        assert errors.group_shape == (None if order else (1, 64))
        assert weightmap.PairValues(pair, "reference").group_shape == errors.group_shape
        view.show_tensor(errors)
        settle(view)
        borders = view.controls.borders
        assert borders.isEnabled() is not order
        if order:
            assert borders.toolTip() == "gptq has no blocks along the rows."
        else:
            assert (borders.text(), view.picture.frame.block) == ("Group borders", 64)


@pytest.mark.parametrize("order", [False, True])
def test_columns_that_share_a_scale_are_parted_only_where_they_are_neighbours(tmp_path: Path, order: bool) -> None:
    folder = checkpoint(tmp_path / "m", Made(4, order=order).tensors(1), gptq(bits=4))
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        assert weight.group_shape == (None if order else (1, 64))
        why = without_borders(weight, weight.group_shape or (0, 0))
        assert bool(why) is order and ("side by side" in why) is order
