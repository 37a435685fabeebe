"""A block and its tensor as a file, PNG or an SVG with the picture inside: all of both, what is scrolled away as well."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QImage, QImageWriter, QPainter, QRegion
from PySide6.QtWidgets import QScrollArea, QWidget

from tensorloupe.style.theme import SUBJECT, Theme
from tensorloupe.views.halves import Halves

_EDGE = 16  # px around the title


def drawn(halves: Halves, theme: Theme, title: str, words: str) -> QImage:
    """Both halves in full, or the one that has room, under a title and a line of words; in the colours in force."""
    parts = [(part, _inside(part)) for part in (halves.left, halves.right) if not part.isHidden()]
    lines = ((title, theme.font(SUBJECT, bold=True), "text"), (words, theme.font(), "secondary"))
    top = sum(QFontMetrics(font).height() + 4 for _, font, _ in lines) + _EDGE
    ratio = halves.devicePixelRatioF()
    size = QSize(halves.width(), top + max(inside.height() for _, inside in parts))
    image = QImage(size * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(theme.color("base"))
    painter, y = QPainter(image), _EDGE
    for line, font, color in lines:
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme.color(color))
        shown = metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, size.width() - 2 * _EDGE)
        painter.drawText(_EDGE, y + metrics.ascent(), shown)
        y += metrics.height() + 4
    _draw(painter, parts, top)
    painter.end()
    return image


def _inside(part: QWidget) -> QWidget:
    """What a part scrolls over."""
    inside = part.widget() if isinstance(part, QScrollArea) else part
    assert inside is not None
    return inside


def _draw(painter: QPainter, parts: Sequence[tuple[QWidget, QWidget]], top: int) -> None:
    for part, inside in parts:
        inside.render(painter, QPoint(part.x(), top), QRegion(), QWidget.RenderFlag.DrawChildren)


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
