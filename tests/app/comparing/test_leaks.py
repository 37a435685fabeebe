"""Attaching, selecting and detaching many times leaves nothing behind, and closing at any moment ends at once."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget
from support.events import flush

import weightmap
from tensorloupe.comparing import measuring
from tensorloupe.views import VIEWS
from tensorloupe.window.compare_commands import attach


def kinds(window) -> Counter[str]:
    """How many widgets, timers and actions of which class there are, once all that was put off is done.

    Labels make helpers of their own when they are first pointed at or painted: these are not counted.
    """
    flush()
    counted = [child for child in window.findChildren(QObject) if isinstance(child, QWidget | QTimer | QAction)]
    return Counter(type(child).__name__ for child in counted)


def test_attaching_selecting_and_detaching_leave_nothing_behind(qtbot, compared, settled, bad, good, reference):
    view = compared(bad, reference)
    window, tree = view.window(), view.window().explorer.tree
    tensors = list(view.context.document.model.tensors.values())

    def turn() -> None:
        for tensor in tensors:
            tree.select(tensor)
            QCoreApplication.processEvents()
        for chip in (view.pictures.chips["rows"], view.pictures.chips["values"], view.pictures.chips["errors"]):
            chip.click()
        view.pictures.beside.toggle()
        settled()
        window.do("detach")
        attach(window, str(reference))
        settled()

    for _ in range(2):
        turn()
    window.do("view overview")
    window.do("view error")
    made = window.explorer.area.maker
    made._pause.setInterval(1)

    def all_inside() -> bool:  # so that none comes in between the counts
        return len(tuple(made)) == len(VIEWS) and all(view.window() is window for view in made)

    qtbot.waitUntil(all_inside, timeout=30_000)
    settled()
    before = kinds(window)
    for _ in range(4):
        turn()
    assert kinds(window) - before == Counter()
    assert window.tasks.idle and view.ranking.errors is window.document.comparing.errors


@pytest.mark.parametrize("when", ["pairing", "measuring"])
def test_closing_in_the_middle_ends_and_closes_the_reference(qtbot, monkeypatch, opened, bad, reference, when):
    window, models, begun = opened(bad), [], threading.Event()
    open_model = weightmap.open

    def opening(path, *args, **options):
        models.append(open_model(path, *args, **options))
        if when == "pairing":
            begun.set()
        return models[-1]

    def slow(pairs, pair, *, progress, threads):
        begun.set()
        while True:
            progress(0, 1)

    monkeypatch.setattr(weightmap, "open", opening)
    monkeypatch.setattr(measuring.weightmap, "measure_pair", slow)
    attach(window, str(reference))
    qtbot.waitUntil(begun.is_set, timeout=10_000)
    window.close()
    assert window.tasks.home
    assert models and all(model.closed for model in models)


def test_a_reference_that_changes_is_opened_anew_on_trying_again(qtbot, monkeypatch, opened, settled, bad, reference):
    window, calls = opened(bad), []
    whole = weightmap.measure_pair

    def changing(pairs, pair, **options):
        calls.append(pair.tensor)
        if len(calls) == 3:
            changed = reference.read_bytes()
            reference.write_bytes(changed + b"\0" * 32)
        return whole(pairs, pair, **options)

    monkeypatch.setattr(measuring.weightmap, "measure_pair", changing)
    attach(window, str(reference))
    qtbot.waitUntil(lambda: window.document.comparing.stage == "failed", timeout=20_000)
    view = window.explorer.area.view
    assert view.halted.isVisible() and "changed" in view.halted.sentence.text()
    window.do("compare_again")
    settled()
    assert window.document.comparing.stage == "done" and view.halted.isHidden()
    assert window.summary_line.compared.text() == "1 wrong"
