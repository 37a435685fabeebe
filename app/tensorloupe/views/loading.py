"""Loads, in the background, what the views will need: before a tab is opened, and while a first tensor is being read."""

from __future__ import annotations

import contextlib
import importlib

from PySide6 import QtWidgets

from tensorloupe.task import Progress
from tensorloupe.views import VIEWS

_DEAR = ("QStyle",)  # classes of Qt with hundreds of enums, which PySide makes when they are first named


def load_views() -> None:
    """Import the modules of all views; none of them loads matplotlib before it draws."""
    for kind in VIEWS:
        with contextlib.suppress(ImportError):  # the view itself will say so when it is opened
            module = importlib.import_module(f"tensorloupe.views.{kind.key}")
            if hasattr(module, "__path__"):
                importlib.import_module(f"{module.__name__}.view")
    for name in _DEAR:
        getattr(QtWidgets, name)


def load_plots(progress: Progress) -> None:
    """Import the plot library, on the plot thread: it takes a second."""
    import tensorloupe.plots.histogram
    import tensorloupe.plots.tradeoff  # noqa: F401
