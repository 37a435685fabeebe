"""A block beside the reference: the same places of the original, and what the block differs from them."""

from __future__ import annotations

import numpy as np

import weightmap
from tensorloupe.views.blocks.words import significant


def blocks_of(window, settled, name):  # type: ignore[no-untyped-def]
    area = window.explorer.area
    window.explorer.tree.select(window.document.model.tensors[name])
    area.open_tab(area.all_views().index("blocks"))
    settled()
    return area.view


def test_a_block_is_shown_beside_the_reference(window, compared, settled, bad, reference):
    compared(bad, reference)
    view = blocks_of(window, settled, "blk.0.ffn_down.weight")
    view.go(view.at.at(3, 5))
    settled()
    block = view.page.block
    *leading, first = block.position
    with weightmap.open(reference) as model:
        wanted = model.tensors["blk.0.ffn_down.weight"][(*leading, slice(first, first + 32))].astype(np.float64)
    error = block.values - wanted
    assert f"reference {significant(float(wanted[5]), 5)} · error {significant(float(error[5]), 3)}" == (
        view.page.line._reference.text()
    )
    shown = [button for button in view.page.switch.buttons if not button.isHidden()]
    assert [button.text() for button in shown] == ["Codes", "Values", "Reference", "Errors"]
    shown[2].click()
    assert view.page.grid._texts == [significant(value, 3) for value in wanted.tolist()]
    shown[3].click()
    assert view.page.grid._texts == [significant(value, 3) for value in error.tolist()]
    assert view.page.grid_head.words.whole.startswith("rms error of the block ")
    window.do("detach")
    settled()
    assert [b.text() for b in view.page.switch.buttons if not b.isHidden()] == ["Codes", "Values"]
    assert view.page.grid.shown == "codes" and view.page.line._reference.isHidden()
