"""When the look at all values has its turn: after other work, until cancelled, and as long as its model is open and whole."""

import threading
import time

import pytest
from support.scans import finished, marks, open_path

import weightmap
from tensorloupe.checking import scan as scanning
from tensorloupe.window import commands

pytestmark = pytest.mark.usefixtures("at_once")


def test_cancelled_keeps_rings_and_resume_finishes(qtbot, window, layers, gate):
    open_path(qtbot, window, layers)
    for _ in range(2):
        gate.release()
    qtbot.waitUntil(lambda: window.scanning.scan.progress[0] == 2, timeout=5_000)
    commands.run(window, "cancel")
    assert window.strip.sentence.whole == "Cancelled at 2 of 12 tensors." and window.strip.mark.status == "info"
    assert window.summary_line.word.text() == "no problems so far" and window.summary_line.mark.status == "unchecked"
    seen = marks(window)
    assert seen["blk.0"] == "ok" and seen["blk.1"] == "unchecked" and seen["Whole file"] == "unchecked"
    for _ in range(20):
        gate.release()
    window.strip._buttons[0].click()
    finished(qtbot, window)
    assert window.strip.isHidden() and marks(window)["blk.1"] == "ok"
    assert sum(tensor.values_checked for tensor in window.contents.model.records) == 12


def test_it_gives_way_to_other_work(qtbot, window, layers, monkeypatch):
    seen, original = [], weightmap.Tensor.check_values

    def noted(self, **options):
        seen.append((time.monotonic(), window.tasks.busy_besides((scanning.SLOT,))))
        return original(self, **options)

    monkeypatch.setattr(weightmap.Tensor, "check_values", noted)
    gate = threading.Event()
    open_path(qtbot, window, layers)
    window.tasks.start("other", "Other work", lambda go: gate.wait(5), lambda _: None)
    qtbot.wait(200)
    before = len(seen)
    assert window.status.doing.whole.startswith("Other work")  # not the scan, which began earlier
    qtbot.wait(200)
    assert len(seen) - before <= 1  # one may have been under way
    gate.set()
    finished(qtbot, window)
    assert len(seen) == 12 and not any(busy for _, busy in seen[before + 1 :])


def test_it_waits_while_the_window_is_busy(qtbot, window, layers, gate, monkeypatch):
    open_path(qtbot, window, layers)
    gate.release()
    qtbot.waitUntil(lambda: window.scanning.scan.progress[0] == 1, timeout=5_000)
    with monkeypatch.context() as held:
        held.setattr(window.scanning.scan._turns, "window_busy", lambda: True)
        for _ in range(20):
            gate.release()
        qtbot.wait(200)
        assert sum(tensor.values_checked for tensor in window.contents.model.records) <= 2  # one was under way
    finished(qtbot, window)


def test_what_a_view_has_looked_at_is_not_read_again(qtbot, window, layers, gate, monkeypatch):
    open_path(qtbot, window, layers)
    tensors = window.contents.model.records
    for tensor in tensors:
        tensor.statistics()
    gate.release()  # the one that it is waiting at
    finished(qtbot, window)
    assert window.summary_line.word.text() == "2 warnings"


def test_another_model_ends_the_scan_of_the_first(qtbot, window, layers, other_file, gate):
    open_path(qtbot, window, layers)
    gate.release()
    qtbot.waitUntil(lambda: window.scanning.scan.progress[0] == 1, timeout=5_000)
    for _ in range(3):
        gate.release()
    open_path(qtbot, window, other_file)
    for _ in range(20):
        gate.release()
    finished(qtbot, window)
    assert marks(window) == {"Whole file": "ok", "a.weight": "ok", "b": "ok"}


def test_a_file_that_shrinks_under_the_scan_ends_it_with_reload(qtbot, window, layers, gate):
    open_path(qtbot, window, layers)
    qtbot.waitUntil(lambda: window.status.busy, timeout=5_000)
    whole = layers.read_bytes()
    layers.write_bytes(whole[:-300])
    for _ in range(20):
        gate.release()
    qtbot.waitUntil(window.strip.isVisible, timeout=5_000)
    assert window.strip.sentence.whole.startswith("The file changed on disk at ")
    before = window.contents
    layers.write_bytes(whole)
    window.strip._buttons[0].click()
    qtbot.waitUntil(lambda: window.contents.model is not before.model, timeout=5_000)
    finished(qtbot, window)
    assert window.strip.isHidden()
