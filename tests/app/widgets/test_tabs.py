"""Rows of tabs."""

from __future__ import annotations

import pytest

from tensorloupe.widgets.tabs import Tabs


@pytest.mark.parametrize(
    "words", [("Overview", "Heatmap", "Blocks", "Values", "Error", "What if"), ("Metadata  33", "Files  1")]
)
def test_no_tab_moves_when_another_is_selected(qtbot, window, words):
    tabs = Tabs("Views", words)
    tabs.setParent(window)  # which has the style sheet
    tabs.resize(900, 40)
    tabs.show()
    places = set()
    for at in range(tabs.count()):
        tabs.setCurrentIndex(at)
        places.add(tuple(tabs.tabRect(n).x() for n in range(tabs.count())))
    assert len(places) == 1
