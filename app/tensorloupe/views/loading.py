"""Loads, in the background, what the views will need: before a tab is opened, and while a first tensor is being read."""

from __future__ import annotations

import contextlib
import importlib

from tensorloupe.task import Progress
from tensorloupe.views import VIEWS


def load_views() -> None:
    """Import the modules of all views; none of them loads matplotlib before it draws."""
    for kind in VIEWS:
        with contextlib.suppress(ImportError):  # the view itself will say so when it is opened
            module = importlib.import_module(f"tensorloupe.views.{kind.key}")
            if hasattr(module, "__path__"):
                importlib.import_module(f"{module.__name__}.view")
    importlib.import_module("PySide6.QtWidgets").QStyle  # noqa: B018 - PySide makes its hundreds of enums when it is first named


def load_plots(progress: Progress) -> None:
    """Import the plot library, on the plot thread: it takes a second."""
    import tensorloupe.plots.histogram
    import tensorloupe.plots.tradeoff  # noqa: F401
