"""The view of errors before there is a reference: it says what one is for, and offers to attach it."""

from __future__ import annotations

from tensorloupe.views.compare.empty import SENTENCE
from tensorloupe.widgets.controls import PlainLabel
from tensorloupe.window.compare_commands import attach


def test_without_a_reference(opened, bad, settled) -> None:
    window = opened(bad)
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_k.weight"])
    area = window.explorer.area
    area.open_tab(area.all_views().index("error"))
    settled()
    assert SENTENCE in [label.text() for label in area.view.findChildren(PlainLabel) if label.isVisible()]


def test_the_dock_stays_until_there_are_pictures_to_make_room_for(opened, bad, reference, settled) -> None:
    window = opened(bad)
    window.resize(1366, 768)
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_k.weight"])
    area, dock = window.explorer.area, window.explorer.dock
    area.open_tab(area.all_views().index("error"))
    settled()
    assert not dock.folded
    attach(window, str(reference))
    settled()
    assert dock.folded
    window.do("detach")
    settled()
    assert not dock.folded
