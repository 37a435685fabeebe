"""A reference attached, detached, cancelled, wrong: by menu, command line and recent list, with what the window says of it."""

from __future__ import annotations

import os
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFileDialog, QPushButton
from support.quantized import original, write

import weightmap
from tensorloupe.__main__ import _parser
from tensorloupe.comparing import comparing as comparing_module
from tensorloupe.comparing import measuring
from tensorloupe.items.arrangement import SIZE, STATE
from tensorloupe.items.measures import ratio_of, times
from tensorloupe.window.attaching import ERROR_TAB
from tensorloupe.window.compare_commands import attach


def press(window, keys):
    wanted = QKeySequence(keys)
    next(action for action in window.actions_.by_name.values() if wanted in action.shortcuts()).trigger()


def heads(window):
    model = window.explorer.tree.model
    return [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]


def test_ctrl_r_asks_for_a_file_and_every_number_is_that_of_compare(monkeypatch, opened, settled, bad, reference):
    window = opened(bad)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(reference), ""))
    press(window, "Ctrl+R")
    settled()
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


def test_pairing_can_be_cancelled_and_taken_up_again(qtbot, monkeypatch, opened, settled, bad, reference):
    window, gate, begun = opened(bad), threading.Event(), threading.Event()
    original_pairing = comparing_module.paired

    def slow(model, path, accepted, progress):
        begun.set()
        while not gate.wait(0.01):
            if not progress(0, 1):
                raise weightmap.Cancelled
        return original_pairing(model, path, accepted, progress)

    monkeypatch.setattr(comparing_module, "paired", slow)
    attach(window, str(reference))
    assert begun.wait(10)
    view = window.explorer.area.view
    qtbot.waitUntil(lambda: view.stage.notice.isVisible())
    assert "Pairing with original.gguf" in view.stage.notice.what.text()
    window.do("cancel")
    assert view.stage.state == "cancelled" and window.summary_line.compared.text() == "cancelled"
    gate.set()
    qtbot.mouseClick(view.stage.notice.again_button, Qt.MouseButton.LeftButton)
    settled()
    assert window.summary_line.compared.text() == "1 wrong"


def test_measuring_can_be_cancelled_and_goes_on_where_it_was(qtbot, monkeypatch, opened, settled, bad, reference):
    window, gate, measured = opened(bad), threading.Event(), []
    whole = weightmap.measure_pair

    def slow(pairs, pair, *, progress, threads):
        measured.append(pair.tensor)
        while len(measured) > 3 and not gate.wait(0.01):
            progress(0, 1)
        return whole(pairs, pair, progress=progress, threads=threads)

    monkeypatch.setattr(measuring.weightmap, "measure_pair", slow)
    attach(window, str(reference))
    errors = lambda: window.document.comparing.errors  # noqa: E731
    qtbot.waitUntil(lambda: errors() is not None and errors().measured == 3, timeout=20_000)
    window.do("cancel")
    view = window.explorer.area.view
    assert view.halted.isVisible() and view.halted.sentence.text() == f"Cancelled at 3 of {len(errors().pairs)} pairs."
    assert "3 of" in window.summary_line.compared.text()
    done, held = [error is not None for error in errors().errors].count(True), list(measured[:3])
    assert done == 3
    gate.set()
    qtbot.mouseClick(view.halted.findChild(QPushButton), Qt.MouseButton.LeftButton)
    settled()
    assert view.halted.isHidden() and not errors().waiting
    assert all(measured.count(name) == 1 for name in held)
    assert tuple(errors().errors) == weightmap.compare(bad, reference).pairs


