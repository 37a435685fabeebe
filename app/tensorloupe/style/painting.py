"""A widget that cannot be painted must not take the window with it.

An exception in a paint event leaves a painter open on the widget, and Qt ends the program over that. Here the painter is
closed, and the failure is shown where the picture would be: the nearest parent with a `painting_failed` hears of it, in an
event of its own, since nothing may be shown or hidden while it is being painted. Without one it is an unexpected error.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

W = TypeVar("W", bound=QWidget)


def safely(paint: Callable[[W, QPaintEvent], None]) -> Callable[[W, QPaintEvent], None]:
    """A paint event that may fail."""

    @functools.wraps(paint)
    def painted(self: W, event: QPaintEvent) -> None:
        try:
            paint(self, event)
        except Exception as reason:
            _close_painters(reason)
            _tell(self, reason)

    return painted


def _close_painters(reason: BaseException) -> None:
    trace = reason.__traceback__
    while trace is not None:
        for held in trace.tb_frame.f_locals.values():
            if isinstance(held, QPainter) and held.isActive():
                held.end()
        trace = trace.tb_next


def _tell(widget: QWidget, reason: Exception) -> None:
    above = widget.parentWidget()
    while above is not None and not hasattr(above, "painting_failed"):
        above = above.parentWidget()
    if above is None:
        QTimer.singleShot(0, lambda: sys.excepthook(type(reason), reason, reason.__traceback__))
    else:
        hears = above.painting_failed
        QTimer.singleShot(0, above, lambda: hears(reason))
