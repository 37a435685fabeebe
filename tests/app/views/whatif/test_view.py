"""The view of other types: rows come while it runs, nothing stale is shown, cancel keeps what is there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog
from support.build import gguf
from support.tensors import stored
from support.trials import choose, done

import weightmap
from tensorloupe.items.whatif import RELATIVE
from tensorloupe.views import VIEWS, ViewContext


def test_the_rows_are_those_of_the_loader_and_the_curve_is_drawn(qtbot, view, tmp_path: Path, values) -> None:  # type: ignore[no-untyped-def]
    tensor = stored(tmp_path, values)
    view.show_tensor(tensor)
    done(qtbot, view)
    expected = {
        row.type: row for row in weightmap.whatif(tensor, [k.name for k in weightmap.whatif_types(writable=True)])
    }
    assert {row.type: row.found for row in view.rows} == expected
    assert view.controls.words.text() == f"{len(expected)} of {len(expected)} types"
    assert view.against.text() == "Errors against the F32 values of this file."
    assert view.stage.state == "picture" and view.has_picture
    spot, theme = view.curve.spot("Q4_K"), view.context.theme.colors
    image = view.curve.grab().toImage()
    assert image.pixelColor(round(spot.x()), round(spot.y())) == QColor(theme.series)
    stored_as = view.curve.spot("F32")
    assert image.pixelColor(round(stored_as.x()), round(stored_as.y())) == QColor(theme.second)


def test_a_quantized_tensor_is_told_from_a_float(qtbot, view, tmp_path: Path, values) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "q.gguf"
    blocks = np.zeros((1024, 34), np.uint8)
    blocks[:, :2] = np.float16(0.01).reshape(1).view(np.uint8)
    blocks[:, 2:] = np.random.default_rng(1).integers(0, 256, (1024, 32))
    path.write_bytes(gguf(tensors=[("w", (64, 512), 8, blocks.tobytes())]))
    with weightmap.open(path) as model:
        choose(view, "Q4_0", "Q8_0")
        view.show_tensor(model.tensors["w"])
        done(qtbot, view)
        assert "as Q8_0: the loss of quantizing again" in view.against.text()
        now = next(row for row in view.rows if row.found.stored)
        assert now.type == "Q8_0" and now.share == 1
        view.show_tensor(None)


def test_a_click_on_the_curve_finds_the_row_and_back(qtbot, view, tmp_path: Path, values) -> None:  # type: ignore[no-untyped-def]
    view.show_tensor(stored(tmp_path, values))
    done(qtbot, view)
    spot = view.curve.spot("Q5_0")
    qtbot.mouseClick(view.curve, Qt.MouseButton.LeftButton, pos=QPoint(round(spot.x()), round(spot.y())))
    assert view.model.rows[view.table.current_row()].type == "Q5_0"
    assert view.curve.marked == "Q5_0" and view.curve.accessibleDescription().startswith("Q5_0 · 5.50 bits")
    view.table.selectRow(view.model.position_of("BF16"))
    assert view.curve.marked == "BF16"
    qtbot.keyClick(view.curve, Qt.Key.Key_Left)
    assert view.curve.marked == "F16"  # as many bits, less error
    qtbot.keyClick(view.curve, Qt.Key.Key_Left)
    assert view.curve.marked == "Q8_K"


def test_only_what_lacks_is_tried_when_types_are_added(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    asked: list[list[str]] = []
    real = weightmap.whatif

    def spied(tensor, names, **rest):  # type: ignore[no-untyped-def]
        asked.append(list(names))
        return real(tensor, names, **rest)

    monkeypatch.setattr(weightmap, "whatif", spied)
    choose(view, "Q8_0")
    tensor = stored(tmp_path, values)
    view.show_tensor(tensor)
    done(qtbot, view)
    choose(view, "Q8_0", "Q4_0", "Q2_0")
    done(qtbot, view)
    assert asked == [["Q8_0"], ["Q4_0", "Q2_0"]]
    assert view.controls.types.text() == "3 types"
    assert view.table.columnSpan(view.model.position_of("Q2_0"), RELATIVE) == 5
    assert view.context.settings.get("whatif_types", []) == ["Q8_0", "Q4_0", "Q2_0"]
    other = stored(tmp_path, values + 1)
    view.show_tensor(other)
    done(qtbot, view)
    view.show_tensor(tensor)  # back: all is known
    assert view.trying.state == "done" and len(asked) == 3


def test_cancel_keeps_the_rows_and_can_be_resumed(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    real, held = weightmap.whatif, {"cancel": True}

    def slow(tensor, names, *, each, progress):  # type: ignore[no-untyped-def]
        if not held["cancel"]:
            return real(tensor, names, each=each, progress=progress)
        each(real(tensor, names[0])[0])
        while progress(1, 9):
            pass
        raise weightmap.Cancelled

    monkeypatch.setattr(weightmap, "whatif", slow)
    choose(view, "Q8_0", "Q4_0", "Q4_1")
    view.show_tensor(stored(tmp_path, values))
    qtbot.waitUntil(lambda: view.trying.known == 1, timeout=10_000)
    view.context.tasks.cancel(view.slot)
    assert view.trying.state == "cancelled" and view.trying.missing == ["Q4_1", "Q4_0"]
    assert not view.controls.resume.isHidden()
    held["cancel"] = False
    qtbot.mouseClick(view.controls.resume, Qt.MouseButton.LeftButton)
    done(qtbot, view)
    assert view.trying.missing == [] and view.controls.resume.isHidden()


def test_nothing_is_shown_under_another_name(qtbot, view, tmp_path: Path, values) -> None:  # type: ignore[no-untyped-def]
    choose(view, "Q4_0")
    tensors = [stored(tmp_path, values * scale) for scale in (1, 2, 3)]
    for tensor in tensors:
        view.show_tensor(tensor)
    done(qtbot, view)
    assert view.rows[0].found == weightmap.whatif(tensors[-1], "Q4_0")[0]
    view.show_tensor(None)
    assert view.rows == () and not view.has_picture
    assert view.stage.notice.what.text().startswith("No tensor selected.")


def test_the_table_is_exported_and_copied(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    choose(view, "Q8_0", "Q4_0")
    view.show_tensor(stored(tmp_path, values))
    done(qtbot, view)
    path = tmp_path / "types.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(view.written, timeout=10_000) as saved:
        view.export_table()
    assert saved.args == [str(path), None] and view.context.settings.get("exports", "") == str(tmp_path)
    assert [row["type"] for row in json.loads(path.read_text())] == ["Q8_0", "Q4_0"]
    view.copy_values()
    assert QGuiApplication.clipboard().text().splitlines()[2].startswith("Q4_0\t4.5\t")
    for ending in ("png", "svg"):
        picture = tmp_path / f"curve.{ending}"
        with qtbot.waitSignal(view.written, timeout=20_000) as saved:
            view.save_picture(str(picture))
        assert saved.args == [str(picture), None]
    assert QImage(str(tmp_path / "curve.png")).width() == 1920
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "x"), "CSV (*.csv)"))
    with qtbot.waitSignal(view.written, timeout=10_000) as saved:
        view.export_table()
    assert saved.args[0] == str(tmp_path / "none" / "x.csv") and isinstance(saved.args[1], FileNotFoundError)
    assert view.stage.state == "picture"  # what was found is still there to see


def test_narrow_views_show_curve_or_table(qtbot, view, tmp_path: Path, values) -> None:  # type: ignore[no-untyped-def]
    choose(view, "Q8_0", "Q4_0")
    view.show_tensor(stored(tmp_path, values))
    done(qtbot, view)
    assert view.controls.switch.isHidden() and not view.table.isHidden() and not view.stage.isHidden()
    view.resize(700, 400)
    assert not view.controls.switch.isHidden() and view.table.isHidden()
    qtbot.mouseClick(view.controls.switch.second, Qt.MouseButton.LeftButton)
    assert not view.table.isHidden() and view.stage.isHidden()
    done(qtbot, view)


def test_whole_numbers_have_no_other_types(context: ViewContext, tmp_path: Path) -> None:
    kind = next(kind for kind in VIEWS if kind.key == "whatif")
    whole = stored(tmp_path, np.arange(8, dtype=np.int32))
    assert not kind.supports(whole) and kind.why_not(whole).startswith("I32 holds no floats.")
    assert kind.supports(stored(tmp_path, np.zeros(8, np.float16)))
