"""A heatmap of 900 x 2,000 values, among them a NaN and an Inf."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.tensors import stored

from tensorloupe.views import View


@pytest.fixture
def values() -> np.ndarray[Any, Any]:
    made = np.random.default_rng(11).normal(size=(900, 2000)).astype(np.float32)
    made[700, 1500] = np.nan
    made[10, 20] = -np.inf
    return made


@pytest.fixture
def view(
    make: Callable[..., View], settle: Callable[[View], None], tmp_path: Path, values: np.ndarray[Any, Any]
) -> View:
    made = make("heatmap")
    made.show_tensor(stored(tmp_path, values, "blk.0.$x$.weight"))
    settle(made)
    return made
