"""The list of findings: columns as wide as what stands in them, most of the room for what is said."""

from __future__ import annotations

import pytest

from tensorloupe.items.findings import CODE, WHAT, WHERE
from tensorloupe.panels.findings import FindingsPanel
from weightmap import Finding, Severity


@pytest.fixture
def panel(qtbot, theme):
    panel = FindingsPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(913, 200)
    panel.show()
    return panel


def finding(code, tensor="blk.0.w"):
    message = "The tensor holds something else than was promised for it. " * 3
    return Finding(severity=Severity.WARNING, code=code, message=message, tensor=tensor)


def widths(panel):
    return [panel.table.columnWidth(column) for column in (CODE, WHAT, WHERE)]


def test_what_is_said_has_more_room_than_where_it_is(panel):
    panel.show_findings([finding("unexpected_tensor"), finding("non_finite", "blk.12.attn_output_norm.weight" * 4)])
    code, what, where = widths(panel)
    assert what > where and what > code
    assert code + what + where <= panel.table.viewport().width() + 1
    metrics = panel.table.fontMetrics()
    assert code > metrics.horizontalAdvance("unexpected_tensor") + 22  # the code and its shape in full


def test_short_codes_and_places_leave_their_room_to_what_is_said(panel):
    panel.show_findings([finding("unexpected_tensor", "blk.12.attn_output_norm.weight")])
    before = widths(panel)
    panel.show_findings([finding("gap", "w")])
    after = widths(panel)
    assert after[CODE] < before[CODE] and after[WHERE] < before[WHERE] and after[WHAT] > before[WHAT]


def test_a_narrow_panel_keeps_more_for_the_list_than_for_the_reader(qtbot, panel):
    panel.show_findings([finding("gap")])
    assert panel.reader.width() == round(913 * 0.42)
    panel.resize(620, 200)
    qtbot.waitUntil(lambda: panel.table.width() == 620 - 1 - panel.reader.width())
    assert panel.reader.width() < panel.table.width()
    panel.resize(1500, 200)
    assert panel.reader.width() == 384


def test_long_places_are_told_apart_by_their_ends(panel):
    panel.show_findings([finding("gap", "model.layers.0.mlp.experts.17.down_proj.weight_scale_inv")])
    index = panel.model.index(0, WHERE)
    assert panel.model.look(index).middle and not panel.model.look(panel.model.index(0, WHAT)).middle
    assert panel.model.tip(panel.model.rows[0], WHERE) == panel.model.rows[0].tensor
