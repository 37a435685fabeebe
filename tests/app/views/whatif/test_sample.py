"""Large tensors are tried on a sample, which says so everywhere, until all values are asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from support.tensors import stored
from support.trials import choose, done

import weightmap
from tensorloupe.items.whatif import LARGEST, RELATIVE
from tensorloupe.views.view import SURE
from tensorloupe.views.whatif import trying
from weightmap.reading import sampled


@pytest.fixture
def large(monkeypatch, values) -> None:  # type: ignore[no-untyped-def]
    """Every tensor is one that is tried on a sample of an eighth of `values`."""
    monkeypatch.setattr(trying, "AT_ONCE", 1000)
    monkeypatch.setattr(trying, "SLOW_AT_ONCE", 1000)
    monkeypatch.setattr(sampled, "FAST", values.size // 8)


def test_slow_types_are_tried_on_a_sample_until_all_is_asked_for(
    qtbot, view, tmp_path: Path, values, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(trying, "SLOW_AT_ONCE", values.size)
    monkeypatch.setattr(sampled, "FAST", values.size // 2)
    choose(view, "Q8_0", "IQ3_S")
    tensor = stored(tmp_path, np.concatenate([values, values], axis=1))
    view.show_tensor(tensor)
    done(qtbot, view)
    assert view.trying.state == "sampled" and view.trying.rough == ["IQ3_S"]
    assert view.trying.found["Q8_0"] == weightmap.whatif(tensor, "Q8_0")[0]
    assert view.trying.found["IQ3_S"] == weightmap.whatif(tensor, "IQ3_S", sample=4)[0]
    cells = [view.model.cell(row, RELATIVE) for row in view.model.rows]
    assert cells[1].startswith("≈ 1") and cells[1].endswith(" %") and not cells[0].startswith("≈")
    assert view.model.cell(view.model.rows[1], LARGEST).startswith("≥ ")
    assert view.drawing.curve.measure == "relative error (log) · ≈ sample: 1 of every 4 rows"
    assert "≈" in view._words("IQ3_S") and view._words("IQ3_S").endswith("1 of every 4 rows")
    assert view.controls.resume.text() == "Try all values" and not view.controls.resume.isHidden()
    qtbot.mouseClick(view.controls.resume, Qt.MouseButton.LeftButton)
    done(qtbot, view)
    assert view.trying.state == "done" and view.controls.resume.isHidden()
    assert view.trying.found["IQ3_S"] == weightmap.whatif(tensor, "IQ3_S")[0]


@pytest.mark.usefixtures("large")
def test_a_large_tensor_is_tried_on_a_sample(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    said = []
    view.status_text.connect(said.append)
    choose(view, "Q8_0", "Q4_0")
    tensor = stored(tmp_path, values)
    view.show_tensor(tensor)
    done(qtbot, view)
    assert view.trying.state == "sampled" and view.trying.rough == ["Q8_0", "Q4_0"]
    assert said[-1].startswith("sample: 1 of every 8 rows in 2 types") and said[-1].startswith(SURE)
    assert view.drawing.curve.measure.endswith(" · sample: 1 of every 8 rows")
    view.show_tensor(stored(tmp_path, values + 1))
    done(qtbot, view)
    view.show_tensor(tensor)  # back: nothing is tried again
    assert view.trying.state == "sampled"
    view.controls.resume_asked.emit()
    done(qtbot, view)
    assert view.trying.state == "done" and said[-1].startswith("exact · 32,768 values in 2 types")


def test_types_that_cannot_be_had_leave_nothing_to_try(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(trying, "SLOW_AT_ONCE", 1000)
    monkeypatch.setattr(sampled, "FAST", values.size // 8)
    choose(view, "Q8_0", "IQ3_S")
    view.show_tensor(stored(tmp_path, values[:, :480]))  # no whole number of blocks of 256
    done(qtbot, view)
    assert view.trying.found["IQ3_S"].problem is not None
    assert view.trying.state == "done" and view.controls.resume.isHidden()


@pytest.mark.usefixtures("large")
def test_a_large_tensor_without_rows_is_asked_first(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    choose(view, "Q4_0")
    view.show_tensor(stored(tmp_path, values.reshape(-1)))
    assert view.trying.state == "asking" and "32,768 values" in view.stage.notice.what.text()
    qtbot.mouseClick(view.stage.notice.again_button, Qt.MouseButton.LeftButton)
    done(qtbot, view)
    assert view.trying.state == "done" and view.rows[0].error is not None


@pytest.mark.usefixtures("large")
def test_a_cancelled_sample_is_resumed_as_one(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    real, held = weightmap.whatif, [True]

    def slow(tensor, names, *, each, progress, **rest):  # type: ignore[no-untyped-def]
        if held:
            each(real(tensor, names[0], **rest)[0])
            while progress(1, 9):
                pass
            raise weightmap.Cancelled
        return real(tensor, names, each=each, progress=progress, **rest)

    monkeypatch.setattr(weightmap, "whatif", slow)
    choose(view, "Q8_0", "Q4_0")
    view.show_tensor(stored(tmp_path, values))
    qtbot.waitUntil(lambda: view.trying.known == 1, timeout=10_000)
    view.context.tasks.cancel(view.slot)
    assert view.trying.state == "cancelled" and view.controls.resume.text() == "Resume"
    assert view.controls.words.text() == "1 of 2 types" and view.stage.state != "running"
    held.clear()
    view.controls.resume_asked.emit()
    done(qtbot, view)
    assert view.trying.state == "sampled" and view.trying.rough == ["Q8_0", "Q4_0"]


@pytest.mark.usefixtures("large")
def test_all_values_count_from_what_is_exact(qtbot, view, tmp_path: Path, values, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    said = []
    view.status_text.connect(said.append)
    choose(view, "Q8_0", "Q4_0")
    view.show_tensor(stored(tmp_path, values))
    done(qtbot, view)
    assert view.controls.words.text() == "2 of 2 types"
    real = weightmap.whatif

    def slow(tensor, names, *, each, progress, **rest):  # type: ignore[no-untyped-def]
        each(real(tensor, names[0], **rest)[0])
        while progress(1, 9):
            pass
        raise weightmap.Cancelled

    monkeypatch.setattr(weightmap, "whatif", slow)
    view.controls.resume_asked.emit()
    assert view.controls.words.text() == "0 of 2 types, all values"
    qtbot.waitUntil(lambda: view.trying.exact == 1, timeout=10_000)
    view.context.tasks.cancel(view.slot)
    assert view.controls.words.text() == "1 of 2 types, all values" and view.controls.resume.text() == "Resume"
    assert said[-1] == "cancelled at 1 of 2 types, all values; of the others a sample is known"
