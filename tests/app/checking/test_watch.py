"""Files that change while they are open: noticed when the window is turned to, now and then, and after a failed read."""

import os
import time

import pytest

from tensorloupe.window.arrivals import moment


def test_a_changed_file_is_told_once_with_its_time(qtbot, opened, model_file):
    window = opened(model_file)
    with model_file.open("ab") as out:
        out.write(bytes(64))
    window.watch.set_active(True)
    qtbot.waitUntil(window.strip.isVisible, timeout=5_000)
    assert (
        window.strip.sentence.whole
        == f"The file changed on disk at {time.strftime('%H:%M', time.localtime(os.stat(model_file).st_mtime))}."
    )
    assert "grew" in window.strip.consequence.whole or "larger" in window.strip.consequence.whole
    window.strip.hide()
    window.opener.check_stale()
    qtbot.waitUntil(lambda: window.tasks.idle)
    assert window.strip.isHidden()
    window.watch.set_active(False)


def test_the_clock_looks_while_the_window_is_in_use(qtbot, opened, model_file):
    window = opened(model_file)
    window.watch._timer.setInterval(20)
    window.watch.set_active(True)
    qtbot.wait(60)
    assert window.strip.isHidden()
    os.utime(model_file, (1_000_000_000, 1_000_000_000))
    qtbot.waitUntil(window.strip.isVisible, timeout=5_000)
    assert (
        window.strip.sentence.whole.startswith("The file changed on disk on ")
        and " 2001 at " in window.strip.sentence.whole
    )
    window.watch.set_active(False)


def test_a_deleted_file_is_said_and_stays_readable(qtbot, opened, model_file):
    window = opened(model_file)
    model_file.unlink()
    window.opener.check_stale()
    qtbot.waitUntil(window.strip.isVisible, timeout=5_000)
    assert window.strip.sentence.whole.startswith("The file was deleted or moved")
    before = window.contents
    window.strip._buttons[0].click()  # Reload finds nothing: what is open stays
    qtbot.waitUntil(lambda: window.strip.mark.status == "error", timeout=5_000)
    assert window.contents is before or window.contents.model is before.model
    assert window.contents.model.tensors["token_embd.weight"][0, 0] == 0


def test_a_failed_read_is_noticed_and_reload_keeps_everything(qtbot, opened, model_file):
    window = opened(model_file)
    tree = window.explorer.tree
    tree.filter.field.setText("attn")
    tree.view.header().setSortIndicator(3, tree.view.header().sortIndicatorOrder())
    whole = model_file.read_bytes()
    model_file.write_bytes(whole[:-100])
    tree.select(window.contents.model.tensors["blk.3.attn_q.weight"])
    qtbot.waitUntil(window.strip.isVisible, timeout=5_000)
    assert window.strip.sentence.whole.startswith("The file changed on disk at ")
    model_file.write_bytes(whole)
    before = window.contents.model
    window.strip._buttons[0].click()
    qtbot.waitUntil(lambda: window.contents.model is not before and window.tasks.idle, timeout=10_000)
    assert window.document.selected.name == "blk.3.attn_q.weight"
    assert tree.filter.field.text() == "attn" and tree.model.shown == 12
    assert tree.view.header().sortIndicatorSection() == 3


@pytest.mark.parametrize(("days", "said"), [(0, "at "), (400, "on ")])
def test_moments(days, said):
    from datetime import datetime, timedelta

    now = datetime(2024, 5, 17, 15, 0)
    assert moment((now - timedelta(days=days)).timestamp(), now).startswith(said)
    assert moment(1e300, now) == "meanwhile"
