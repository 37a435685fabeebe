"""The look at all values of the open model: what it finds and shows, and when it is not begun."""

import threading
import time

import pytest
from support.scans import finished, marks, open_path

from tensorloupe.checking import scan as scanning

pytestmark = pytest.mark.usefixtures("at_once")


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
    assert [entry.status for entry in window.settings.recent()] == ["unchecked"]
    gate.release()
    qtbot.waitUntil(lambda: "1 of 2 tensors" in window.status.doing.whole, timeout=5_000)
    assert window.status.doing.whole == "Checking values: b · 1 of 2 tensors"
    assert marks(window) == {"Whole file": "running", "a.weight": "ok", "b": "running"}
    gate.release()
    finished(qtbot, window)
    assert window.summary_line.word.text() == "no problems" and window.summary_line.mark.status == "ok"
    assert set(marks(window).values()) == {"ok"} and [entry.status for entry in window.settings.recent()] == ["ok"]
    assert window.status.said.whole.startswith("no problems · 2 tensors · 20 values")


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


def test_where_a_report_takes_long_there_are_fewer(window):
    scan = window.scanning.scan
    usual = scan._tell.interval()
    scan._done.append((0, "ok"))
    scan._report()
    assert scan._tell.interval() == usual
    scan.advanced.connect(lambda _: time.sleep(0.1))
    scan._done.append((0, "ok"))
    scan._report()
    assert scan._tell.interval() >= 1_000 > usual
