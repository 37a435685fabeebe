from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QPushButton
from pytestqt.qtbot import QtBot

from tensorloupe.style.theme import Theme
from tensorloupe.views.controls import ControlRow
from tensorloupe.views.numbers import Numbers
from tensorloupe.views.rows import Number, Section
from tensorloupe.widgets.choice import Choice


@pytest.fixture
def row(qtbot: QtBot) -> ControlRow:
    made = ControlRow()
    qtbot.addWidget(made)
    made.add(Choice("Limits", (("one", 1), ("two", 2))), "Limits")
    made.add(QCheckBox("Borders"), rank=2)
    made.add(Choice("Bins", (("65", 65), ("257", 257))), "Bins", rank=3)
    made.stretch()
    made.add(QPushButton("Reset"), rank=4)
    made.resize(900, 44)
    made.show()
    return made


def test_what_has_no_room_moves_into_the_menu_and_works_there(row: ControlRow) -> None:
    box, bins, button = row.findChild(QCheckBox), row.findChildren(Choice)[1], row.findChild(QPushButton)
    assert box.isVisible() and bins.isVisible() and button.isVisible() and row._more.isHidden()
    row.resize(240, 44)
    assert not (box.isVisible() or bins.isVisible() or button.isVisible()) and row._more.isVisible()
    row._menu.aboutToShow.emit()
    names = [action.text() for action in row._menu.actions()]
    assert names == ["Borders", "Bins", "Reset"]
    row._menu.actions()[0].trigger()
    assert box.isChecked()
    chosen = []
    bins.chosen.connect(chosen.append)
    row._menu.actions()[1].menu().actions()[1].trigger()
    assert chosen == [257] and bins.value == 257
    row.resize(900, 44)
    assert bins.isVisible() and row._more.isHidden()


def test_the_wheel_changes_a_choice_only_with_the_focus(qtbot: QtBot, row: ControlRow) -> None:
    choice = row.findChild(Choice)
    at = QPointF(5, 5)
    no = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    choice.clearFocus()
    QApplication.sendEvent(choice, QWheelEvent(at, at, QPoint(), QPoint(0, -120), *no))
    assert choice.value == 1


def test_numbers_are_there_as_text_in_full(qtbot: QtBot) -> None:
    numbers = Numbers(Theme("light"))
    qtbot.addWidget(numbers)
    numbers.show_sections(
        [Section("Values", (Number("mean", "1.5e−05", short="mean", exact="1.5123e-05"), Number("NaN", "0")))]
    )
    assert numbers.text() == "mean\t1.5123e-05\nNaN\t0"
    assert numbers.accessibleDescription() == numbers.text()
    column = numbers.heightForWidth(250)
    numbers.flow = True
    assert 0 < numbers.heightForWidth(600) < column
    assert numbers.heightForWidth(40) >= numbers.heightForWidth(600)
