"""Chips with an icon behind their word: what they open reads as all menus do."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Chip


def test_the_menu_of_a_chip_is_not_mirrored(qtbot: QtBot, theme: Theme) -> None:
    chip = Chip(theme, "Jump to", "Jump", icon="down")
    qtbot.addWidget(chip)
    menu = QMenu(chip)
    chip.setMenu(menu)
    assert chip.isRightToLeft()  # for its icon, which Qt would hand on to what it opens
    assert menu.testAttribute(Qt.WidgetAttribute.WA_SetLayoutDirection)
    assert menu.layoutDirection() == Qt.LayoutDirection.LeftToRight
