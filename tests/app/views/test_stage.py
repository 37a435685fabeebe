from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from support.build import gguf

import weightmap
from tensorloupe.style.theme import Theme
from tensorloupe.views import ViewContext
from tensorloupe.views.stage import Stage


@pytest.fixture
def stage(qtbot: QtBot) -> Stage:
    made = Stage(Theme("light"), QWidget())
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


def test_nothing_changes_for_the_first_100_ms(qtbot: QtBot, stage: Stage) -> None:
    stage.show_running("Decoding blk.0")
    assert stage.notice.isHidden()
    qtbot.waitUntil(stage.notice.isVisible, timeout=2000)
    assert stage.notice.what.text() == "Decoding blk.0" and stage.notice.cancel_button.isVisible()
    with qtbot.waitSignal(stage.cancel):
        qtbot.mouseClick(stage.notice.cancel_button, Qt.MouseButton.LeftButton)
    stage.show_picture()
    assert stage.notice.isHidden()


def test_quick_work_never_dims(qtbot: QtBot, stage: Stage) -> None:
    stage.show_running("Decoding")
    stage.show_picture()
    qtbot.wait(150)
    assert stage.notice.isHidden()


def test_a_failure_says_what_and_folds_its_cause(qtbot: QtBot, stage: Stage) -> None:
    try:
        raise RuntimeError("the disk <b>went</b> away")
    except RuntimeError as reason:
        stage.show_failed(reason)
    notice = stage.notice
    assert "RuntimeError: the disk <b>went</b> away" in notice.what.text()
    assert notice.what.textFormat() == Qt.TextFormat.PlainText
    assert notice.cause.isHidden() and notice.again_button.text() == "Retry"
    qtbot.mouseClick(notice.cause_button, Qt.MouseButton.LeftButton)
    assert notice.cause.isVisible() and "Traceback" in notice.cause.toPlainText()
    with qtbot.waitSignal(stage.again):
        qtbot.mouseClick(notice.again_button, Qt.MouseButton.LeftButton)


def test_of_a_file_that_changed_another_look_is_offered_and_not_the_same_try(qtbot: QtBot, stage: Stage) -> None:
    changed = weightmap.Finding(severity=weightmap.Severity.ERROR, code="file_changed", message="The file changed.")
    stage.show_failed(weightmap.WeightFileError(changed))
    assert stage.notice.again_button.text() == "Reload"
    with qtbot.assertNotEmitted(stage.again), qtbot.waitSignal(stage.notice.reload):
        qtbot.mouseClick(stage.notice.again_button, Qt.MouseButton.LeftButton)
    stage.show_cancelled("Cancelled.")
    with qtbot.waitSignal(stage.again):
        qtbot.mouseClick(stage.notice.again_button, Qt.MouseButton.LeftButton)
    stage.show_failed(weightmap.WeightFileError(changed))
    stage.notice.offer("This takes long.", "Start")
    with qtbot.waitSignal(stage.again):
        qtbot.mouseClick(stage.notice.again_button, Qt.MouseButton.LeftButton)


def test_cancelled_is_not_failed(stage: Stage) -> None:
    stage.show_cancelled("Cancelled.")
    assert stage.state == "cancelled"
    assert stage.notice.again_button.text() == "Resume" and stage.notice.cause_button.isHidden()


@pytest.mark.parametrize("key", ["overview", "heatmap"])
def test_a_tensor_that_cannot_be_read_says_why_in_the_view(make, settle, tmp_path: Path, key: str) -> None:  # type: ignore[no-untyped-def]
    good = np.arange(32, dtype=np.float32).tobytes()
    (tmp_path / "x.gguf").write_bytes(gguf(tensors=[("odd", (4, 8), 139, good), ("good", (4, 8), 0, good)]))
    model = weightmap.open(str(tmp_path / "x.gguf"))
    view = make(key)
    view.show_tensor(model.tensors["odd"])
    settle(view)
    assert view.stage.state == "failed"
    assert view.stage.notice.what.text() == weightmap.printable(model.tensors["odd"].problem.message)
    assert view.stage.notice.advice.text() == model.tensors["odd"].problem.advice
    view.show_tensor(model.tensors["good"])
    settle(view)
    assert view.stage.state == "picture" and view.has_picture


@pytest.mark.parametrize("key", ["overview", "heatmap"])
def test_cancel_and_resume(
    make, settle, tmp_path: Path, context: ViewContext, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, key: str
) -> None:  # type: ignore[no-untyped-def]
    from support.tensors import stored

    from tensorloupe.views import overview
    from tensorloupe.views.heat import loading

    tensor = stored(tmp_path, np.ones((30, 40), np.float32))
    real = overview.summarize

    def slow(tensor: weightmap.Tensor, progress: object) -> object:
        import time

        for step in range(1000):
            time.sleep(0.005)
            if progress(step, 1000) is False:  # type: ignore[operator]
                raise weightmap.Cancelled
        return None

    module = overview if key == "overview" else loading
    monkeypatch.setattr(module, "summarize", slow)
    view = make(key)
    view.show_tensor(tensor)
    qtbot.waitUntil(view.stage.notice.isVisible, timeout=3000)
    qtbot.mouseClick(view.stage.notice.cancel_button, Qt.MouseButton.LeftButton)
    assert view.stage.state == "cancelled"
    monkeypatch.setattr(module, "summarize", real)
    qtbot.mouseClick(view.stage.notice.again_button, Qt.MouseButton.LeftButton)
    settle(view)
    assert view.stage.state == "picture"
