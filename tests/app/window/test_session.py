"""Several windows: what was open is opened again where that is wanted, and no file opens twice."""

import json

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.build import safetensors
from support.quantized import original, write

from tensorloupe.application import Application
from tensorloupe.files.settings import Settings
from tensorloupe.window import session
from tensorloupe.window.compare_commands import attach


@pytest.fixture
def started(qapp, qtbot: QtBot):
    """Starts the program anew, as `run` does; everything is closed at the end."""
    made = []

    def start(*paths):
        application = Application(qapp, Settings(), "light", None)
        made.append(application)
        window = application.new_window()
        window.wait_for_opening(None, None)
        window.show()
        for path in paths:
            window.open_paths([str(path)])
        application.restore(None if paths else window)
        settle(qtbot, application)
        return application

    yield start
    for application in made:
        leave(qtbot, application)
        application.deleteLater()


def settle(qtbot, application):
    qtbot.waitUntil(lambda: all(window.tasks.idle for window in application.windows), timeout=20_000)
    QApplication.processEvents()


def leave(qtbot, application):
    for window in list(application.windows):
        window.close()
    assert application.all_home
    QApplication.processEvents()


def wanted():
    Settings().set(session.WANTED, True)


def open_in(qtbot, application, path, window=None):
    window = window or application._show_another()
    window.open_paths([str(path)])
    qtbot.waitUntil(lambda: window.tasks.idle and window.contents is not None, timeout=20_000)
    return window


def test_nothing_is_opened_again_unless_it_is_wanted(qtbot, started, model_file):
    application = started(model_file)
    assert application.windows[0].contents.path == str(model_file)
    leave(qtbot, application)
    assert started().windows[0].contents is None


def test_windows_closed_together_come_back_with_selection_and_view(qtbot, started, model_file, other_file):
    wanted()
    application = started(model_file)
    first, second = application.windows[0], open_in(qtbot, application, other_file)
    first.explorer.tree.select(first.document.model.tensors["blk.2.attn_q.weight"])
    first.explorer.area.open_tab(2)
    settle(qtbot, application)
    leave(qtbot, application)
    again = started()
    assert [window.contents.path for window in again.windows] == [str(model_file), str(other_file)]
    assert again.windows[0].document.selected.name == "blk.2.attn_q.weight"
    assert again.windows[0].explorer.area.tabs.currentIndex() == 2
    assert second is not again.windows[1]


def test_a_window_closed_by_itself_is_done_with(qtbot, started, model_file, other_file):
    wanted()
    application = started(model_file)
    open_in(qtbot, application, other_file).close()
    QApplication.processEvents()
    leave(qtbot, application)
    assert [window.contents.path for window in started().windows] == [str(model_file)]


def test_a_file_named_at_the_start_is_in_front_and_the_session_behind(qtbot, started, model_file, other_file):
    wanted()
    leave(qtbot, started(model_file))
    again = started(other_file)
    qtbot.waitUntil(lambda: len(again.windows) == 2 and all(w.contents is not None for w in again.windows))
    assert [window.contents.path for window in again.windows] == [str(other_file), str(model_file)]


def test_what_is_gone_says_so_and_keeps_nothing_else_back(qtbot, started, model_file, other_file):
    wanted()
    application = started(model_file)
    open_in(qtbot, application, other_file)
    leave(qtbot, application)
    model_file.unlink()
    again = started()
    assert again.windows[0].contents is None
    assert "no such file" in again.windows[0].strip.sentence.whole
    assert again.windows[1].contents.path == str(other_file)


def test_the_reference_and_the_guesses_that_were_accepted_come_back(qtbot, started, tmp_path):
    wanted()
    values = original()
    renamed = {f"thing.{n}.x": array for n, array in enumerate(values.values())}
    quantized, reference = (
        write(tmp_path / name, tensors, *kind)
        for name, tensors, kind in (("q.gguf", values, ("Q8_0",)), ("renamed.gguf", renamed, ()))
    )
    application = started(quantized)
    window = application.windows[0]
    attach(window, str(reference))
    settle(qtbot, application)
    comparing = window.document.comparing
    guesses = [row for row in range(len(comparing.errors.pairs)) if comparing.errors.guess(row)]
    taken = comparing.errors.pairs[guesses[0]].tensor
    comparing.accept(guesses[:1])
    leave(qtbot, application)

    again = started().windows[0].document.comparing
    qtbot.waitUntil(lambda: again.stage == "done", timeout=20_000)
    assert again.path == str(reference)
    row = again.errors.row_of[taken]
    assert not again.errors.guess(row) and again.errors.counts()["guess"] == len(guesses) - 1


