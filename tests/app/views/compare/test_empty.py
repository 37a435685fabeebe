"""The view of errors before there is a reference: it says what one is for, and offers to attach it."""

from __future__ import annotations

from support.build import safetensors

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


def test_where_nothing_pairs_the_reasons_have_the_room_of_the_pictures(opened, bad, settled, tmp_path) -> None:
    other = tmp_path / "other.safetensors"
    other.write_bytes(safetensors([("something.else", "F32", (4, 4), bytes(64))]))
    window = opened(bad)
    window.resize(1366, 768)
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_k.weight"])
    attach(window, str(other))
    settled()
    view = window.explorer.area.view
    assert "answers to this file" in view.strip.sentence.text()
    assert view.strip.height() <= view.strip.heightForWidth(view.strip.width()) + 2 < 100
    assert window.status.said.text().startswith("nothing in other.safetensors") and window.status._mark.isHidden()
