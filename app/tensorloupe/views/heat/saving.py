"""The heatmap as a file: painted once more by the same code, in the background, as PNG or as SVG with the image inside."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from tensorloupe.style.colors import LIGHT
from tensorloupe.style.theme import SUBJECT
from tensorloupe.views.heat.bar import paint_bar
from tensorloupe.views.heat.cells import recolored
from tensorloupe.views.heat.frame import Frame, places, with_bar_beside
from tensorloupe.views.heat.paint import paint_matrix

SHARPER = 2  # device px per px of a saved image
TITLE = 54  # px above the picture


def light(frame: Frame) -> Frame:
    """The frame in the colours of the light theme, as pictures are saved, without the pointer.

    Its font is sized in px: an SVG takes a size in points for one in px.
    """
    pictures = tuple(
        recolored(picture, picture.limit, False, bool(picture.request.sizes)) for picture in frame.pictures
    )
    font = QFont(frame.font)
    font.setPixelSize(QFontInfo(font).pixelSize())
    return replace(frame, pictures=pictures, dark=False, colors=LIGHT, pointer=None, font=font)


def paint(painter: QPainter, frame: Frame, width: int, height: int) -> None:
    """The whole picture with its title lines."""
    painter.fillRect(QRect(0, 0, width, height), QColor(frame.colors.base))
    bold = QFont(frame.font)
    bold.setBold(True)
    bold.setPixelSize(round(bold.pixelSize() * SUBJECT))
    base = 8.0
    for line, font, color in zip(
        frame.title, (bold, frame.font), (frame.colors.text, frame.colors.secondary), strict=False
    ):
        metrics = QFontMetricsF(font)
        base += metrics.height()
        painter.setFont(font)
        painter.setPen(QColor(color))
        text = metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, width - 32)
        painter.drawText(QPointF(16, base), text)
    at = with_bar_beside(frame, places(width, height, frame.viewport.rows.values, frame.font, TITLE))
    paint_matrix(painter, frame, at)
    paint_bar(painter, frame, at)


def save(frame: Frame, size: QSize, path: str) -> None:
    """Write the picture in light colours. OSError where the file cannot be written."""
    frame = light(frame)
    width, height = size.width(), size.height() + TITLE
    if re.search(r"\.svg$", path, re.IGNORECASE):
        target = QSvgGenerator()
        target.setFileName(path)
        target.setSize(QSize(width, height))
        target.setViewBox(QRect(0, 0, width, height))
        target.setTitle(frame.title[0] if frame.title else "Heatmap")
        painter = QPainter(target)
        paint(painter, frame, width, height)
        painter.end()
        return
    image = QImage(width * SHARPER, height * SHARPER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SHARPER)
    painter = QPainter(image)
    paint(painter, frame, width, height)
    painter.end()
    writer = QImageWriter(path, b"png")
    if not writer.write(image):
        raise OSError(f"The picture could not be written: {writer.errorString()}")