def test_a_chosen_reading_comes_back(qtbot, started, tmp_path):
    wanted()
    path = tmp_path / "m.safetensors"
    codes, scales = np.arange(128, dtype=np.uint8) % 120, np.linspace(0.1, 0.9, 16, dtype=np.float32)
    entries = [("a.weight", "F8_E4M3", (2, 8, 8), codes.tobytes()), ("a.weight_scale", "F32", (2, 8), scales.tobytes())]
    path.write_bytes(safetensors(entries))
    application = started(path)
    window = application.windows[0]
    window.explorer.tree.select(window.document.model.composed["a.weight"])
    settle(qtbot, application)
    window.explorer.area.looking.bar.reading_chosen.emit("scales of columns")
    settle(qtbot, application)
    leave(qtbot, application)
    again = started().windows[0]
    assert again.document.selected.name == "a.weight"
    assert again.explorer.area.looking.weight.reading == "scales of columns"


def test_a_session_of_before_there_were_references_is_opened_again(own_settings):
    own_settings.mkdir()
    (own_settings / "settings.json").write_text(
        json.dumps({session.WANTED: True, session.KEPT: [["/a.gguf", "t", "heatmap"]]})
    )
    assert session.kept(Settings()) == [session.WindowState("/a.gguf", "t", "heatmap")]


def test_a_reference_belongs_to_the_model_that_it_was_meant_for(qtbot, started, tmp_path, model_file, other_file):
    application = started()
    window = application.windows[0]
    window.document.wanted_reference = str(other_file)
    window.open_paths([str(tmp_path / "gone.gguf")])
    settle(qtbot, application)
    open_in(qtbot, application, model_file, window)
    settle(qtbot, application)
    assert window.document.comparing is None


@pytest.mark.parametrize(
    "stored",
    [
        ["a", "b", "c", "d", 5],
        ["a", "b", "c", 4, []],
        ["a", "b", "c", "d", [1]],
        ["a", "b"],
        ["a", "b", "c", "d", [], [["a", "b", 1]]],
    ],
)
def test_a_window_of_a_session_that_makes_no_sense_is_left_out(stored, own_settings):
    own_settings.mkdir()
    (own_settings / "settings.json").write_text(
        json.dumps({session.WANTED: True, session.KEPT: [stored, ["ok", "", ""]]})
    )
    assert session.kept(Settings()) == [session.WindowState("ok")]


@pytest.mark.parametrize("stored", [3, [3], [["a"]], [["", "", ""]], [["a\0b", "", ""]], [[1, 2, 3]], "x"])
def test_a_session_that_makes_no_sense(stored, own_settings):
    own_settings.mkdir()
    (own_settings / "settings.json").write_text(json.dumps({session.WANTED: True, session.KEPT: stored}))
    assert session.kept(Settings()) == []


def test_a_file_that_is_open_comes_to_the_front_whatever_path_leads_to_it(qtbot, started, model_file, tmp_path):
    application = started(model_file)
    link = tmp_path / "link.gguf"
    link.symlink_to(model_file)
    other = application._show_another()
    other.open_paths([str(link)])
    qtbot.waitUntil(lambda: len(application.windows) == 1)
    assert application.windows[0].contents.path == str(model_file)


def test_a_window_that_shows_another_file_stays_when_it_asks_for_one_that_is_open(
    qtbot, started, model_file, other_file
):
    application = started(model_file)
    other = open_in(qtbot, application, other_file)
    other.open_paths([str(model_file)])
    settle(qtbot, application)
    assert [window.contents.path for window in application.windows] == [str(model_file), str(other_file)]
    assert other.stack.currentWidget() is other.explorer
