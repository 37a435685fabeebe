from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tensorloupe.widgets.choice import Choice


def turn_down(choice: Choice) -> None:
    at = QPointF(5, 5)
    no = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    QApplication.sendEvent(choice, QWheelEvent(at, at, QPoint(), QPoint(0, -120), *no))


def test_the_wheel_changes_a_choice_only_with_the_focus(qtbot: QtBot) -> None:
    choice = Choice("Limits", (("one", 1), ("two", 2)))
    qtbot.addWidget(choice)
    choice.show()
    choice.clearFocus()
    turn_down(choice)
    assert choice.value == 1
    choice.activateWindow()
    choice.setFocus()
    qtbot.waitUntil(choice.hasFocus)
    turn_down(choice)
    assert choice.value == 2
