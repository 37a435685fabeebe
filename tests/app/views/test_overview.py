from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from pytestqt.qtbot import QtBot
from support.build import gguf
from support.sections import read, rows_of
from support.tensors import stored

import weightmap
from tensorloupe.views import ViewContext
from tensorloupe.views.overview import Overview


@pytest.fixture
def values() -> np.ndarray:
    made = np.random.default_rng(7).normal(size=(300, 400)).astype(np.float32)
    made[:10] = 0
    return made


@pytest.fixture
def view(make, settle, tmp_path: Path, values: np.ndarray) -> Overview:  # type: ignore[no-untyped-def]
    made = make("overview")
    made.show_tensor(stored(tmp_path, values, "blk.0.$x$.weight"))
    settle(made)
    return made


def drag(qtbot: QtBot, view: Overview, x: float, to: float, y: float) -> None:
    picture = view.picture
    qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))
    qtbot.mouseMove(picture, QPoint(round((x + to) / 2), round(y)))
    qtbot.mouseMove(picture, QPoint(round(to), round(y)))
    qtbot.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=QPoint(round(to), round(y)))


def test_numbers_are_those_of_numpy(view: Overview, values: np.ndarray) -> None:
    shown = read(view.numbers)
    assert shown["zeros"] == "4,000" and shown["NaN"] == "0" and shown["values"] == "120,000"
    assert shown["bytes"] == "480,000" and shown["bytes per value"] == "4"
    exact = {label: row.exact for label, row in rows_of(view.numbers).items()}
    assert float(exact["minimum"]) == float(values.min())
    assert float(exact["standard deviation"]) == pytest.approx(float(values.std(dtype=np.float64)), rel=1e-6)
    assert view.numbers.sections[0].mark == "exact"


def test_the_histogram_counts_as_numpy_does_and_is_drawn(view: Overview, values: np.ndarray) -> None:
    assert view.counted is not None and view.stage.state == "picture"
    expected, _ = np.histogram(values.astype(np.float64), view.counted.bins.edges)
    assert view.counted.histogram.counts.tolist() == expected.tolist()
    low, high = view.limits
    beyond = int(((values < low) | (values > high)).sum())
    assert view.outside == beyond
    assert f"{beyond:,} values" in view.controls.outside.text()
    grabbed = view.picture.grab().toImage()
    rect = view.picture.place(False)
    colors = {
        grabbed.pixelColor(x, y).name()
        for x in range(grabbed.width())
        for y in (round(rect.bottom) - 4, round(rect.top) - 10, round(rect.bottom) - 40)
    }
    theme = view.context.theme.colors
    assert {theme.series, theme.outside, theme.accent} <= colors


