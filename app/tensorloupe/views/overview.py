"""The first look at a tensor: its exact statistics and the histogram of its values."""

from __future__ import annotations

import weightmap
from tensorloupe.views.view import View, ViewContext


class Overview(View):
    """Statistics beside a histogram."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "overview")

    def show_tensor(self, tensor: weightmap.Tensor | None) -> None:
        """Remember the tensor."""
        self.tensor = tensor

    def refresh_theme(self) -> None:
        """Repaint."""
        self.update()
