"""Values taken along: whole files under safe names, never over the model, and words where it does not work."""

import json
import os
import threading

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from support.build import safetensors

import weightmap
from tensorloupe.files.writing import safe_name
from tensorloupe.window.compare_commands import attach
from tensorloupe.window.exporting import export_values


@pytest.fixture
def answer(monkeypatch):
    """Answers the dialog; gives back what it was asked with."""
    asked = {}

    def to(path, chosen="NumPy array (*.npy)"):
        def dialog(parent, title, start, filters):
            asked.update(start=start, filters=filters)
            return str(path), chosen

        monkeypatch.setattr(QFileDialog, "getSaveFileName", dialog)
        return asked

    return to


def exported(qtbot, window):
    window.do("export_values")
    qtbot.waitUntil(lambda: window.tasks.idle, timeout=10_000)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.safetensors"
    values = np.array([[0.1, np.nan], [-np.inf, 2]], "<f4")
    path.write_bytes(safetensors((("../x", "F32", (2, 2), values.tobytes()), ("n", "I64", (1,), b"\xff" * 8))))
    return path


def test_npy_and_csv(qtbot, opened, model, answer, tmp_path):
    window = opened(model, tensor="../x")
    qtbot.waitUntil(lambda: window.status.said.text().startswith("exact"))
    asked = answer(tmp_path / "out.npy")
    exported(qtbot, window)
    assert os.path.basename(asked["start"]) == "_x.npy"
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.array([[0.1, np.nan], [-np.inf, 2]], np.float32))
    qtbot.waitUntil(
        lambda: window.status.said.text() == "Wrote 4 values to out.npy, 144 B"
    )  # whole once the bar is gone
    answer(tmp_path / "out", "Table (*.csv)")
    exported(qtbot, window)
    assert (tmp_path / "out.csv").read_bytes() == b"0.1,nan\r\n-inf,2.0\r\n"
    assert window.settings.get("exports", "") == str(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["config", "m.safetensors", "out.csv", "out.npy"]


def test_the_model_itself_is_never_written_over(qtbot, opened, model, answer, tmp_path):
    window, before = opened(model, tensor="n"), model.read_bytes()
    (tmp_path / "link.npy").symlink_to(model)
    answer(tmp_path / "link.npy")
    exported(qtbot, window)
    assert model.read_bytes() == before
    assert "is the model itself" in window.strip.consequence.whole


@pytest.mark.parametrize("view", ["overview", "heatmap", "values", "blocks", "whatif"])
def test_no_picture_is_saved_over_the_model(qtbot, opened, model, answer, tmp_path, view):
    window, before = opened(model, tensor="../x"), model.read_bytes()
    for target in (model, tmp_path / "link.png", tmp_path / "link.svg"):
        if target is not model:
            target.symlink_to(model)
        answer(target, "PNG (*.png)")
        window.do(f"view {view}")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        QTest.keySequence(window, "Ctrl+S")
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=20_000)
        assert model.read_bytes() == before
        if target is not model and view in ("overview", "heatmap"):
            assert window.strip.sentence.whole == f"{target.name} was not written."
            assert "is the model itself" in window.strip.consequence.whole


def test_a_picture_has_the_ending_that_was_chosen_and_is_whole_or_not_there(qtbot, opened, model, answer, tmp_path):
    window = opened(model, tensor="../x")
    qtbot.waitUntil(lambda: window.actions_.by_name["save_picture"].isEnabled(), timeout=20_000)
    answer(tmp_path / "picture", "SVG (*.svg)")
    QTest.keySequence(window, "Ctrl+S")
    qtbot.waitUntil(lambda: window.status.said.text() == "Saved picture.svg", timeout=20_000)
    assert b"<svg" in (tmp_path / "picture.svg").read_bytes()
    answer(tmp_path / "no" / "picture.png", "PNG (*.png)")
    QTest.keySequence(window, "Ctrl+S")
    qtbot.waitUntil(lambda: window.strip.isVisible(), timeout=20_000)
    assert window.strip.consequence.whole == "No such file or directory."
    assert sorted(os.listdir(tmp_path)) == ["config", "m.safetensors", "picture.svg"]


def test_no_list_and_no_report_takes_the_place_of_an_index(qtbot, window, answer, tmp_path):
    shards = {f"model-0000{n}-of-00002.safetensors": f"t{n}" for n in (1, 2)}
    for name, tensor in shards.items():
        (tmp_path / name).write_bytes(safetensors([(tensor, "F32", (2,), bytes(8))]))
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": {t: name for name, t in shards.items()}}))
    (tmp_path / "other.safetensors").write_bytes(safetensors([("t1", "F32", (2,), bytes(8))]))
    before = index.read_bytes()
    answer(index, "JSON (*.json)")
    window.sheets.check([str(tmp_path)])
    qtbot.waitUntil(lambda: window.sheets.in_front and window.tasks.idle, timeout=20_000)
    window.do("export_list")
    qtbot.waitUntil(lambda: window.strip.isVisible(), timeout=20_000)
    assert "is the model itself" in window.strip.consequence.whole
    window.strip.hide()
    window.open_row(str(tmp_path / "other.safetensors"))
    qtbot.waitUntil(lambda: window.contents is not None, timeout=20_000)
    attach(window, str(index))
    qtbot.waitUntil(lambda: window.document.comparing.stage == "done", timeout=20_000)
    window.do("export_errors")
    qtbot.waitUntil(lambda: window.strip.isVisible(), timeout=20_000)
    assert "is the model itself" in window.strip.consequence.whole
    assert index.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../x", "_x"),
        ("CON", "_CON"),
        ("con.weight", "_con.weight"),
        ("com1", "_com1"),
        ("console", "console"),
        ("x. ", "x"),
        ("..", "tensor"),
        ("a\u202eb", "a_u202eb"),
        ("a" * 300, "a" * 180),
        ("\u6f22" * 300, "\u6f22" * 60),
    ],
)
def test_names_are_safe_on_every_system(name, safe):
    assert safe_name(name) == safe


def test_a_folder_that_is_not_there(qtbot, opened, model, answer, tmp_path):
    window = opened(model, tensor="n")
    answer(tmp_path / "no" / "out.npy")
    exported(qtbot, window)
    assert (window.strip.sentence.whole, window.strip.consequence.whole) == (
        "out.npy was not written.",
        "No such file or directory.",
    )


def test_a_dialog_that_was_closed_and_no_selection(qtbot, opened, model, answer, tmp_path):
    window = opened(model)
    answer("")
    export_values(window)
    assert window.tasks.idle
    assert not window.actions_.by_name["export_values"].isEnabled()
    window.explorer.tree.select(window.document.model.tensors["n"])
    assert window.actions_.by_name["export_values"].isEnabled()
    exported(qtbot, window)
    assert sorted(os.listdir(tmp_path)) == ["config", "m.safetensors"]


def test_cancelling_leaves_the_old_file(qtbot, opened, model, answer, tmp_path, monkeypatch):
    window, out = opened(model, tensor="n"), tmp_path / "out.npy"
    out.write_bytes(b"old")
    answer(out)

    begun = threading.Event()

    def slow(tensor, file, kind, *, progress):
        file.write(b"half")
        begun.set()
        while progress(1, 2):
            pass
        raise weightmap.Cancelled

    monkeypatch.setattr(weightmap, "write_values", slow)
    window.do("export_values")
    assert begun.wait(10) and len(os.listdir(tmp_path)) == 4  # the half of it stands beside
    window.do("cancel")
    qtbot.waitUntil(lambda: window.tasks.shutdown() or True)
    assert out.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["config", "m.safetensors", "out.npy"]
