"""What is left of names that have no room."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication

from tensorloupe.items.roles import Look
from tensorloupe.widgets.delegate import fitting

NAMES = ("attn_output.weight", "attn_output.bias", "attn_output_norm.weight", "attn_output_norm.bias")


@pytest.mark.parametrize("room", range(11, 22))
def test_names_that_differ_in_their_ends_are_told_apart(qapp: QApplication, room: int) -> None:
    metrics = QFontMetrics(QFont())
    width = room * metrics.averageCharWidth()
    shown = [fitting(metrics, Look(name, middle=True), width) for name in NAMES]
    assert len(set(shown)) == len(NAMES)
    assert all(metrics.horizontalAdvance(words) <= width for words in shown)


def test_of_a_name_the_usual_ending_goes_first(qapp: QApplication) -> None:
    metrics = QFontMetrics(QFont())
    width = metrics.horizontalAdvance("attn_output…") + 1
    assert fitting(metrics, Look("attn_output.weight", middle=True), width) == "attn_output…"
    assert fitting(metrics, Look("attn_output.weight"), width).startswith("attn_outpu")
    assert fitting(metrics, Look("attn_k.bias", middle=True), 10 * width) == "attn_k.bias"
