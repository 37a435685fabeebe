"""A weight that lies in several tensors beside a reference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.build import safetensors
from support.fp8 import DOWN

import weightmap
from tensorloupe.window.compare_commands import attach
from tensorloupe.window.window import Window


def test_errors_are_those_of_the_weight_and_not_of_its_codes(
    opened: Callable[..., Window], fp8_file: Path, tmp_path: Path, settled: Callable[[], None]
) -> None:
    with weightmap.open(str(fp8_file)) as model:
        values = model.composed[DOWN].array()
    original = tmp_path / "original.safetensors"
    original.write_bytes(safetensors([(DOWN, "F32", values.shape, (values * 1.01).astype(np.float32).tobytes())]))
    window = opened(fp8_file)
    attach(window, str(original))
    settled()
    model, comparing = window.document.model, window.document.comparing
    error = comparing.error_of(model.composed[DOWN])
    assert error.relative_rmse == pytest.approx(0.01 / 1.01, rel=1e-3)
    assert comparing.error_of(model.tensors[DOWN]) is None
