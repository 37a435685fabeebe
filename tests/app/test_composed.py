"""Weights that lie in several tensors, in the window: folded in the tree, looked at as values, codes and scales."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from support.build import safetensors

import weightmap
from tensorloupe.items.outline import build_outline
from tensorloupe.views.made.view import MadeView
from tensorloupe.widgets.controls import Chip
from tensorloupe.window.compare_commands import attach
from tensorloupe.window.window import Window

DOWN, UP = "model.layers.0.mlp.down_proj.weight", "model.layers.0.mlp.up_proj.weight"


def codes(rows: int, columns: int, seed: int) -> bytes:
    found = np.random.default_rng(seed).integers(0, 126, (rows, columns)).astype(np.uint8)
    return (found | (np.arange(columns, dtype=np.uint8) % 2 * 128)).tobytes()


@pytest.fixture
def fp8_file(tmp_path: Path) -> Path:
    """Two weights of F8_E4M3 codes with block scales, one of them broken, and plain tensors around them."""
    scales = np.array([[0.5, 0.25]], np.float32)
    path = tmp_path / "fp8" / "model.safetensors"
    path.parent.mkdir()
    path.write_bytes(
        safetensors(
            [
                ("model.embed_tokens.weight", "F32", (4, 8), np.arange(32, dtype=np.float32).tobytes()),
                (DOWN, "F8_E4M3", (128, 256), codes(128, 256, 1)),
                (f"{DOWN}_scale_inv", "F32", (1, 2), scales.tobytes()),
                ("model.layers.0.input_layernorm.weight", "F32", (8,), np.ones(8, np.float32).tobytes()),
                (UP, "F8_E4M3", (128, 256), codes(128, 256, 2)),
                (f"{UP}_scale_inv", "F32", (3, 3), np.ones(9, np.float32).tobytes()),
            ]
        )
    )
    (path.parent / "config.json").write_text(
        json.dumps({"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})
    )
    return path


@pytest.fixture
def window(fp8_file: Path, opened: Callable[..., Window]) -> Window:
    return opened(fp8_file)


def settle(qtbot: QtBot, window: Window) -> None:
    qtbot.wait(60)
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)


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
    assert group.data() == "model.layers.0" and group.siblingAtColumn(2).data() == "3 tensors"
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


def test_selecting_a_companion_shows_it_as_stored(qtbot: QtBot, window: Window) -> None:
    tree, stored = window.explorer.tree, window.document.model.tensors[f"{DOWN}_scale_inv"]
    tree.select(stored)
    settle(qtbot, window)
    assert tree.view.currentIndex().data() == "weight_scale_inv"
    assert tree.view.currentIndex().parent().data() == "mlp.down_proj.weight"
    assert window.explorer.area.looking.isHidden()
    assert window.explorer.area.subject.kind.text() == "F32"


def test_the_values_are_those_that_the_model_uses(qtbot: QtBot, window: Window) -> None:
    weight = window.document.model.composed[DOWN]
    window.explorer.tree.select(weight)
    window.explorer.area.open_tab(0)
    settle(qtbot, window)
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


def test_codes_and_scales_can_be_shown_instead(qtbot: QtBot, window: Window) -> None:
    weight, area = window.document.model.composed[DOWN], window.explorer.area
    window.explorer.tree.select(weight)
    area.open_tab(0)
    settle(qtbot, window)
    bar = area.looking.bar
    assert [bar.layer.itemText(i) for i in range(bar.layer.count())] == ["values", "codes", "scales"]
    bar.layer.choose(2)
    settle(qtbot, window)
    shown = {row.label: row.value for section in area.view.numbers.sections for row in section.rows}
    assert (shown["minimum"], shown["maximum"], shown["values"]) == ("0.25", "0.5", "2")
    for view in ("heatmap", "values"):
        area.open_tab(area.all_views().index(view))
        settle(qtbot, window)
        assert area.view.tensor is area.looking.shown and area.view.tensor.name == "scales"
    texts = area.view.model
    assert [texts.text_at(0, column) for column in (0, 1)] == ["0.5", "0.25"]
    bar.layer.choose(0)
    settle(qtbot, window)
    assert area.view.tensor is weight
    window.explorer.tree.select(window.document.model.tensors["model.embed_tokens.weight"])
    settle(qtbot, window)
    assert area.looking.isHidden() and area.view.tensor.name == "model.embed_tokens.weight"


def test_the_block_view_shows_how_a_value_is_made(qtbot: QtBot, window: Window) -> None:
    weight, area = window.document.model.composed[DOWN], window.explorer.area
    window.explorer.tree.select(weight)
    area.open_tab(area.all_views().index("blocks"))
    settle(qtbot, window)
    view = area.view
    assert isinstance(view, MadeView)
    view.position.setText("5, 200")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert view.steps.rows == weight.explain((5, 200))
    assert np.float32(view.steps.rows[-1][1]) == weight[5, 200]
    assert [row.name for row in view.sources.rows] == [DOWN, f"{DOWN}_scale_inv"]
    view.setFocus()
    for key, at in ((Qt.Key.Key_Right, (5, 201)), (Qt.Key.Key_Down, (6, 201)), (Qt.Key.Key_PageUp, (6, 169))):
        qtbot.keyClick(view, key)
        settle(qtbot, window)
        assert view.at == at and view.steps.rows == weight.explain(at)
    view.position.setText("500, 0")
    qtbot.keyClick(view.position, Qt.Key.Key_Return)
    assert view.position.property("wrong") is True
    view.copy_values()
    assert QGuiApplication.clipboard().text().splitlines()[-1] == f"value\t{view.steps.rows[-1][1]}"
    qtbot.keyClick(view, Qt.Key.Key_Return)
    settle(qtbot, window)
    heatmap = area.view
    assert heatmap.picture.frame.pointer == (6, 169)
    qtbot.keyClick(heatmap.picture, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert area.view is view and view.at == (6, 169)
    area.open_tab(area.all_views().index("whatif"))
    settle(qtbot, window)
    assert "as fp8_block: the loss of quantizing again" in area.view.against.text()
    assert {row.type: row.found for row in area.view.rows}["Q8_0"] == weightmap.whatif(weight, "Q8_0")[0]


def test_a_weight_that_cannot_be_told_says_why(qtbot: QtBot, window: Window) -> None:
    weight, area = window.document.model.composed[UP], window.explorer.area
    assert weight.problem is not None
    window.explorer.tree.select(weight)
    for view in ("overview", "heatmap", "blocks", "values", "whatif"):
        area.open_tab(area.all_views().index(view))
        settle(qtbot, window)
        assert area.view.stage.state == "failed", view
        assert f"{UP}_scale_inv" in area.view.stage.notice.what.text()
    assert area.subject.mark.status == "error"


def test_what_was_assumed_can_be_read_in_another_way(qtbot: QtBot, window: Window, monkeypatch) -> None:  # type: ignore[no-untyped-def]
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
    settle(qtbot, window)
    bar = area.looking.bar
    assert bar.assumed.text() == "Nothing says which nibble comes first."
    assert [button.text() for button in bar.buttons] == ["Read as high nibble first"]
    shown = {row.label: row for section in area.view.numbers.sections for row in section.rows}
    assert shown["reading"].value == "assumed"
    qtbot.mouseClick(bar.buttons[0], Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert asked == ["high nibble first"] and area.view.tensor.reading == "high nibble first"
    assert [button.text() for button in bar.findChildren(QPushButton) if button in bar.buttons] == [
        "Read as the likeliest"
    ]
    window.explorer.tree.select(None)
    window.explorer.tree.select(weight)
    settle(qtbot, window)
    assert area.view.tensor.reading == "high nibble first"  # the choice holds for the weight


def squares(path: Path, *, decided: bool = False) -> Path:
    """Two square experts with as many scales as rows and as columns; `decided` says by their shape that they are of rows."""
    scales = np.linspace(0.1, 0.9, 16, dtype=np.float32)
    shape = (2, 8, 1) if decided else (2, 8)
    path.parent.mkdir(exist_ok=True)
    entries = [
        ("a.weight", "F8_E4M3", (2, 8, 8), codes(16, 8, 3)),
        ("a.weight_scale", "F32", shape, scales.tobytes()),
    ]
    path.write_bytes(safetensors(entries))
    return path


def test_a_chosen_reading_is_kept_over_a_reload_unless_the_file_decides_now(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    path = squares(tmp_path / "m" / "model.safetensors")
    window.open_paths([str(path)])
    qtbot.waitUntil(lambda: window.document.path == str(path), timeout=20_000)
    area = window.explorer.area
    window.explorer.tree.select(window.document.model.composed["a.weight"])
    settle(qtbot, window)
    area.looking.bar.reading_chosen.emit("scales of columns")
    settle(qtbot, window)

    def reloaded() -> weightmap.Composed:
        before = window.document.model
        window.opener.reload()
        qtbot.waitUntil(lambda: window.document.model is not before, timeout=20_000)
        settle(qtbot, window)
        return area.looking.weight

    assert reloaded().reading == "scales of columns"
    squares(path, decided=True)
    assert reloaded().reading is None
    squares(path)
    assert reloaded().reading is None  # it was let go of


def test_a_tensor_of_several_weights_stays_by_itself(tmp_path: Path) -> None:
    class Weight:
        problem, shape, count, nbytes, status, values_checked = None, (2,), 2, 8, "ok", False
        scheme, path = "scheme", "p"

        def __init__(self, name: str, *sources: str) -> None:
            self.name, self.sources = name, sources

    path = tmp_path / "m.safetensors"
    data = np.zeros(2, np.float32).tobytes()
    path.write_bytes(safetensors([(name, "F32", (2,), data) for name in ("a.codes", "b.codes", "shared")]))
    with weightmap.open(path) as model:
        weights = Weight("a.weight", "a.codes", "shared"), Weight("b.weight", "b.codes", "shared")
        outline = build_outline(model.records, {str(path): 1000}, weights)
        assert outline.under.tolist() == [3, 4, -1, -1, -1]
        assert outline.parts == {3: (0,), 4: (1,)} and outline.listed.tolist() == [2, 3, 4]
        assert outline.share.tolist() == [1] * 5


def test_errors_are_those_of_the_weight_and_not_of_its_codes(qtbot, window, fp8_file: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with weightmap.open(str(fp8_file)) as model:
        values = model.composed[DOWN].array()
    original = tmp_path / "original.safetensors"
    original.write_bytes(safetensors([(DOWN, "F32", values.shape, (values * 1.01).astype(np.float32).tobytes())]))
    attach(window, str(original))
    settle(qtbot, window)
    model, comparing = window.document.model, window.document.comparing
    error = comparing.error_of(model.composed[DOWN])
    assert error.relative_rmse == pytest.approx(0.01 / 1.01, rel=1e-3)
    assert comparing.error_of(model.tensors[DOWN]) is None


def test_states_are_counted_once_for_a_weight(window: Window) -> None:
    chips = {chip.accessibleName(): chip.text().strip() for chip in window.explorer.tree.filter.findChildren(Chip)}
    assert chips["Show only: error"] == "1"
