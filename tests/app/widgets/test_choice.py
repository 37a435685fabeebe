from pytestqt.qtbot import QtBot
from support.gestures import wheel

from tensorloupe.widgets.choice import Choice


def test_the_wheel_changes_a_choice_only_with_the_focus(qtbot: QtBot) -> None:
    choice = Choice("Limits", (("one", 1), ("two", 2)))
    qtbot.addWidget(choice)
    choice.show()
    choice.clearFocus()
    wheel(choice, -1)
    assert choice.value == 1
    choice.activateWindow()
    choice.setFocus()
    qtbot.waitUntil(choice.hasFocus)
    wheel(choice, -1)
    assert choice.value == 2
