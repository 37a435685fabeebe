"""A view that fails while it is painted is a failed view: the window goes on, and Retry brings it back."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QApplication

from tensorloupe.files import ours
from tensorloupe.panels.bytemap import ByteMap
from tensorloupe.plots.curve_picture import CurvePicture
from tensorloupe.plots.picture import HistogramPicture
from tensorloupe.views.heat.canvas import MatrixCanvas


def boom(*_: object) -> None:
    raise RuntimeError("no <b>paint</b>")


@pytest.mark.parametrize(
    ("key", "kind"), [("overview", HistogramPicture), ("heatmap", MatrixCanvas), ("whatif", CurvePicture)]
)
def test_a_view_that_cannot_be_painted_is_a_failed_view(qtbot, opened, monkeypatch, key, kind):
    window = opened(ours.SAMPLE)
    window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
    window.do(f"view {key}")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    view = window.explorer.area.view
    with monkeypatch.context() as broken:
        broken.setattr(kind, "paint_ring", boom)
        window.grab()
        qtbot.waitUntil(lambda: view.stage.state == "failed")
        for _ in range(3):
            window.grab()
            QApplication.processEvents()
        assert view.stage.notice.what.text() == "This view failed: RuntimeError: no <b>paint</b>"
        assert "boom" in view.stage.notice.cause.toPlainText() and not view.stage.notice.cause.isVisible()
    view.stage.notice.again_button.click()
    qtbot.waitUntil(lambda: window.tasks.idle and view.stage.state == "picture", timeout=20_000)
    window.grab()
    assert view.stage.state == "picture" and view.stage.picture.isVisible()


def test_what_is_no_view_fails_into_the_dialog(qtbot, opened, monkeypatch):
    window = opened(ours.SAMPLE)
    heard = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, reason, trace: heard.append(str(reason)))
    with monkeypatch.context() as broken:
        broken.setattr(ByteMap, "_paint_bars", boom)
        window.grab()
        qtbot.waitUntil(lambda: bool(heard))
    assert heard[0] == "no <b>paint</b>" and window.isVisible()
