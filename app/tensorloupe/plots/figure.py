"""matplotlib's Agg and SVG canvases as the app uses them: own Figure objects, the interface font, images for Qt.

Called on the plot thread only. Never pyplot, never a Qt canvas: a widget paints the finished image.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from PySide6.QtGui import QImage

from tensorloupe.plots.scene import DPI, Look

FALLBACK = "DejaVu Sans"  # comes with matplotlib and has the true minus, which some interface fonts lack


@cache
def families(wanted: str) -> tuple[str, ...]:
    """The fonts to draw with, in order. One that matplotlib does not know is left out, or it would warn at every text."""
    known = {font.name for font in fontManager.ttflist}
    return (wanted, FALLBACK) if wanted in known and wanted != FALLBACK else (FALLBACK,)


@cache
def _glyphs(family: str) -> frozenset[int]:
    return frozenset(get_font(fontManager.findfont(FontProperties(family=list(families(family))))).get_charmap()) | (
        frozenset(get_font(fontManager.findfont(FontProperties(family=[FALLBACK]))).get_charmap())
    )


def drawable(text: str, family: str) -> str:
    """The text with characters that no font at hand can draw as escapes: matplotlib would warn and draw boxes."""
    glyphs = _glyphs(family)
    return "".join(c if ord(c) in glyphs else f"\\u{{{ord(c):x}}}" for c in text)


@contextmanager
def new_figure(look: Look) -> Iterator[Figure]:
    """An empty figure of this size on the base colour, to be drawn and let go of.

    A figure is some four thousand objects that know each other, and would all wait for a garbage collection, which stops
    every thread; taken apart, they go at once.
    """
    matplotlib.rcParams["font.family"] = list(families(look.family))
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text in a saved picture
    dpi = DPI * look.ratio
    size = (look.width * look.ratio / dpi, look.height * look.ratio / dpi)
    figure = Figure(figsize=size, dpi=dpi, facecolor=look.colors.base)
    try:
        yield figure
    finally:
        for artist in figure.findobj():
            vars(artist).clear()


def add_axes(figure: Figure, look: Look, left: float, top: float, width: float, height: float) -> Axes:
    """Axes over the unit square at a place in px from the top left, with the quiet frame of the app and no ticks."""
    place = (left / look.width, 1 - (top + height) / look.height, width / look.width, height / look.height)
    axes: Axes = figure.add_axes(place)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_facecolor("none")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(look.colors.strong)
        axes.spines[side].set_linewidth(look.points(1))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.tick_params(
        length=look.points(4),
        width=look.points(1),
        pad=look.points(4),
        color=look.colors.strong,
        labelcolor=look.colors.secondary,
        labelsize=look.points(look.font_px),
    )
    return axes


def plain(artist: matplotlib.text.Text) -> matplotlib.text.Text:
    """The text with its dollar signs as they are: names from files are no formulas."""
    artist.set_parse_math(False)
    return artist


def image_of(canvas: FigureCanvasAgg, ratio: float) -> QImage:
    """What the canvas shows now, as an image that owns its pixels."""
    pixels = np.asarray(canvas.buffer_rgba())
    height, width = pixels.shape[:2]
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888)
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    return image


def save_figure(figure: Figure, path: str, draw: Callable[[Figure], None] | None = None) -> None:
    """Write the figure to `path` as its ending says, .svg or else PNG."""
    if draw is not None:
        draw(figure)
    if re.search(r"\.svg$", path, re.IGNORECASE):
        FigureCanvasSVG(figure).print_svg(path, metadata={"Date": None})
    else:
        FigureCanvasAgg(figure).print_png(path)
