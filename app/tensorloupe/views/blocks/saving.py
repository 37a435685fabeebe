"""A block and its tensor as a file: what is on screen, as PNG or as an SVG with the picture inside."""

from __future__ import annotations

import re

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QImageWriter, QPainter


def save(image: QImage, title: str, path: str) -> None:
    """Write the image. OSError where the file cannot be written."""
    if re.search(r"\.svg$", path, re.IGNORECASE):
        from PySide6.QtSvg import QSvgGenerator  # takes its time, and is seldom needed

        size = image.deviceIndependentSize().toSize()
        target = QSvgGenerator()
        target.setFileName(path)
        target.setSize(size)
        target.setViewBox(QRect(0, 0, size.width(), size.height()))
        target.setTitle(title)
        painter = QPainter(target)
        painter.drawImage(QRect(0, 0, size.width(), size.height()), image)
        painter.end()
        return
    writer = QImageWriter(path, b"png")
    if not writer.write(image):
        raise OSError(f"The picture could not be written: {writer.errorString()}")
