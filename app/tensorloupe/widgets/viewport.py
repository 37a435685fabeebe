"""The viewport of a scroll area, without the wait that its first asking takes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

_NAME = "qt_scrollarea_viewport"


def viewport_of(area: QAbstractScrollArea) -> QWidget:
    """What a scroll area paints on. Keep it: asked by `viewport()` for one that Python does not hold, PySide makes the classes
    of all widgets that Qt has, which takes the window's thread 15 to 50 ms the first time.
    """
    return area.findChildren(QWidget, _NAME, Qt.FindChildOption.FindDirectChildrenOnly)[0]
