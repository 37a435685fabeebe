"""A model is shown before it is checked: nothing is called sound until then, and the first picture does not wait for it."""

import threading
import time

import pytest
from support.build import gguf

import weightmap
from tensorloupe.panels.dock import FILES, FINDINGS, METADATA
from tensorloupe.window import judging
from weightmap.findings import finding


@pytest.fixture
def unjudged(qtbot, window, monkeypatch):
    """Opens a path and stops at what is shown before the checks; `gate.set()` lets them begin."""
    gate, original = threading.Event(), judging.judge

    def held(contents):
        gate.wait(20)
        return original(contents)

    monkeypatch.setattr(judging, "judge", held)

    def open_(path, **options):
        before = window.contents
        window.open_paths([str(path)], **options)
        qtbot.waitUntil(lambda: window.contents is not before and not window.tasks.running("open"), timeout=20_000)
        return window

    yield open_, gate
    gate.set()


def let_check(qtbot, window, gate):
    gate.set()
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_nothing_is_called_sound_before_it_was_checked(qtbot, unjudged, other_file):
    open_, gate = unjudged
    window = open_(other_file)
    page, dock = window.explorer.area.file_page, window.explorer.dock
    assert window.contents.findings is None
    assert (window.summary_line.mark.status, window.summary_line.word.text()) == ("running", "being checked")
    assert "ok" not in {window.contents.outline.status(number) for number in range(2)}
    assert {state.mark.status for state in page.states} == {"unchecked"}
    assert [row.status for row in dock.files_model.rows] == ["unchecked"]
    assert dock.tabs.tabText(FINDINGS) == "Findings" and dock.findings.word.text() == "being checked"
    let_check(qtbot, window, gate)
    assert window.contents.findings == ()
    assert {state.mark.status for state in page.states} == {"ok"}
    assert [row.status for row in dock.files_model.rows] == ["ok"]
    assert dock.tabs.tabText(FINDINGS) == "Findings  0" and dock.findings.word.text() == "no problems"
    assert window.summary_line.word.text() in ("no problems", "no problems so far")


def test_what_the_checks_find_is_shown_once_they_have_found_it(qtbot, unjudged, cut_file):
    open_, gate = unjudged
    window = open_(cut_file)
    dock, page = window.explorer.dock, window.explorer.area.file_page
    assert dock.tabs.currentIndex() == METADATA and page.strip.isHidden()
    assert not window.actions_.by_name["next_finding"].isEnabled()
    let_check(qtbot, window, gate)
    assert dock.tabs.currentIndex() == FINDINGS and not page.strip.isHidden()
    assert window.contents.findings == window.contents.model.findings != ()
    assert window.actions_.by_name["next_finding"].isEnabled()
    assert window.settings.recent()[0].status == "error"


def test_a_tensor_chosen_meanwhile_is_said_to_be_being_checked(qtbot, unjudged, other_file):
    open_, gate = unjudged
    window = open_(other_file, tensor="a.weight")
    subject = window.explorer.area.subject
    assert (subject.name.whole, subject.word.text()) == ("a.weight", "being checked")
    let_check(qtbot, window, gate)
    assert subject.word.text() in ("no problems", "values checked")


def test_the_part_of_the_dock_that_the_user_turned_to_stays(qtbot, unjudged, cut_file):
    open_, gate = unjudged
    window = open_(cut_file)
    window.explorer.dock.tabs.setCurrentIndex(FILES)
    let_check(qtbot, window, gate)
    assert window.explorer.dock.tabs.currentIndex() == FILES


def test_a_filter_by_state_holds_over_a_reload(qtbot, opened, cut_file):
    window = opened(cut_file)
    tree = window.explorer.tree
    tree.filter.add("status:error")
    shown = tree.model.shown
    assert 0 < shown < len(window.contents.outline.tensors)
    before = window.contents
    window.opener.reload()
    qtbot.waitUntil(lambda: window.contents.model is not before.model and window.tasks.idle, timeout=20_000)
    assert tree.model.shown == shown


def test_a_filter_by_state_finds_what_the_checks_found(qtbot, unjudged, tmp_path):
    open_, gate = unjudged
    path = tmp_path / "odd.gguf"
    path.write_bytes(gguf(tensors=[(name, (4,), 0, bytes(16)) for name in ("even", "bell\x07")]))
    window = open_(path)
    tree = window.explorer.tree
    tree.filter.add("status:warning")
    assert tree.model.shown == 0
    gate.set()
    qtbot.waitUntil(lambda: window.contents.findings is not None, timeout=20_000)
    assert tree.model.shown == 1
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_a_reload_turns_to_no_findings(qtbot, opened, cut_file):
    window = opened(cut_file)
    tabs = window.explorer.dock.tabs
    assert tabs.currentIndex() == FINDINGS
    tabs.setCurrentIndex(METADATA)
    before = window.contents
    window.opener.reload()
    qtbot.waitUntil(lambda: window.contents.model is not before.model and window.tasks.idle, timeout=20_000)
    assert window.contents.findings and tabs.currentIndex() == METADATA


def test_leaving_does_not_wait_for_checks_that_have_not_begun(qtbot, window, other_file, monkeypatch):
    asked = []
    monkeypatch.setattr(judging, "judge", asked.append)
    monkeypatch.setattr(judging, "_PAINT", 300)
    window.open_paths([str(other_file)])
    qtbot.waitUntil(lambda: window.contents is not None)
    assert window.tasks.running(judging.SLOT)
    before = time.perf_counter()
    window.close()
    assert time.perf_counter() - before < 0.3 and window.tasks.home
    qtbot.wait(400)
    assert not asked


def test_checks_that_cannot_be_made_are_said(qtbot, unjudged, other_file, monkeypatch):
    open_, gate = unjudged
    window = open_(other_file)

    def fail(self):
        raise weightmap.FileChangedError(finding("file_changed", "The file is another one.", path=self.path))

    monkeypatch.setattr(weightmap.WeightFile, "findings", property(fail))
    let_check(qtbot, window, gate)
    monkeypatch.undo()
    assert window.strip.sentence.text() == "Headers and metadata could not be checked."
    assert "The file is another one." in window.strip.consequence.text()
