"""Puts text on the clipboard: the one place that does."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication


def copy(text: str) -> None:
    """Put a text on the clipboard."""
    if text:
        QGuiApplication.clipboard().setText(text)
