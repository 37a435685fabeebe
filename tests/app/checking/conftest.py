"""A model whose values are looked at at once, a tensor at a time when a test says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors

import weightmap
from tensorloupe.checking import scan as scanning


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for the window to rest."""
    monkeypatch.setattr(scanning, "_DELAY", 0)


@pytest.fixture
def layers(tmp_path: Path) -> Path:
    """Six layers of two tensors; one holds a NaN, one is zero throughout."""
    rng = np.random.default_rng(7)
    tensors = []
    for layer in range(6):
        for role in ("up", "down"):
            values = rng.standard_normal(64).astype("<f4")
            if (layer, role) == (2, "down"):
                values[5] = np.nan
            if (layer, role) == (4, "up"):
                values[:] = 0
            tensors.append((f"blk.{layer}.{role}.weight", "F32", (8, 8), values.tobytes()))
    path = tmp_path / "layers.safetensors"
    path.write_bytes(safetensors(tensors))
    return path


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Lets as many tensors through as it is told to."""
    turns, original = threading.Semaphore(0), weightmap.Tensor.check_values

    def slow(self: weightmap.Tensor, *, progress: Callable[..., object], threads: int | None = None) -> object:
        while not turns.acquire(timeout=0.005):
            progress(0, 1)
        return original(self, progress=progress, threads=threads)

    monkeypatch.setattr(weightmap.Tensor, "check_values", slow)
    return turns
