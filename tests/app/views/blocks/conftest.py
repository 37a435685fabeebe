"""The view of blocks, empty and with a tensor in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import weightmap
from tensorloupe.views import View
from tensorloupe.views.blocks.view import BlocksView


@pytest.fixture
def view(make: Callable[..., View]) -> View:
    return make("blocks", 1300, 900)


@pytest.fixture
def shown(view: BlocksView, settle: Callable[[View], None], tensor: weightmap.Tensor) -> BlocksView:
    view.show_tensor(tensor)
    settle(view)
    return view
