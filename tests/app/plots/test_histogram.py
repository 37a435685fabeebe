from __future__ import annotations

import gc
import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

import weightmap
from tensorloupe.plots.bins import Bins, Span, bins_over
from tensorloupe.plots.histogram import draw, height_of, heights, save
from tensorloupe.plots.layout import histogram_layout
from tensorloupe.plots.scene import Bars, Look, Scene
from tensorloupe.plots.ticks import value_ticks
from tensorloupe.style.colors import DARK, LIGHT, Colors


def bars(values: np.ndarray, bins: Bins) -> Bars:
    return Bars(bins, np.histogram(values, bins.edges)[0], tuple(value_ticks(bins.span.lo, bins.span.hi, 600, 7)))


@pytest.fixture
def scene(qapp: QApplication) -> Scene:
    values = np.random.default_rng(5).normal(size=50_000)
    values[:3000] = 0
    return Scene(bars(values, bins_over(-3, 3, 65)), bars(values, bins_over(-5, 5, 65)), True, 3000)


def look(colors: Colors = LIGHT, ratio: float = 1.0) -> Look:
    return Look(700, 520, ratio, "DejaVu Sans", 12.0, colors)


def column(image: QImage, x: float, top: float, bottom: float, color: str) -> int:
    return sum(image.pixelColor(round(x), y) == QColor(color) for y in range(round(top), round(bottom)))


def test_heights_follow_the_counts() -> None:
    counts = np.array([0, 1, 10, 100], np.int64)
    tall, top = heights(counts, True)
    assert tall[0] == 0 and tall[1] > 0
    assert tall[3] - tall[2] == pytest.approx(tall[2] - tall[1])
    assert height_of(100, top, True) == pytest.approx(tall[3])
    straight, top = heights(counts, False)
    assert straight.tolist() == (counts / top).tolist()


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_both_images_show_each_bar_at_its_height(scene: Scene, colors: Colors) -> None:
    layout = histogram_layout(700, 520, 12.0, 6)
    images = draw(scene, look(colors), layout)
    assert images.layout.strip is not None
    tall = heights(scene.bars.counts, True)[0]
    for k in (5, 20, 50):
        x = layout.main.left + (k + 0.5) / 65 * layout.main.width
        for image, color in ((images.inside, colors.series), (images.outside, colors.outside)):
            drawn = column(image, x, layout.main.top, layout.main.bottom, color)
            assert drawn == pytest.approx(tall[k] * layout.main.height, abs=2.5)


def test_a_limit_on_an_integer_takes_in_its_whole_bar() -> None:
    drawn = bars(np.array([0, 0, 1, 1, 1]), Bins(Span(-0.5, 1.5), 2))
    assert Scene(drawn, drawn, True, 2, whole=True).within((0.0, 1.0)) == (0.0, 1.0)
    assert Scene(drawn, drawn, True, 2, whole=True).within((0.5, 1.5), strip=True) == (0.5, 1.0)
    assert Scene(drawn, drawn, True, 2).within((0.0, 1.0)) == (0.25, 0.75)


def test_a_picture_that_nobody_waits_for_is_given_up(scene: Scene) -> None:
    asked: list[tuple[int, int]] = []

    def enough(done: int, total: int) -> bool:
        asked.append((done, total))
        return done < 1

    with pytest.raises(weightmap.Cancelled):
        draw(scene, look(), histogram_layout(700, 520, 12.0, 6), enough)
    assert asked == [(0, 3), (1, 3)]


def test_the_image_has_the_pixels_of_the_screen(scene: Scene) -> None:
    images = draw(scene, look(ratio=2.0), histogram_layout(700, 520, 12.0, 6))
    assert (images.inside.width(), images.inside.height()) == (1400, 1040)
    assert images.inside.devicePixelRatio() == 2.0


def test_saved_pictures_say_what_they_show(scene: Scene, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    save(scene, (-2.0, 2.0), "a $x$ \u6f22\x07", "F32 · 50,000", look(), str(path))
    text = re.sub(r"<[^>]*>", "", path.read_text())
    for words in ("a $x$", "F32 · 50,000", "3,000 exact zeros", "values per bin (log)", "value", "−2", "10,000"):
        assert words in text
    save(scene, None, "t", "F32", look(ratio=2.0), str(tmp_path / "x.png"))
    image = QImage(str(tmp_path / "x.png"))
    assert (image.width(), image.height()) == (1400, 1040)
    middle = [image.pixelColor(760, y) for y in range(image.height())]
    assert middle.count(QColor(LIGHT.series)) > 300


@pytest.mark.parametrize(("zeros", "said"), [(3000, True), (900, False), (0, False)])
def test_zeros_are_counted_where_their_bar_stands_out(
    qapp: QApplication, tmp_path: Path, zeros: int, said: bool
) -> None:
    values = np.random.default_rng(5).normal(size=50_000)
    values[:zeros] = 0
    drawn = bars(values, bins_over(-3, 3, 65))
    path = tmp_path / "x.svg"
    save(Scene(drawn, drawn, True, zeros), None, "t", "F32", look(), str(path))
    assert ("exact zeros" in path.read_text()) is said


def test_a_strip_only_where_there_is_room() -> None:
    assert histogram_layout(700, 300, 12.0, 6).strip is None
    assert histogram_layout(300, 600, 12.0, 6).strip is None
    assert histogram_layout(700, 600, 12.0, 6).strip is not None


def test_a_figure_leaves_nothing_for_the_garbage_collection(scene: Scene) -> None:
    layout = histogram_layout(700, 520, 12.0, 6)
    draw(scene, look(), layout)
    gc.collect()
    gc.disable()
    try:
        draw(scene, look(), layout)
        assert gc.collect() < 600  # a figure is more than 4,000 objects
    finally:
        gc.enable()


def test_no_tick_label_is_cut_at_the_edge(qapp: QApplication) -> None:
    bins = bins_over(1e-42, 3e-42, 65)
    at_the_end = Bars(bins, np.ones(65, np.int64), ((3e-42, "3.0000e−42"),))
    image = draw(Scene(at_the_end, at_the_end, False, 0), look(), histogram_layout(700, 520, 12.0, 6)).inside
    for x in range(696, 700):
        assert all(image.pixelColor(x, y) == QColor(LIGHT.base) for y in range(520)), x
