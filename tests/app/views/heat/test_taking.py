"""The heatmap taken along: as a picture in a file, as values on the clipboard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QColor, QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from tensorloupe.views.heatmap import HeatmapView


def test_pictures_are_saved(qtbot: QtBot, settle, view: HeatmapView, tmp_path: Path, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.context.theme.set_mode("dark")
    view.refresh_theme()
    view.go_to(400, 1000)
    settle(view)
    for ending in ("png", "svg"):
        with qtbot.waitSignal(view.written, timeout=20_000) as saved:
            view.save_picture(str(tmp_path / f"x.{ending}"))
        assert saved.args[1] is None
    image = QImage(str(tmp_path / "x.png"))
    assert image.width() == 2 * view.picture.width()
    assert image.pixelColor(2, 2) == QColor("#ffffff")
    text = (tmp_path / "x.svg").read_text()
    assert "blk.0.$x$.weight" in text and "data:image/png;base64" in text and "900 × 2,000" in text
    for ending in ("png", "svg"):
        with qtbot.waitSignal(view.written, timeout=20_000) as saved:
            view.save_picture(str(tmp_path / "no such folder" / f"x.{ending}"))
        assert isinstance(saved.args[1], OSError)


def test_the_values_in_view_go_to_the_clipboard(settle, view: HeatmapView, values: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    view.go_to(400, 1000)
    settle(view)
    view.copy_values()
    settle(view)
    current = view.loading.current
    (r0, r1), (c0, c1) = current.rows, current.columns
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == r1 - r0
    assert np.array_equal(np.array(lines[0].split("\t"), np.float32), values[r0, c0:c1])
