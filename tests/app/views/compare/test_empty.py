"""The view of errors before there is a reference: it says what one is for, and offers to attach it."""

from __future__ import annotations

from tensorloupe.views.compare.empty import SENTENCE
from tensorloupe.widgets.controls import PlainLabel


def test_without_a_reference(opened, bad, settled) -> None:
    window = opened(bad)
    window.explorer.tree.select(window.document.model.tensors["blk.1.attn_k.weight"])
    area = window.explorer.area
    area.open_tab(area.all_views().index("error"))
    settled()
    assert SENTENCE in [label.text() for label in area.view.findChildren(PlainLabel) if label.isVisible()]