def test_results_of_a_reference_that_was_exchanged_are_dropped(
    qtbot, monkeypatch, opened, settled, bad, reference, good
):
    window, gate, begun = opened(bad), threading.Event(), threading.Event()
    original_pairing, closed = comparing_module.paired, []

    def slow(model, path, accepted, progress):
        found = original_pairing(model, path, accepted, lambda done, total: True)
        if path == str(reference):
            begun.set()
            gate.wait(10)
            closed.append(found.reference)
        return found

    monkeypatch.setattr(comparing_module, "paired", slow)
    attach(window, str(reference))
    assert begun.wait(10)
    attach(window, str(good))
    settled_soon = window.document.comparing
    qtbot.waitUntil(lambda: settled_soon.stage == "done", timeout=20_000)
    gate.set()
    settled()
    assert settled_soon.path == str(good) and settled_soon.name == "good.gguf"
    assert [os.path.basename(model.path) for model in closed] == ["original.gguf"] and closed[0].closed
    assert {pair.reference_type for pair in settled_soon.errors.pairs} == {"Q8_0", "F32"}


def test_guesses_are_marked_and_can_be_accepted(qtbot, compared, settled, tmp_path, good):
    values = original()
    renamed = {f"thing.{n}.x": array for n, array in enumerate(values.values())}
    view = compared(good, write(tmp_path / "renamed.gguf", renamed))
    errors, window = view.ranking.errors, view.window()
    guesses = [row for row in range(len(errors.pairs)) if errors.guess(row)]
    assert len(guesses) >= 10 and errors.counts()["guess"] == len(guesses)
    assert f" {len(guesses)} guessed" == view.ranking.head.chips["guess"].text()
    window.explorer.tree.select(window.document.model.tensors[errors.pairs[guesses[0]].tensor])
    assert "guessed from shape and values" in view.strip.consequence.text()
    qtbot.mouseClick(view.strip.findChild(QPushButton), Qt.MouseButton.LeftButton)
    assert not errors.guess(guesses[0]) and errors.counts()["guess"] == len(guesses) - 1
    window.do("accept_guesses")
    assert errors.counts()["guess"] == 0
    qtbot.waitUntil(lambda: view.ranking.head.chips["guess"].isHidden())


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_errors_are_exported_as_compare_prints_them(monkeypatch, compared, settled, bad, reference, tmp_path, ending):
    import csv
    import json

    window = compared(bad, reference).window()
    out = tmp_path / f"errors.{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(out), ""))
    window.do("export_errors")
    settled()
    whole = weightmap.compare(bad, reference)
    if ending == "json":
        assert json.loads(out.read_text()) == whole.to_json()
    else:
        rows = list(csv.DictReader(out.read_text().splitlines()))
        assert [row["tensor"] for row in rows] == [pair.tensor for pair in whole.ranked()]
        assert [row["rmse"] for row in rows] == [str(pair.rmse) for pair in whole.ranked()]


@pytest.mark.parametrize("ending", ["html", "md"])
def test_the_report_is_that_of_the_command(monkeypatch, compared, settled, bad, reference, tmp_path, ending):
    window = compared(bad, reference).window()
    out, same = tmp_path / f"errors.{ending}", tmp_path / f"same.{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(out), ""))
    window.do("export_errors")
    settled()
    weightmap.write_report(weightmap.compare(bad, reference), same)
    assert out.read_text("utf-8") == same.read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".part") == []


def test_the_views_follow_the_cursor_while_pairs_are_measured(qtbot, monkeypatch, opened, settled, bad, reference):
    window, gate = opened(bad), threading.Event()
    whole = weightmap.measure_pair

    def slow(pairs, pair, *, progress, threads):
        while not gate.wait(0.01) and progress(0, 1):
            window.document.compared.emit([])  # reports come all the time
        return whole(pairs, pair, progress=progress, threads=threads)

    monkeypatch.setattr(measuring.weightmap, "measure_pair", slow)
    attach(window, str(reference))
    qtbot.waitUntil(lambda: window.document.comparing.stage == "measuring")
    tree = window.explorer.tree
    tree.view.setFocus()
    before = window.document.selected
    for _ in range(2):  # past the group into it
        qtbot.keyClick(tree.view, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.document.selected is not before)
    gate.set()
    settled()
    assert window.document.comparing.stage == "done"
