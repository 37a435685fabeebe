"""The look at all values of the open model: rings and marks, findings as they come, giving way, cancel and resume."""

import threading
import time

import numpy as np
import pytest
from support.build import safetensors

import weightmap
from tensorloupe.checking import scan as scanning
from tensorloupe.items.arrangement import STATE
from tensorloupe.items.standing import standing
from tensorloupe.window import commands


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """No waiting for the window to rest."""
    monkeypatch.setattr(scanning, "_DELAY", 0)


@pytest.fixture
def layers(tmp_path):
    """Six layers of two tensors; one holds a NaN, one is zero throughout."""
    rng = np.random.default_rng(7)
    tensors = []
    for layer in range(6):
        for role in ("up", "down"):
            values = rng.standard_normal(64).astype("<f4")
            if (layer, role) == (2, "down"):
                values[5] = np.nan
            if (layer, role) == (4, "up"):
                values[:] = 0
            tensors.append((f"blk.{layer}.{role}.weight", "F32", (8, 8), values.tobytes()))
    path = tmp_path / "layers.safetensors"
    path.write_bytes(safetensors(tensors))
    return path


@pytest.fixture
def gate(monkeypatch):
    """Lets as many tensors through as it is told to."""
    turns, original = threading.Semaphore(0), weightmap.Tensor.check_values

    def slow(self, *, progress=None, threads=None):
        while not turns.acquire(timeout=0.005):
            progress(0, 1)
        return original(self, progress=progress, threads=threads)

    monkeypatch.setattr(weightmap.Tensor, "check_values", slow)
    return turns


def marks(window):
    model = window.explorer.tree.model
    return {model.index(row, 0).data(): model.look(model.index(row, STATE)).status for row in range(model.rowCount())}


def finished(qtbot, window):
    qtbot.waitUntil(lambda: window.scanning.scan.state == "done" and window.tasks.idle, timeout=10_000)


def open_path(qtbot, window, path):
    window.open_paths([str(path)])
    qtbot.waitUntil(lambda: window.contents is not None and window.contents.path == str(path), timeout=10_000)


def test_values_are_looked_at_after_opening_and_what_is_found_is_shown(qtbot, window, layers):
    open_path(qtbot, window, layers)
    finished(qtbot, window)
    assert all(tensor.values_checked for tensor in window.contents.model.records)
    seen = marks(window)
    assert (seen["blk.2"], seen["blk.4"], seen["blk.0"], seen["Whole file"]) == ("warning", "warning", "ok", "warning")
    rows = window.explorer.dock.findings.model.rows
    assert {(f.code, f.tensor) for f in rows} == {
        ("non_finite", "blk.2.down.weight"),
        ("all_zero", "blk.4.up.weight"),
    }
    assert window.summary_line.word.text() == "2 warnings" and window.summary_line.mark.status == "warning"
    assert window.explorer.dock.tabs.tabText(2) == "Findings  2"


def test_a_healthy_file_is_healthy_so_far_and_then_healthy(qtbot, window, other_file, gate):
    open_path(qtbot, window, other_file)
    qtbot.waitUntil(lambda: window.status.busy, timeout=5_000)
    assert window.summary_line.word.text() == "no problems so far" and window.summary_line.mark.status == "running"
    seen = marks(window)
    assert seen["Whole file"] == "running" and set(seen.values()) <= {"running", "unchecked"}
    gate.release()
    qtbot.waitUntil(lambda: "1 of 2 tensors" in window.status.doing.whole, timeout=5_000)
    assert window.status.doing.whole == "Checking values: b · 1 of 2 tensors"
    assert marks(window) == {"Whole file": "running", "a.weight": "ok", "b": "running"}
    gate.release()
    finished(qtbot, window)
    assert window.summary_line.word.text() == "no problems" and window.summary_line.mark.status == "ok"
    assert set(marks(window).values()) == {"ok"}
    assert window.status.said.whole.startswith("no problems · 2 tensors · 20 values")


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


def test_states_come_with_the_tensors_that_are_finished(qtbot, window, layers, monkeypatch):
    asked = []
    original = scanning.status_of
    monkeypatch.setattr(scanning, "status_of", lambda tensor: asked.append(threading.get_ident()) or original(tensor))
    told = {}
    window.scanning.scan.advanced.connect(told.update)
    window.open_paths([str(layers)])
    qtbot.waitUntil(lambda: window.scanning.scan.state == "done" and len(told) == 12, timeout=20_000)
    states = {window.contents.outline.names[number]: state for number, state in told.items()}
    assert {name: state for name, state in states.items() if state != "ok"} == {
        "blk.2.down.weight": "warning",
        "blk.4.up.weight": "warning",
    }
    assert len(asked) == 12 and threading.get_ident() not in asked


def test_it_can_be_switched_off_for_good(qtbot, window, layers):
    assert window.actions_.by_name["check_values"].isChecked()
    window.actions_.by_name["check_values"].trigger()
    assert window.settings.get("check_values", True) is False
    open_path(qtbot, window, layers)
    qtbot.waitUntil(lambda: window.tasks.idle)
    assert window.scanning.scan.state == "off" and set(marks(window).values()) == {"ok"}
    assert window.summary_line.word.text() == "no problems"
    window.actions_.by_name["scan"].trigger()
    finished(qtbot, window)
    assert window.summary_line.word.text() == "2 warnings"


def test_a_large_model_waits_to_be_asked(qtbot, window, layers, monkeypatch):
    monkeypatch.setattr(scanning, "LARGEST", 100)
    open_path(qtbot, window, layers)
    qtbot.waitUntil(lambda: window.tasks.idle)
    assert window.scanning.scan.state == "off"
    window.actions_.by_name["scan"].trigger()
    finished(qtbot, window)


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


def test_notes_alone_leave_a_file_healthy(qtbot, opened, model_file):
    window = opened(model_file)
    finished(qtbot, window)
    notes = [finding for finding in window.contents.findings if finding.severity == "info"]
    assert notes and len(notes) == len(window.contents.findings)
    assert window.summary_line.word.text() == "no problems" and window.summary_line.mark.status == "ok"
    assert window.summary_line.note.text() == f"{len(notes)} note" + "s" * (len(notes) > 1)
    assert window.explorer.area.subject.word.text() == "no problems"
    assert window.status.said.whole.startswith("no problems · ")
    assert window.explorer.dock.tabs.tabText(2) == f"Findings  {len(notes)}"


def test_how_a_file_stands():
    def found(*severities):
        return [weightmap.Finding(severity=weightmap.Severity(s), code="x", message="") for s in severities]

    assert standing(found()) == ("ok", "no problems", "")
    assert standing(found("info", "info")) == ("ok", "no problems", "2 notes")
    assert standing(found("info"), "running") == ("running", "no problems so far", "1 note")
    assert standing(found("info"), "cancelled") == ("unchecked", "no problems so far", "1 note")
    assert standing(found("warning", "info", "warning"), "running") == ("warning", "2 warnings", "1 note")
    assert standing(found("error", "warning"), "done") == ("error", "1 error", "")


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
