from __future__ import annotations

import pytest
from PySide6.QtWidgets import QCheckBox, QLineEdit, QMenu, QPushButton
from pytestqt.qtbot import QtBot
from support.events import flush

from tensorloupe.views.controls import ControlRow
from tensorloupe.views.heat.controls import mark
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
    row._submenus[0].actions()[1].trigger()
    assert chosen == [257] and bins.value == 257
    row._menu.aboutToShow.emit()
    flush()
    assert row._menu.findChildren(QMenu) == row._submenus and len(row._submenus) == 1  # none is left of the first time
    row.resize(900, 44)
    assert bins.isVisible() and row._more.isHidden()


def test_a_field_that_was_never_wrong_is_not_dressed_anew(qtbot):
    class Field(QLineEdit):
        def style(self):
            raise AssertionError("the first to ask for a style waits until PySide has made all enums of QStyle")

    field = Field()
    qtbot.addWidget(field)
    mark(field, False)