def test_a_limit_is_dragged_and_stays_until_reset(qtbot: QtBot, settle, view: Overview, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    rect = view.picture.place(False)
    assert rect is not None and view.limits is not None
    before = view.limits
    x = view.picture.position(before[1])
    drag(qtbot, view, x, x - 120, rect.top + rect.height / 2)
    low, high = view.limits
    assert low == before[0] and high < before[1]
    span = view.counted.bins.span
    assert high == pytest.approx(before[1] - 120 / rect.width * span.width, abs=span.width / 200)
    settle(view)
    assert view.outside == int(((values < low) | (values > high)).sum())
    assert view.controls.share.currentText() == "by hand"
    said = view.picture.accessibleDescription()
    assert f"to {high:g}" in said and view.controls.outside.text() in said
    view.show_tensor(view.tensor)
    settle(view)
    assert view.limits == (low, high)
    view.reset()
    settle(view)
    assert view.limits == before and view.controls.share.currentText() == "0.1 – 99.9 %"


def test_the_band_of_the_strip_moves_both_limits_and_the_window(qtbot: QtBot, settle, view: Overview) -> None:  # type: ignore[no-untyped-def]
    strip = view.picture.place(True)
    assert strip is not None
    view.controls.share.choose(1)
    settle(view)
    low, high = view.limits
    middle = (view.picture.position(low, True) + view.picture.position(high, True)) / 2
    drag(qtbot, view, middle, middle + 40, strip.top + 5)
    settle(view)
    moved_low, moved_high = view.limits
    assert moved_low > low and moved_high > high
    assert view.counted.bins.span.lo <= moved_low and moved_high <= view.counted.bins.span.hi


def test_arrow_keys_move_limits_by_a_bin(qtbot: QtBot, settle, view: Overview) -> None:  # type: ignore[no-untyped-def]
    low, high = view.limits
    width = view.counted.bins.span.width / view.counted.bins.count
    qtbot.keyClick(view.picture, Qt.Key.Key_Left)
    assert view.limits[0] == low and view.limits[1] == pytest.approx(high - width, abs=width)
    assert view.limits[1] < high
    qtbot.keyClick(view.picture, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.limits[0] > low
    settle(view)


def test_counts_bins_and_limits_can_be_chosen(settle, view: Overview, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.controls.bins.choose(0)
    view.controls.share.choose(2)
    settle(view)
    assert view.counted.bins.count == 65 and view.outside == 0
    assert view.limits == (float(values.min()), float(values.max()))
    view.controls.counts.choose(1)
    settle(view)
    assert view.picture.images.scene.log is False


def test_another_theme_draws_anew_and_keeps_the_limits(settle, view: Overview) -> None:  # type: ignore[no-untyped-def]
    before = view.limits
    view.context.theme.set_mode("dark")
    view.refresh_theme()
    settle(view)
    assert view.limits == before
    assert view.picture.images.look.colors is view.context.theme.colors
    rect = view.picture.place(False)
    x = round(rect.left + rect.width / 2 + 20)
    assert view.picture.grab().toImage().pixelColor(x, round(rect.bottom) - 5) == QColor(
        view.context.theme.colors.series
    )


def test_narrow_views_set_the_numbers_below(settle, view: Overview) -> None:  # type: ignore[no-untyped-def]
    view.resize(720, 420)
    settle(view)
    assert view.numbers.flow and not view.body.wide
    assert view.stage.geometry().width() == 720
    assert view.picture.images.look.width == view.picture.width()
    view.resize(1100, 700)
    settle(view)
    assert not view.numbers.flow and view.stage.geometry().width() < 900


def test_pictures_are_saved_with_the_name_letter_by_letter(
    qtbot: QtBot, settle, view: Overview, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    for ending in ("svg", "png"):
        path = str(tmp_path / f"picture.{ending}")
        with qtbot.waitSignal(view.written, timeout=20_000) as saved:
            view.save_picture(path)
        assert saved.args == [path, None]
    text = (tmp_path / "picture.svg").read_text()
    assert "blk.0.$x$.weight" in text and "exact zeros" in text and "outside" in text
    assert QImage(str(tmp_path / "picture.png")).width() == 1920
    with qtbot.waitSignal(view.written, timeout=20_000) as saved:
        view.save_picture(str(tmp_path / "no such folder" / "x.png"))
    assert isinstance(saved.args[1], OSError)


def test_numbers_and_picture_go_to_the_clipboard(view: Overview, values: np.ndarray) -> None:
    view.copy_values()
    lines = dict(line.split("\t") for line in QGuiApplication.clipboard().text().splitlines())
    assert float(lines["maximum"]) == float(values.max())
    view.copy_picture()
    assert QGuiApplication.clipboard().image().size() == view.picture.size() * view.picture.devicePixelRatioF()


def test_nothing_selected_says_what_to_do(settle, view: Overview) -> None:  # type: ignore[no-untyped-def]
    view.show_tensor(None)
    settle(view)
    assert view.stage.notice.what.text() == "No tensor selected. Pick one on the left, or press Ctrl+P."
    assert not view.has_picture
    with pytest.raises(ValueError, match="no histogram"):
        view.save_picture("x.png")


def test_only_the_last_selected_tensor_is_shown(settle, view: Overview, tmp_path: Path, context: ViewContext) -> None:  # type: ignore[no-untyped-def]
    tensors = [stored(tmp_path, np.full((50, 50), n, np.float32)) for n in range(1, 8)]
    for tensor in tensors:
        view.show_tensor(tensor)
    settle(view)
    assert read(view.numbers)["minimum"] == "7"
    assert view.tensor is tensors[-1]


def test_a_tensor_that_cannot_be_read_has_no_picture_to_save(settle, view: Overview, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert view.has_picture
    told: list[bool] = []
    view.picture_changed.connect(lambda: told.append(view.has_picture))
    (tmp_path / "cut.gguf").write_bytes(gguf(tensors=[("w", (64,), 0, bytes(256))])[:-100])
    view.show_tensor(weightmap.open(tmp_path / "cut.gguf").tensors["w"])
    settle(view)
    assert view.stage.state == "failed" and told[-1:] == [False]
    view.show_tensor(stored(tmp_path, np.eye(9, dtype=np.float32)))
    settle(view)
    assert view.has_picture and told[-1]
