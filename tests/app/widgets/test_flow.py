"""Rows that flow: what stands in them, and where."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tensorloupe.widgets.flow import FlowLayout


def test_what_stands_in_a_flowing_row_is_centred_in_it(qtbot: QtBot) -> None:
    box = QWidget()
    qtbot.addWidget(box)
    flow = FlowLayout(box, 10)
    high, low = QWidget(), QWidget()
    for widget, height in ((high, 40), (low, 20)):
        widget.setFixedSize(50, height)
        flow.addWidget(widget)
    box.resize(200, 60)
    box.show()
    assert high.geometry().center().y() == low.geometry().center().y()
