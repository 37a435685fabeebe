"""The view of other types, and values to try in it."""

from __future__ import annotations

import numpy as np
import pytest

from tensorloupe.views.whatif.view import WhatIfView


@pytest.fixture
def values() -> np.ndarray:
    return np.random.default_rng(7).normal(size=(64, 512)).astype(np.float32)


@pytest.fixture
def view(make) -> WhatIfView:  # type: ignore[no-untyped-def]
    return make("whatif")
