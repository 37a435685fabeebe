"""Weights that lie in several tensors: folded in the tree, and a bar over the views that says what of them is looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from support.fp8 import DOWN, UP, squares

import weightmap
from tensorloupe.widgets.controls import Chip
from tensorloupe.window.window import Window


@pytest.fixture
def window(fp8_file: Path, opened: Callable[..., Window]) -> Window:
    return opened(fp8_file)


def rows(window: Window) -> dict[str, list[str]]:
    """Every row of the tree that is not at the top, under the name of its parent."""
    model, found = window.explorer.tree.model, {}
    stack = [model.index(row, 0) for row in range(model.rowCount())]
    while stack:
        index = stack.pop()
        children = [model.index(row, 0, index) for row in range(model.rowCount(index))]
        if children:
            assert all(model.parent(child) == index for child in children)
            found[str(index.data())] = [str(child.data()) for child in children]
        stack += children
    return found


def test_companions_fold_under_their_weight(window: Window) -> None:
    tree = window.explorer.tree
    QAbstractItemModelTester(tree.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert rows(window) == {
        "model.layers.0": ["input_layernorm.weight", "mlp.down_proj.weight", "mlp.up_proj.weight"],
        "mlp.down_proj.weight": ["weight", "weight_scale_inv"],
        "mlp.up_proj.weight": ["weight", "weight_scale_inv"],
    }
    outline = tree.model.outline
    weight = outline.number_of(window.document.model.composed[DOWN])
    index = tree.model.index_of(weight)
    assert [index.siblingAtColumn(c).data() for c in (1, 2, 3)] == ["fp8_block", "128 × 256", "32.8 kB"]
    group = tree.model.index(2, 0)
    assert group.data() == "model.layers.0" and group.siblingAtColumn(2).data() == "3 weights"
    held = 128 * 256 * 2 + 8 + 36 + 32
    assert group.siblingAtColumn(1).data() == f"{held * 8 / (128 * 256 * 2 + 8):.2f} bpw"
    assert tree.model.index(0, 2).data() == "6 tensors"  # of the whole file


def test_a_filter_for_a_companion_finds_its_weight(qtbot: QtBot, window: Window) -> None:
    tree = window.explorer.tree
    tree.filter.field.setText("down_proj.weight_scale")
    qtbot.waitUntil(lambda: tree.model.shown == 1)
    assert rows(window)["model.layers.0"] == ["mlp.down_proj.weight"]
    tree.filter.field.setText("weight_scale type:fp8_block -up")
    qtbot.waitUntil(lambda: rows(window).get("model.layers.0") == ["mlp.down_proj.weight"])
    tree.filter.field.setText("type:f8_e4m3")
    qtbot.waitUntil(lambda: tree.model.shown == 2)


def test_states_are_counted_once_for_a_weight(window: Window) -> None:
    chips = {chip.accessibleName(): chip.text().strip() for chip in window.explorer.tree.filter.findChildren(Chip)}
    assert chips["Show only: error"] == "1"


def test_selecting_a_companion_shows_it_as_stored(window: Window, settled: Callable[[], None]) -> None:
    tree, stored = window.explorer.tree, window.document.model.tensors[f"{DOWN}_scale_inv"]
    tree.select(stored)
    settled()
    assert tree.view.currentIndex().data() == "weight_scale_inv"
    assert tree.view.currentIndex().parent().data() == "mlp.down_proj.weight"
    assert window.explorer.area.looking.isHidden()
    assert window.explorer.area.subject.kind.text() == "F32"


def test_the_values_are_those_that_the_model_uses(window: Window, settled: Callable[[], None]) -> None:
    weight = window.document.model.composed[DOWN]
    window.explorer.tree.select(weight)
    window.explorer.area.open_tab(0)
    settled()
    area = window.explorer.area
    bar = area.looking.bar
    assert (
        "F8_E4M3 codes times one F32 scale" in bar.about.whole
        and "in 2 tensors: weight, weight_scale_inv" in bar.about.whole
    )
    shown = {row.label: row.exact for section in area.view.numbers.sections for row in section.rows}
    values = weight.array()
    assert float(shown["maximum"]) == float(values.max()) and shown["values"] == str(128 * 256)
    assert shown["tensors"] == f"{DOWN}\n{DOWN}_scale_inv"


def test_codes_and_scales_can_be_shown_instead(window: Window, settled: Callable[[], None]) -> None:
    weight, area = window.document.model.composed[DOWN], window.explorer.area
    window.explorer.tree.select(weight)
    area.open_tab(0)
    settled()
    bar = area.looking.bar
    assert [bar.layer.itemText(i) for i in range(bar.layer.count())] == ["values", "codes", "scales"]
    bar.layer.choose(2)
    settled()
    shown = {row.label: row.value for section in area.view.numbers.sections for row in section.rows}
    assert (shown["minimum"], shown["maximum"], shown["values"]) == ("0.25", "0.5", "2")
    for view in ("heatmap", "values"):
        area.open_tab(area.all_views().index(view))
        settled()
        assert area.view.tensor is area.looking.shown and area.view.tensor.name == "scales"
    texts = area.view.model
    assert [texts.text_at(0, column) for column in (0, 1)] == ["0.5", "0.25"]
    bar.layer.choose(0)
    settled()
    assert area.view.tensor is weight
    window.explorer.tree.select(window.document.model.tensors["model.embed_tokens.weight"])
    settled()
    assert area.looking.isHidden() and area.view.tensor.name == "model.embed_tokens.weight"


def test_a_weight_that_cannot_be_told_says_why(window: Window, settled: Callable[[], None]) -> None:
    weight, area = window.document.model.composed[UP], window.explorer.area
    assert weight.problem is not None
    window.explorer.tree.select(weight)
    for view in ("overview", "heatmap", "blocks", "values", "whatif"):
        area.open_tab(area.all_views().index(view))
        settled()
        assert area.view is None and not area._notice.isHidden(), view
        assert f"{UP}_scale_inv" in area._notice.what.text()
    assert area.subject.mark.status == "error"


def test_what_was_assumed_can_be_read_in_another_way(
    qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch, settled: Callable[[], None]
) -> None:
    weight, area = window.document.model.composed[DOWN], window.explorer.area
    kind, asked = type(weight), []
    real = kind.with_reading

    def with_reading(self, reading):  # type: ignore[no-untyped-def]
        asked.append(reading)
        other = real(self, None)
        other._reading = reading
        return other

    monkeypatch.setattr(kind, "assumed", property(lambda self: "Nothing says which nibble comes first."))
    monkeypatch.setattr(kind, "readings", property(lambda self: ("high nibble first",)))
    monkeypatch.setattr(kind, "with_reading", with_reading)
    made = weight.elements()
    monkeypatch.setattr(kind, "elements", lambda self: made)
    window.explorer.tree.select(weight)
    area.open_tab(0)
    settled()
    bar = area.looking.bar
    assert bar.assumed.text() == "Nothing says which nibble comes first."
    assert [button.text() for button in bar.buttons] == ["Read as high nibble first"]
    shown = {row.label: row for section in area.view.numbers.sections for row in section.rows}
    assert shown["reading"].value == "assumed"
    qtbot.mouseClick(bar.buttons[0], Qt.MouseButton.LeftButton)
    settled()
    assert asked == ["high nibble first"] and area.view.tensor.reading == "high nibble first"
    assert [button.text() for button in bar.findChildren(QPushButton) if button in bar.buttons] == [
        "Read as the likeliest"
    ]
    window.explorer.tree.select(None)
    window.explorer.tree.select(weight)
    settled()
    assert area.view.tensor.reading == "high nibble first"  # the choice holds for the weight
    monkeypatch.setattr(kind, "assumed", property(lambda self: None))
    bar.show_weight(with_reading(weight, "high nibble first"))
    assert bar.assumed.text() == "Shown in another reading than the file says: high nibble first."
    assert [button.text() for button in bar.buttons] == ["Read as the file says"]


def test_a_chosen_reading_is_kept_over_a_reload_unless_the_file_decides_now(
    qtbot: QtBot, window: Window, tmp_path: Path, settled
) -> None:  # type: ignore[no-untyped-def]
    path = squares(tmp_path / "m" / "model.safetensors")
    window.open_paths([str(path)])
    qtbot.waitUntil(lambda: window.document.path == str(path), timeout=20_000)
    area = window.explorer.area
    window.explorer.tree.select(window.document.model.composed["a.weight"])
    settled()
    area.looking.bar.reading_chosen.emit("scales of columns")
    settled()

    def reloaded() -> weightmap.Composed:
        before = window.document.model
        window.opener.reload()
        qtbot.waitUntil(lambda: window.document.model is not before, timeout=20_000)
        settled()
        return area.looking.weight

    assert reloaded().reading == "scales of columns"
    squares(path, decided=True)
    assert reloaded().reading is None
    squares(path)
    assert reloaded().reading is None  # it was let go of
