"""A reference attached and detached in the window: by key, button and command line; the wrong one; one that cannot be opened."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from support.gestures import press
from support.quantized import original, write

import weightmap
from tensorloupe.__main__ import _parser
from tensorloupe.items.arrangement import SIZE, STATE
from tensorloupe.items.measures import ratio_of, times
from tensorloupe.window.attaching import ERROR_TAB


@pytest.fixture
def stranger(tmp_path):
    """A model that has nothing to do with the others."""
    rng = np.random.default_rng(99)
    return write(tmp_path / "stranger.gguf", {"other.stuff": rng.normal(size=(12, 40)).astype(np.float32)})


def heads(window):
    model = window.explorer.tree.model
    return [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]


def test_ctrl_r_asks_for_a_file_and_every_number_is_that_of_compare(monkeypatch, opened, settled, bad, reference):
    window = opened(bad)
    press(window, "Ctrl+5")
    settled()
    assert not window.status.hint.text()  # there is no head to click yet
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(reference), ""))
    press(window, "Ctrl+R")
    settled()
    assert "head" in window.status.hint.text()
    view, errors = window.explorer.area.view, window.document.comparing.errors
    expected = {pair.tensor: pair for pair in weightmap.compare(bad, reference).pairs}
    assert {pair.tensor: error for pair, error in zip(errors.pairs, errors.errors, strict=True)} == expected
    assert view.ranking.model.rowCount() == len(expected)
    for row, pair in enumerate(errors.pairs):
        wanted = expected[pair.tensor]
        assert errors.values["relative"][row] == wanted.relative_rmse
        assert errors.values["sqnr"][row] == (float("inf") if wanted.identical else wanted.sqnr_db)
        assert errors.values["damage"][row] == wanted.damage
    assert window.settings.get("references", []) == [str(reference)]
    assert window.actions_.by_name["detach"].isEnabled()


def test_the_window_says_how_it_stands_and_detaching_takes_it_back(qtbot, compared, settled, bad, reference):
    view = compared(bad, reference)
    window = view.window()
    corner, tree = window.summary_line, window.explorer.tree
    assert (
        corner.compared.isVisible() and corner.compared.text() == "1 wrong" and corner.compared_mark.status == "error"
    )
    assert heads(window)[SIZE] == "× expected"
    worst = max(weightmap.compare(bad, reference).pairs, key=lambda pair: ratio_of(pair) or 0)
    number = [tensor.name for tensor in tree.model.outline.tensors].index("blk.1.attn_k.weight")
    index = tree.model.index_of(number)
    assert index.siblingAtColumn(SIZE).data() == times(ratio_of(worst)) == tree.model.index(0, SIZE).data()
    assert tree.model.look(index.siblingAtColumn(STATE)).status == "error"
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_k.weight"])
    assert window.explorer.area.subject.word.text() == "wrong, against the reference"
    press(window, "Ctrl+Shift+R")
    settled()
    assert heads(window)[SIZE] == "Size" and corner.compared.isHidden()
    assert window.explorer.area.subject.word.text() in ("no problems", "values checked")
    assert view.pages.currentWidget() is view.empty and not window.actions_.by_name["detach"].isEnabled()
    assert tree.model.look(tree.model.index(0, STATE)).status in ("ok", "running", "unchecked")


def test_without_a_reference_the_view_says_what_it_would_show_and_has_a_button(
    qtbot, monkeypatch, opened, settled, good, reference
):
    window = opened(good)
    window.do("view error")
    settled()
    view = window.explorer.area.view
    assert view.pages.currentWidget() is view.empty and window.document.selected is not None
    assert window.explorer.area.tabs.currentIndex() == ERROR_TAB
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(reference), ""))
    qtbot.mouseClick(view.empty.attach, Qt.MouseButton.LeftButton)
    settled()
    assert view.pages.currentWidget() is view.stage
    assert window.summary_line.compared.text() == "normal" and window.summary_line.compared_mark.status == "ok"


def test_the_command_line_names_a_reference(window, settled, bad, reference):
    options = _parser().parse_args([str(bad), "--reference", str(reference)])
    window.document.wanted_reference = options.reference
    window.open_paths(options.paths)
    settled()
    assert window.summary_line.compared.text() == "1 wrong"
    assert window.document.selected is None  # the file page stays in front
    assert window.document.wanted_reference is None


def test_a_reload_keeps_the_reference_another_file_does_not(opened, compared, settled, bad, good, reference):
    window = compared(bad, reference).window()
    window.opener.reload()
    settled()
    assert window.document.comparing.path == str(reference) and window.summary_line.compared.text() == "1 wrong"
    opened(good)
    settled()
    assert window.document.comparing.stage == "none" and window.summary_line.compared.isHidden()


def test_a_wrong_reference_says_so_with_reasons(qtbot, compared, bad, stranger):
    view = compared(bad, stranger)
    window = view.window()
    assert window.summary_line.compared.text() == "nothing pairs"
    assert view.strip.isVisible() and view.strip.mark.status == "error"
    assert view.strip.sentence.text().startswith("Nothing in stranger.gguf answers to this file")
    left = view.ranking.left
    assert view.ranking.lists.currentWidget() is left
    reasons = {left.left.index(row, 0).data(): left.left.index(row, 2).data() for row in range(left.left.rowCount())}
    assert set(reasons) == {*original(), "other.stuff"} and all(reasons.values())
    assert [button.text() for button in view.strip.findChildren(QPushButton)] == ["Choose another"]


def test_a_reference_that_cannot_be_opened_is_said_in_place_with_retry(
    qtbot, compared, settled, bad, reference, tmp_path
):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"<!DOCTYPE html><html><body>404</body></html>")
    view = compared(bad, broken)
    window = view.window()
    assert view.stage.state == "failed" and "web page" in view.stage.notice.what.text()
    assert window.summary_line.compared.text() == "not opened"
    broken.write_bytes(reference.read_bytes())
    qtbot.mouseClick(view.stage.notice.again_button, Qt.MouseButton.LeftButton)
    settled()
    assert view.stage.state == "picture" and window.summary_line.compared.text() == "1 wrong"
