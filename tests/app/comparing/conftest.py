"""Models and their quantized files, good and bad ones, and a window in which one of each is compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from support.quantized import original, write

from tensorloupe.views.error import ErrorView
from tensorloupe.window.compare_commands import attach
from tensorloupe.window.window import Window

Array = np.ndarray[Any, Any]


def damaged(name: str, values: Array) -> Array:
    """One matrix with its rows in another order, one with noise added, all else as it is."""
    rng = np.random.default_rng(3)
    if name == "blk.1.attn_k.weight":
        return values[rng.permutation(len(values))]
    if name == "blk.2.ffn_down.weight":
        return (values + rng.normal(size=values.shape) * 0.006).astype(np.float32)
    return values


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    return write(tmp_path / "original.gguf", original())


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write(tmp_path / "good.gguf", original(), "Q8_0")


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    return write(tmp_path / "bad.gguf", original(), "Q4_0", damaged)


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A model that has nothing to do with the others."""
    rng = np.random.default_rng(99)
    return write(tmp_path / "stranger.gguf", {"other.stuff": rng.normal(size=(12, 40)).astype(np.float32)})


@pytest.fixture
def settled(qtbot: QtBot, window: Window) -> Callable[[], None]:
    """Waits until nothing runs any more."""

    def wait() -> None:
        qtbot.wait(60)
        qtbot.waitUntil(lambda: window.tasks.idle, timeout=30_000)
        qtbot.wait(60)

    return wait


@pytest.fixture
def compared(opened: Callable[..., Window], settled: Callable[[], None]) -> Callable[[Path, Path], ErrorView]:
    """Opens a file, attaches a reference, and waits for the errors."""

    def compare(path: Path, reference: Path) -> ErrorView:
        window = opened(path)
        attach(window, str(reference))
        settled()
        view = window.explorer.area.view
        assert isinstance(view, ErrorView)
        return view

    return compare
