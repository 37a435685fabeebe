"""Files dropped to be compared: over an open model, and two at once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from support.gestures import drop, take

from tensorloupe.window.choosing import by_size


@pytest.mark.parametrize("word", ["Compare", "Open", "Neither"])
def test_a_file_dropped_on_an_open_model_can_be_compared_or_opened(opened, settled, bad, reference, word):
    window = opened(bad)
    assert drop(window, reference).isAccepted()
    assert window.strip.isVisible() and "bad.gguf" in window.strip.sentence.text()
    assert window.contents.path == str(bad)
    take(window, word)
    settled()
    assert window.strip.isHidden()
    assert window.contents.path == str(reference if word == "Open" else bad)
    assert window.summary_line.compared.text() == ("1 wrong" if word == "Compare" else "")
    assert (window.document.comparing is not None) is (word == "Compare")


def test_of_two_files_one_is_opened_by_keys_and_nothing_else_is_offered(qtbot, window, settled, bad, reference):
    assert window.welcome.sample.isVisible()
    assert drop(window, bad, reference).isAccepted()
    page = window.welcome
    assert page.list.hasFocus() and page.list.current_row() == 0 and page.sample.isHidden()
    qtbot.keyClick(page.list, Qt.Key.Key_Down)
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    settled()
    assert window.contents.path == str(reference)


def test_of_two_files_the_smaller_one_is_compared_with_the_other(window, settled, bad, reference):
    assert drop(window, reference, bad).isAccepted()
    assert window.stack.currentWidget() is window.welcome
    window.welcome.compare.click()
    settled()
    assert window.contents.path == str(bad) and window.document.comparing.path == str(reference)
    assert window.summary_line.compared.text() == "1 wrong"


def test_two_files_can_both_be_opened(window, settled, bad, reference):
    wanted = []
    window.window_wanted.connect(wanted.append)
    assert drop(window, bad, reference).isAccepted()
    window.welcome.both.click()
    settled()
    assert window.contents.path == str(bad) and wanted == [str(reference)]


def test_what_has_no_size_is_taken_for_the_reference(tmp_path, good, reference):
    assert by_size([str(tmp_path), str(reference), str(good)]) == [str(good), str(reference), str(tmp_path)]
    assert by_size(["/no/such/file", str(good)]) == [str(good), "/no/such/file"]
