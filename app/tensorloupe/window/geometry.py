"""Where and how large a window opens: as asked for, else as it was left, and always on a screen that exists."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from tensorloupe.files.settings import Settings

SMALLEST = QSize(960, 620)
USUAL = (-1, -1, 1440, 900)


def smallest(window: QWidget) -> QSize:
    """The least size of a window: 960 x 620, or the screen's free area where that is smaller."""
    return SMALLEST.boundedTo(window.screen().availableSize())


def place(window: QWidget, settings: Settings, size: QSize | None) -> None:
    """Give the window the size asked for, else the one remembered."""
    if size is not None:
        window.setMinimumSize(size.boundedTo(SMALLEST))
        window.resize(size)
        return
    screen = (window.screen() or QGuiApplication.primaryScreen()).availableGeometry()
    x, y, width, height = _four(settings.get("window", []))
    window.resize(QSize(width, height).boundedTo(screen.size()).expandedTo(window.minimumSize()))
    title = QPoint(x + 60, y + 20)
    if x >= 0 and any(other.availableGeometry().contains(title) for other in QApplication.screens()):
        window.move(x, y)
    if settings.get("maximized", False):
        window.setWindowState(Qt.WindowState.WindowMaximized)


def remember(window: QWidget, settings: Settings) -> None:
    """Put the window's place into the settings."""
    settings.set("maximized", window.isMaximized())
    if not window.isMaximized() and not window.isFullScreen():
        settings.set("window", [window.x(), window.y(), window.width(), window.height()])


def _four(stored: object) -> tuple[int, int, int, int]:
    if isinstance(stored, list) and len(stored) == 4 and all(type(n) is int and abs(n) < 100_000 for n in stored):
        return stored[0], stored[1], stored[2], stored[3]
    return USUAL
