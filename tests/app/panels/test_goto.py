"""Going to a tensor by some of its name, in whichever model is open by then."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog

from tensorloupe.window import commands


def test_go_to_a_tensor_by_some_of_its_name(qtbot, opened, model_file):
    window = opened(model_file)
    commands.run(window, "goto_tensor")
    from tensorloupe.panels.goto import GoTo

    dialog = next(child for child in window.findChildren(GoTo))
    qtbot.keyClicks(dialog.field, "7 attn")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.document.selected.name == "blk.7.attn_q.weight"
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


def test_going_to_a_tensor_goes_on_in_the_model_that_opened_meanwhile(qtbot, opened, model_file, other_file):
    window = opened(model_file)
    commands.run(window, "goto_tensor")
    dialog = next(child for child in window.findChildren(QDialog) if child.windowTitle() == "Go to tensor")
    qtbot.keyClicks(dialog.field, "weight")
    opened(other_file)
    assert dialog.isVisible() and dialog.list.model().stringList() == ["a.weight"]
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.document.selected is window.document.model.tensors["a.weight"]
    commands.run(window, "goto_tensor")
    commands.run(window, "close")
    assert not dialog.isVisible() and window.document.selected is None
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
