"""Many models judged in the background: their values too, again, by the thousand, until cancelled, after another list."""

import threading
from collections import Counter
from pathlib import Path

from PySide6.QtCore import QTimer
from support.events import flush
from support.gestures import press
from support.incoming import STATES, states

import weightmap
from tensorloupe.checking import judge as judging
from tensorloupe.items.sheet import FILE, FIRST


def test_the_switch_looks_at_the_values_of_all(window, sheet, listed):
    sheet.head.values.click()
    page = listed()
    assert states(page) == STATES | {"nan.safetensors": "warning"}
    assert window.settings.get("sheet_values", False) is True
    assert all(row.values for row in page.model.rows if row.openable)
    row = next(row for row in page.model.rows if row.name == "nan.safetensors")
    assert [finding.code for finding in row.findings] == ["non_finite"]


def test_check_again_sees_what_changed_and_what_is_new(window, sheet, incoming, listed):
    (incoming / "cut.gguf").write_bytes((incoming / "sound1.safetensors").read_bytes())
    (incoming / "sound3.safetensors").write_bytes((incoming / "sound2.safetensors").read_bytes())
    (incoming / "sound2.safetensors").unlink()
    press(window, "F5")
    page = listed()
    now = states(page)
    assert now["cut.gguf"] == "warning" and now["sound3.safetensors"] == "ok" and now["sound2.safetensors"] == "error"


def test_only_the_selected_are_checked_again(window, sheet, incoming, listed):
    for name in ("sound1", "sound2", "sound10"):
        (incoming / f"{name}.safetensors").write_bytes(b"")
    sheet.view.clearSelection()
    rows = [row for row in sheet.model.rows if row.name in ("sound1.safetensors", "sound2.safetensors")]
    flags = sheet.view.selectionModel().SelectionFlag
    for row in rows:
        index = sheet.model.index(sheet.model.position_of(row), FILE)
        sheet.view.selectionModel().select(index, flags.Select | flags.Rows)
    press(window, "F5")
    now = states(listed())
    assert (now["sound1.safetensors"], now["sound2.safetensors"]) == ("error", "error")
    assert now["sound10.safetensors"] == "ok"


def test_cancel_keeps_what_is_done_and_resume_goes_on(qtbot, window, incoming, monkeypatch, listed):
    gate, judged, original = threading.Event(), Counter(), judging.judge

    def slow(path, values, progress, opened):
        judged[Path(path).name] += 1
        if sum(judged.values()) > 3:
            while not gate.wait(0.005):
                progress(0, 1)
        return original(path, values, progress, opened)

    monkeypatch.setattr("tensorloupe.checking.sweep.judge", slow)
    window.sheets.check([str(incoming)])
    qtbot.waitUntil(lambda: window.sheets.in_front)
    page = window.sheets.page
    qtbot.waitUntil(lambda: sum(state in ("ok", "error") for state in states(page).values()) == 3, timeout=5_000)
    qtbot.waitUntil(lambda: window.status.busy and "3 of 7" in window.status.doing.whole, timeout=5_000)
    qtbot.waitUntil(lambda: window.status.said.whole == "3 of 7 models checked", timeout=5_000)
    press(window, "Esc")
    assert not page.sweep.running and page.strip.isVisible()
    assert page.strip.sentence.whole == "Cancelled at 3 of 7 models."
    assert Counter(states(page).values())["waiting"] == 4
    gate.set()
    page.strip._buttons[0].click()
    assert states(listed()) == STATES and page.strip.isHidden()
    finished = [name for name, times in judged.items() if times == 1]
    assert len(finished) >= 3


def test_a_new_list_drops_the_results_of_the_old_one(qtbot, window, incoming, tmp_path, monkeypatch, listed):
    gate, original, begun, ended = threading.Event(), judging.judge, [], []

    def slow(path, values, progress, opened):
        if "incoming" not in path:
            return original(path, values, progress, opened)
        begun.append(path)
        gate.wait(5)
        try:
            return original(path, values, progress, opened)
        finally:
            ended.append(path)

    monkeypatch.setattr("tensorloupe.checking.sweep.judge", slow)
    window.sheets.check([str(incoming)])
    qtbot.waitUntil(lambda: bool(begun))
    other = tmp_path / "other"
    other.mkdir()
    for n in range(3):
        (other / f"m{n}.safetensors").write_bytes((incoming / "sound1.safetensors").read_bytes())
    window.sheets.check([str(other)])
    gate.set()
    assert states(listed()) == {f"m{n}.safetensors": "ok" for n in range(3)}
    qtbot.waitUntil(lambda: len(ended) == len(begun))
    flush()
    assert len(window.sheets.page.model.rows) == 3


def test_a_thousand_files_come_in_batches_between_which_the_window_lives(window, tmp_path, incoming, listed):
    folder = tmp_path / "many"
    folder.mkdir()
    sound = (incoming / "sound1.safetensors").read_bytes()
    for n in range(1_000):
        (folder / f"m{n}.safetensors").write_bytes(sound if n % 10 else b"")
    judged, pulse = [], QTimer()
    pulse.setInterval(2)
    pulse.timeout.connect(
        lambda: judged.append(sum(state in ("ok", "error") for state in states(window.sheets.page).values()))
    )
    window.sheets.check([str(folder)])
    pulse.start()
    page = listed()
    pulse.stop()
    assert Counter(states(page).values()) == {"ok": 900, "error": 100}
    assert len(set(judged)) > 3, "the list came all at once"


def test_a_folder_without_models_says_so_in_place(window, tmp_path, listed):
    empty = tmp_path / "empty"
    empty.mkdir()
    window.sheets.check([str(empty)])
    page = listed()
    assert list(states(page).values()) == ["error"] and page.model.index(0, FIRST).data().endswith(".")
    assert isinstance(page.model.rows[0].findings[0], weightmap.Finding)
