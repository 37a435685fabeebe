"""A file that shrinks must not end the program: views read it, and never touch pages of its mapping."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from support.tensors import stored

from tensorloupe.views.heat.matrix import next_nonfinite
from weightmap.source.mapping import Mapping


@pytest.fixture(autouse=True)
def no_pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pages are refused, and who asked for them is kept."""
    asked: list[str] = []

    def refuse(self: Mapping, *_: object) -> None:
        asked.append("pages")
        raise OSError("a page of the file was asked for")

    monkeypatch.setattr(Mapping, "made", refuse)
    return asked


@pytest.mark.parametrize("key", ["overview", "heatmap", "values", "whatif"])
@pytest.mark.parametrize("shape", [(300, 70), (3, 2, 8, 9), (500,), ()])
def test_no_view_touches_pages(make, settle, no_pages, tmp_path: Path, key: str, shape: tuple[int, ...]) -> None:  # type: ignore[no-untyped-def]
    view = make(key)
    view.show_tensor(stored(tmp_path, np.random.default_rng(1).normal(size=shape).astype(np.float32)))
    settle(view)
    assert no_pages == [] and view.stage.state != "failed"
    view.copy_values()
    settle(view)
    assert no_pages == [] and QGuiApplication.clipboard().text()


def test_the_next_nan_is_found_without_pages(no_pages: list[str], tmp_path: Path) -> None:
    values = np.zeros((40, 30), np.float16)
    values[31, 7] = np.nan
    assert next_nonfinite(stored(tmp_path, values), (), (0, -1), lambda *_: True) == (31, 7)
    assert next_nonfinite(stored(tmp_path, values.reshape(-1)), (), (0, -1), lambda *_: True) == (0, 31 * 30 + 7)
    assert next_nonfinite(stored(tmp_path, np.array(np.inf, np.float32)), (), (0, -1), lambda *_: True) == (0, 0)
    assert no_pages == []
