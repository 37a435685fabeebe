"""A tensor as a picture, from the whole of it down to single values."""

from __future__ import annotations

import weightmap
from tensorloupe.views.view import View, ViewContext


class HeatmapView(View):
    """Values as colours."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "heatmap")

    def show_tensor(self, tensor: weightmap.Tensor | None) -> None:
        """Remember the tensor."""
        self.tensor = tensor

    def refresh_theme(self) -> None:
        """Repaint."""
        self.update()
