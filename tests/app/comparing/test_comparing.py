"""Pairing and measuring in the background: cancelled and taken up, overtaken by another reference, guesses accepted."""

from __future__ import annotations

import os
import threading

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from support.quantized import original, write

import weightmap
from tensorloupe.comparing import comparing as comparing_module
from tensorloupe.comparing import measuring
from tensorloupe.window.compare_commands import attach


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
    qtbot.waitUntil(lambda: bool(closed) and closed[0].closed, timeout=10_000)
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


def test_the_selected_tensor_is_measured_next_and_every_pair_is_told_of(
    qtbot, monkeypatch, opened, settled, bad, reference
):
    window, gate, measured, told = opened(bad), threading.Event(), [], []
    whole = weightmap.measure_pair

    def slow(pairs, pair, *, progress, threads):
        measured.append(pair.tensor)
        while not gate.wait(0.01):
            progress(0, 1)
        return whole(pairs, pair, progress=progress, threads=threads)

    monkeypatch.setattr(measuring.weightmap, "measure_pair", slow)
    window.document.compared.connect(told.extend)
    attach(window, str(reference))
    qtbot.waitUntil(lambda: bool(measured))
    last = list(window.document.model.tensors)[-1]
    window.explorer.tree.select(window.document.model.tensors[last])
    gate.set()
    settled()
    assert measured[1] == last
    pairs = window.document.comparing.errors.pairs
    assert len(measured) == len(pairs)
    assert sorted({*told}) == list(range(len(pairs)))
