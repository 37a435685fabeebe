"""Text of any length beside its key: shown whole, quickly, and copied as it is in the file."""

from __future__ import annotations

import time

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tensorloupe.widgets.longtext import LONGEST, MOST, LongText


@pytest.fixture
def shown(qtbot: QtBot) -> LongText:
    text = LongText()
    qtbot.addWidget(text)
    text.resize(420, 300)
    text.show()
    return text


def whole(qtbot: QtBot, text: LongText) -> str:
    qtbot.waitUntil(lambda: not text._left)
    return text.toPlainText()


@pytest.mark.parametrize(
    "value",
    [
        "x" * 300_000,
        '{"a": ["' + '", "'.join(f"word{n}" for n in range(20_000)) + '"]}',
        "{{ bos }}\n" + "\tline\n" * 20_000,
        "a" * 999 + " " + "b" * 1_001,
        "",
        "\n",
    ],
)
def test_long_text_is_shown_whole_and_copied_without_breaks(qtbot: QtBot, shown: LongText, value: str) -> None:
    assert shown.show_text(value) == len(value)
    assert whole(qtbot, shown) == value
    shown.selectAll()
    assert shown.selected_text() == value
    if value:
        assert shown.createMimeDataFromSelection().text() == value


def test_a_line_without_a_space_is_laid_out_quickly(qtbot: QtBot, shown: LongText) -> None:
    shown.show_text("x" * 100_000)
    whole(qtbot, shown)
    began = time.thread_time()
    shown.resize(520, 300)
    QApplication.processEvents()
    assert time.thread_time() - began < 0.05  # as one line it takes Qt a quarter of a second and more


def test_lines_are_broken_at_spaces(qtbot: QtBot, shown: LongText) -> None:
    shown.show_text("word " * 1_000)
    whole(qtbot, shown)
    cursor = QTextCursor(shown.document().firstBlock())
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText() == "word " * 200 + "\u200b"
    assert shown.document().blockCount() == 5


def test_what_would_not_show_is_escaped(qtbot: QtBot, shown: LongText) -> None:
    shown.show_text("a\u200bb\u202ec\r\nd\x00")
    assert whole(qtbot, shown) == "a\\u200bb\\u202ec\nd\\x00"


def test_the_longest_is_cut(qtbot: QtBot, shown: LongText) -> None:
    assert shown.show_text("x" * (LONGEST + 1)) == LONGEST
    assert shown.show_text("\n" * 500_000) == MOST - 1
    assert shown.show_text("short") == 5
    assert whole(qtbot, shown) == "short"
