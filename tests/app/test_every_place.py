"""Drops count on whatever is under the pointer, and every view has an answer to every kind of tensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QLocale, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget
from support.build import safetensors
from support.tensors import DTYPES

from tensorloupe.files import ours
from tensorloupe.views.stage import Stage
from tensorloupe.window.window import Window

ONE = np.float32(1)
KINDS = {
    "all NaN": np.full((4, 6), np.nan, np.float32),
    "one NaN": np.array([[1, 2, np.nan], [3, 4, 5]], np.float32),
    "Inf": np.array([[1, np.inf, -np.inf], [0, 4, 5]], np.float32),
    "all Inf": np.full((2, 2), np.inf, np.float16),
    "constant": np.full((3, 5), 2.5, np.float32),
    "empty": np.zeros((0, 640), np.float32),
    "empty inside": np.zeros((4, 0, 3), np.float32),
    "scalar": np.array(3.25, np.float32),
    "bool": np.arange(600).reshape(20, 30) % 3 == 0,
    "last bit": np.array([[ONE, np.nextafter(ONE, 2 * ONE)]], np.float32),
    "65504": np.array([[65504, -65504], [1, 0]], np.float16),
    "1.7e308": np.array([[1.7e308, -1.7e308], [1e308, 0]]),
    "1e-42": np.array([[1e-42, -1e-42], [0, 5e-43]], np.float32),
    "int64": np.array([[2**63 - 1, -(2**63)], [2**53 + 1, 7]], np.int64),
    "uint64": np.array([[2**64 - 1, 0]], np.uint64),
    "complex": np.array([[1 + 2j, -1j]], np.complex64),
    "convolution": np.ones((4, 3, 2, 3, 3), np.float32) * np.arange(3, dtype=np.float32),
    "experts": np.random.default_rng(0).normal(size=(8, 16, 24)).astype(np.float32),
}


@pytest.fixture(params=[False, True], ids=["alone", "compared"])
def kinds_file(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path | None]:
    def write(name: str, factor: float) -> Path:
        path = tmp_path / name
        changed = {
            key: (values.astype(np.float64) * factor).astype(values.dtype) if values.dtype.kind == "f" else values
            for key, values in KINDS.items()
        }
        stored = [(key, DTYPES[values.dtype.name], values.shape, values.tobytes()) for key, values in changed.items()]
        path.write_bytes(safetensors(stored))
        return path

    return write("kinds.safetensors", 1.0), write("other.safetensors", 0.99) if request.param else None


def test_every_view_of_every_kind_of_values_is_a_picture_or_a_sentence(qtbot, opened, window, kinds_file):
    path, reference = kinds_file
    window.document.wanted_reference = None if reference is None else str(reference)
    opened(path)
    for name in KINDS if reference is None else list(KINDS)[::3]:
        window.explorer.tree.select(window.document.model.tensors[name])
        for position, key in enumerate(window.explorer.area.all_views()):
            window.explorer.area.open_tab(position)
            qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
            view = window.explorer.area.view
            if view is None:
                said = [label.text() for label in window.explorer.area.findChildren(QLabel) if label.isVisible()]
                assert any(text.endswith(".") for text in said), (name, key)
                continue
            for stage in view.findChildren(Stage):
                if stage.isVisible():
                    qtbot.waitUntil(lambda stage=stage: stage.state != "running", timeout=20_000)
                    assert stage.state in ("picture", "sentence"), (name, key, stage.notice.cause.toPlainText())
                    assert stage.state == "picture" or stage.notice.what.text().endswith("."), (name, key)


def everything_said(window: QWidget) -> set[str]:
    """Every text with a digit that can be seen or heard whole."""
    said: set[str] = set()
    for widget in window.findChildren(QWidget):
        texts = [widget.accessibleDescription(), widget.accessibleName()]
        if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
            texts.append(widget.text())
        said |= set(texts) if widget.isVisible() else set()
    return {text for text in said if any(sign.isdigit() for sign in text) and " ms" not in text and "…" not in text}


def test_numbers_are_the_same_in_a_locale_with_commas(qtbot, opened, request):
    usual = QLocale()
    request.addfinalizer(lambda: QLocale.setDefault(usual))

    def said_by(window: Window, key: str) -> set[str]:
        window.do(f"view {key}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        return everything_said(window)

    found = []
    for locale in (QLocale.c(), QLocale(QLocale.Language.German, QLocale.Country.Germany)):
        QLocale.setDefault(locale)
        window = opened(ours.SAMPLE)
        window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
        found.append([said_by(window, key) for key in ("overview", "heatmap", "blocks", "values")])
        window.do("close")
        window.contents = None
    for plain, german in zip(*found, strict=True):
        assert plain ^ german == set() and len(plain) > 5


def drop_at(window: QWidget, where: QPointF, path: Path) -> tuple[QDragMoveEvent, QDropEvent]:
    """Drag a file to a place of the window, as the system does: Qt finds out whose it is."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    both = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    held = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where.toPoint(), both, mime, *held)
    move = QDragMoveEvent(where.toPoint(), both, mime, *held)
    drop = QDropEvent(where, both, mime, *held)
    drop.setDropAction(Qt.DropAction.MoveAction)
    for event in (enter, move, drop):
        QApplication.sendEvent(window.windowHandle(), event)
    return move, drop


@pytest.mark.parametrize("page", ["file", "overview", "heatmap", "blocks", "values", "error", "whatif"])
def test_a_drop_is_the_windows_whatever_lies_under_it(qtbot, opened, other_file, page):
    window = opened(ours.SAMPLE)
    if page != "file":
        window.explorer.tree.select(window.document.model.tensors["blk.0.ffn_down.weight"])
        window.do(f"view {page}")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
    tried = set()
    for widget in window.findChildren(QWidget):
        middle = widget.mapTo(window, widget.rect().center()) if widget.isVisible() and not widget.isWindow() else None
        if middle is None or type(widget) in tried or window.childAt(middle) is not widget:
            continue
        tried.add(type(widget))
        move, drop = drop_at(window, QPointF(middle), other_file)
        assert move.isAccepted() and drop.isAccepted(), widget
        assert move.dropAction() == drop.dropAction() == Qt.DropAction.CopyAction, widget
        assert window.strip.isVisible()
        window.strip.hide()
    assert len(tried) > 8 and other_file.exists()
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
