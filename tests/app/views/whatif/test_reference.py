"""What the original would lose in other types, beside what this file lost of it."""

from __future__ import annotations

import pytest

import weightmap
from tensorloupe.items.whatif import RATIO


def test_types_are_tried_on_the_reference(qtbot, window, compared, settled, bad, reference):
    compared(bad, reference)
    name = "blk.0.ffn_down.weight"
    weight, area = window.document.model.tensors[name], window.explorer.area
    window.explorer.tree.select(weight)
    area.open_tab(area.all_views().index("whatif"))
    settled()
    view = area.view
    assert view.against.text().startswith("Errors against original.gguf") and "diamond" in view.against.text()
    with weightmap.open(reference) as model:
        expected = {row.type: row for row in weightmap.whatif(model.tensors[name], ["Q8_0", "Q4_0"])}
    found = {row.type: row for row in view.rows}
    own = window.document.comparing.error_of(weight)
    for kind in ("Q8_0", "Q4_0"):
        assert found[kind].found.rmse == pytest.approx(expected[kind].rmse, rel=1e-12)
        assert found[kind].ratio == expected[kind].rmse / own.rmse
    assert found["Q4_0"].stored and found["Q4_0"].ratio == pytest.approx(1, rel=0.1)  # the type that it is stored in
    assert not view.table.isColumnHidden(RATIO)
    assert view.drawing.curve.error == own.relative_rmse
    view.controls.against.choose(1)
    settled()
    assert view.against.text().startswith("Errors against the values that this tensor holds now")
    assert view.drawing.curve.error is None and view.table.isColumnHidden(RATIO)
    assert {row.type: row.found for row in view.rows}["Q8_0"] == weightmap.whatif(weight, "Q8_0")[0]
    view.controls.against.choose(0)
    assert view.trying.state == "done"  # nothing is tried twice
    window.do("detach")
    settled()
    assert view.against.text().startswith("Errors against the values that this tensor holds now")
    assert view.controls.against.isHidden()
