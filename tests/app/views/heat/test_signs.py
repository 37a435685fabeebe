"""Where colours run from zero: what cannot be below it, and layers of weights that are not; where blocks have borders."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor
from support.composed import checkpoint, quantized_by
from support.gptq import Made
from support.tensors import in_blocks, stored

import weightmap
from tensorloupe.style.colormaps import size_map, value_map
from tensorloupe.views import View
from tensorloupe.views.heat import bar, cells, limits, loading
from tensorloupe.views.heat.cells import Request
from tensorloupe.views.heat.frame import BAR_LEAST
from tensorloupe.views.heat.limits import decode_within
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.heatmap import HeatmapView

GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 64, "sym": False, "desc_act": False}


@pytest.fixture
def weight(tmp_path: Path) -> weightmap.Composed:
    folder = checkpoint(tmp_path / "gptq", Made(4).tensors(1), quantized_by(**GPTQ))
    return weightmap.open(folder).composed["a.weight"]


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("layer", ["codes", "zeros", "scales"])
def test_layers_without_a_value_below_zero_have_one_hue(
    make: Callable[..., View],
    settle: Callable[[View], None],
    weight: weightmap.Composed,
    layer: str,
    quick: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not quick:  # the picture comes first, and goes by a sample
        monkeypatch.setattr(loading, "QUICK", 1)
    view = make("heatmap")
    assert isinstance(view, HeatmapView)
    view.show_tensor(weight.layer(layer))
    settle(view)
    current = view.loading.current
    assert current is not None and current.request.sizes and view.picture.frame.sizes
    assert view.controls.shares.currentText() == "99 %"
    place = np.unravel_index(int(current.values.argmax()), current.values.shape)
    assert QColor(current.image.pixel(int(place[1]), int(place[0]))) == QColor(*size_map(False)[255])
    view.picture.point_at(int(place[0]), int(place[1]))
    assert view.side.head._reading.color == tuple(size_map(False)[255])
    view.show_tensor(weight)
    settle(view)
    assert view.loading.sizes is False and view.controls.shares.currentText() == "± 99 %"


@pytest.mark.parametrize(("least", "sizes"), [(0, True), (-1, False)])
def test_what_is_not_known_yet_is_taken_from_a_sample(tmp_path: Path, least: int, sizes: bool) -> None:
    tensor = stored(tmp_path, np.arange(least, 19, dtype=np.float32).reshape(-1, 1))
    view = Viewport.fitted(*tensor.shape, 100, 100)
    asked = Request(tensor, (), view, "max_abs", 1.0, 1.0, False, sizes=None)
    assert decode_within(asked, lambda done, total: True).request.sizes is sizes


@pytest.mark.parametrize(("dtype", "sizes"), [("bool", True), ("uint64", True), ("int32", False), ("float32", False)])
def test_tensors_go_by_their_type_not_by_their_values(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path, dtype: str, sizes: bool
) -> None:
    view = make("heatmap")
    view.show_tensor(stored(tmp_path, np.ones((4, 5), dtype)))
    settle(view)
    assert bool(view.loading.sizes) is sizes
    top = (size_map if sizes else value_map)(False)[255]
    assert QColor(view.loading.current.image.pixel(2, 2)) == QColor(*top)


def test_borders_are_offered_where_there_are_blocks(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path
) -> None:
    view = make("heatmap")
    borders = view.controls.borders
    for tensor, why in (
        (in_blocks(tmp_path, "Q8_0", (4, 64)), ""),
        (stored(tmp_path, np.ones((4, 5), np.float32)), "F32 has no blocks: each value is stored by itself."),
    ):
        view.show_tensor(tensor)
        settle(view)
        assert borders.isEnabled() is (why == "") and (not why or borders.toolTip() == why)
        assert borders.isChecked()  # as it was, for the next tensor with blocks
        assert bool(view.picture.frame.block) is (why == "")


def test_the_field_for_the_limit_has_room_in_a_window_of_1366_px(make: Callable[..., View]) -> None:
    controls = make("heatmap", 913).controls  # what the tree leaves
    controls.scale.setText("12 × 3.4 values per px")
    controls.fit(controls.scale)
    assert controls.limit.isVisible() and controls.borders.isVisible() and controls.position.isVisible()
    controls._menu.aboutToShow.emit()
    assert [action.text() for action in controls._menu.actions()] == ["Pixel", "Reset"]


@pytest.mark.parametrize("shape", [(20, 400), (400, 20)])
def test_the_colour_bar_is_no_higher_than_the_picture(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path, shape: tuple[int, int]
) -> None:
    view = make("heatmap", 1400, 1000)
    view.show_tensor(stored(tmp_path, np.ones(shape, np.float32)))
    settle(view)
    bar, image = view.picture.places().bar, view.picture.image_rect()
    assert (bar.top() >= image.top() and bar.height() == BAR_LEAST) or bar.bottom() < image.bottom()


def test_of_complex_values_the_bar_counts_magnitudes(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_PIECE", 100)
    rng = np.random.default_rng(3)
    values = (rng.normal(size=(30, 40)) + 1j * rng.normal(size=(30, 40))).astype(np.complex64)
    values[2, 3], values[4, 5] = complex(np.nan, 1), complex(np.inf, 0)
    view = make("heatmap")
    assert isinstance(view, HeatmapView)
    view.show_tensor(stored(tmp_path, values))
    settle(view)
    beyond, limit = view.loading.beyond, view.loading.limit
    assert beyond is not None and limit is not None and not beyond.sampled
    sizes = np.abs(values[np.isfinite(values)])
    assert (beyond.above, beyond.below) == ((sizes > limit).sum(), 0)
    assert (beyond.total, beyond.nan, beyond.inf) == (1200, 1, 1)
    assert view.loading.sizes  # no magnitude lies below zero


@pytest.mark.parametrize("shape", [(), (7,), (3, 250), (2, 3, 4)])
def test_complex_values_of_any_shape_are_counted_in_pieces(
    tmp_path: Path, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_PIECE", 5)
    values = np.asarray(np.random.default_rng(4).normal(size=shape) * (1 + 1j)).astype(np.complex64)
    beyond = limits._count_magnitudes(stored(tmp_path, values), 1.0, lambda done, total: done <= total)
    assert (beyond.above, beyond.total, beyond.nan) == (int((np.abs(values) > 1).sum()), values.size, 0)


def test_until_all_values_are_read_the_bar_counts_a_sample_and_says_so(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (loading, limits):
        monkeypatch.setattr(module, "QUICK", 1)
    monkeypatch.setattr(cells, "SOON", 1)
    monkeypatch.setattr(cells, "FIRST", 10_000)
    values = np.random.default_rng(5).normal(size=(3000, 400)).astype(np.float32)
    view = make("heatmap")
    assert isinstance(view, HeatmapView)
    told, words, counted, read = [], [], threading.Event(), loading.summarize
    monkeypatch.setattr(loading, "summarize", lambda *of: counted.wait(20) and read(*of))

    def changed() -> None:
        if view.loading.beyond is not None:
            told.append(view.loading.beyond)
            counted.set()

    view.loading.changed.connect(changed)
    drawn = bar.QPainter.drawText
    monkeypatch.setattr(bar.QPainter, "drawText", lambda *of: words.append(of[-1]) or drawn(*of))
    view.show_tensor(stored(tmp_path, values))
    settle(view)
    assert told[0].sampled and not told[-1].sampled
    assert 0 < told[0].above <= told[0].total <= values.size
    frame = replace(view.picture.frame, beyond=told[0])
    words.clear()
    view.picture.show_frame(frame)
    view.picture.grab()
    assert words.count("of a sample") == 2 and any(word.startswith("≈ ") for word in words)
    assert "NaN …" in words  # a sample does not tell
