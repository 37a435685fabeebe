"""The histogram as a figure: what is drawn and where, for the window (as an image) and for a file (PNG or SVG).

The window gets two images that differ only in the colour of the bars. Between the limits it shows one, outside them the
other, so that a limit can be dragged without drawing anything anew.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.text import Annotation
from numpy.typing import NDArray

import weightmap
from tensorloupe.plots.figure import add_axes, drawable, image_of, new_figure, plain, save_figure
from tensorloupe.plots.layout import MARGIN, HistogramLayout, Rect
from tensorloupe.plots.scene import Bars, HistogramImages, Look, Scene
from tensorloupe.plots.ticks import APART, count_ticks, limit_words, thinned
from tensorloupe.style.text import counted
from tensorloupe.task import Progress

NEAR = 4  # bars on either side that the one of zero is held against
OUTSTANDING = 1.25  # times the highest of them, from which on it stands out


def heights(counts: NDArray[np.int64], log: bool, largest: int = 0) -> tuple[NDArray[np.float64], float]:
    """Bar heights as fractions of the axis, and the count that stands at its top (1 for a log axis without counts).

    `largest` is a count that must have room as well, that of another series.
    """
    largest = max(int(counts.max(initial=0)), largest, 1)
    if not log:
        top = largest * 1.12
        return counts / top, top
    decades = max(float(np.log10(largest)), 0.3)
    low, high = -0.05 * decades - 0.05, decades * 1.14
    with np.errstate(divide="ignore"):
        scaled = (np.log10(counts) - low) / (high - low)
    return np.maximum(scaled, 0.0), 10.0**high


def height_of(value: float, top: float, log: bool) -> float:
    """Where a count stands on the axis whose top is `top`."""
    if not log:
        return value / top
    decades = float(np.log10(top)) / 1.14
    low = -0.05 * decades - 0.05
    return (float(np.log10(value)) - low) / (decades * 1.14 - low)


def draw(scene: Scene, look: Look, layout: HistogramLayout, progress: Progress | None = None) -> HistogramImages:
    """Draw both images. Runs on the plot thread; raises weightmap.Cancelled where nobody waits for them any more."""
    _go_on(progress, 0)
    with new_figure(look) as figure:
        return _images(figure, scene, look, layout, progress)


def _images(
    figure: Figure, scene: Scene, look: Look, layout: HistogramLayout, progress: Progress | None
) -> HistogramImages:
    canvas = FigureCanvasAgg(figure)
    axes = _main_axes(figure, look, layout.main, layout.above, scene)
    drawn = [(axes, _bars(axes, scene.bars, scene.log))]
    if layout.strip is not None:
        below = _strip_axes(figure, look, layout.strip, scene)
        drawn.append((below, _bars(below, scene.strip, scene.log)))
    label = _zero_label(axes, look, layout.main, scene)
    line = _line(axes, look, scene)
    for _, bars in drawn:
        bars.set_animated(True)
    _go_on(progress, 1)
    canvas.draw()
    _go_on(progress, 2)
    ground = canvas.copy_from_bbox(figure.bbox)
    images = []
    for color in (look.colors.series, look.colors.outside):
        canvas.restore_region(ground)
        for around, bars in drawn:
            bars.set_facecolor(color)
            around.draw_artist(bars)
        for artist in (line, label):
            if artist is not None:
                axes.draw_artist(artist)
        images.append(image_of(canvas, look.ratio))
    return HistogramImages(images[0], images[1], layout, look, scene)


def _go_on(progress: Progress | None, step: int) -> None:
    if progress is not None and progress(step, 3) is False:
        raise weightmap.Cancelled


def save(scene: Scene, limits: tuple[float, float] | None, title: str, subtitle: str, look: Look, path: str) -> None:
    """Write the histogram with its title, its limits and what share lies outside them."""
    with new_figure(look) as figure:
        _page(figure, scene, limits, look)
        lines = (
            (title, 20, 1.3, look.colors.text, "bold"),
            (subtitle, 40, 0.95, look.colors.secondary, "normal"),
        )
        for text, top, size, color, weight in lines:
            made = figure.text(16 / look.width, 1 - top / look.height, drawable(text, look.family), va="center")
            plain(made).set(color=color, fontsize=look.points(look.font_px * size), fontweight=weight)
        save_figure(figure, path)


def _page(figure: Figure, scene: Scene, limits: tuple[float, float] | None, look: Look) -> None:
    """The histogram below the place of its title."""
    place = Rect(78, 104, look.width - 78 - 24, look.height - 104 - 64)
    axes = _main_axes(figure, look, place, 38, scene)
    _bars(axes, scene.bars, scene.log).set_facecolor(look.colors.outside)
    line = _line(axes, look, scene)
    if line is not None:
        line.set_animated(False)
        line.set_zorder(3)
    inside = _bars(axes, scene.bars, scene.log)
    inside.set_facecolor(look.colors.series)
    span = scene.bars.bins.span
    if limits is not None:
        inside.set_clip_path(_column(axes, *scene.within(limits)))
        places = (min(max(span.fraction(limit), 0.0), 1.0) for limit in limits)
        for at, words in zip(places, limit_words(limits), strict=True):
            axes.axvline(at, color=look.colors.accent, linewidth=look.points(1.5))
            tag = axes.text(at, 1.01, words, ha="center", va="bottom", color=look.colors.accent)
            tag.set_fontsize(look.points(look.font_px))
    label = _zero_label(axes, look, place, scene)
    if label is not None:
        label.set_animated(False)


def _main_axes(figure: Figure, look: Look, at: Rect, above: float, scene: Scene) -> Axes:
    axes = add_axes(figure, look, *at)
    largest = scene.bars.largest
    _, top = heights(scene.bars.counts, scene.log, largest)
    ticks = [tick for tick in count_ticks(largest, scene.log) if 0 <= height_of(tick[0], top, scene.log) <= 1]
    places = [height_of(value, top, scene.log) * at.height for value, _ in ticks]
    shown = thinned(ticks, places, look.font_px * APART)
    axes.set_yticks([y / at.height for y, _ in shown], [label for _, (_, label) in shown])
    axes.grid(axis="y", color=look.colors.thin, linewidth=look.points(1))
    _value_axis(axes, look, at, scene.bars)
    size = look.points(look.font_px)
    axes.set_xlabel(scene.value, color=look.colors.secondary, fontsize=size, labelpad=look.points(3))
    name = "values per bin (log)" if scene.log else "values per bin"
    top_line = at.top - above
    figure.text(
        MARGIN / 2 / look.width,
        1 - top_line / look.height,
        name,
        color=look.colors.secondary,
        fontsize=size,
        va="center",
    )
    return axes


def _strip_axes(figure: Figure, look: Look, at: Rect, scene: Scene) -> Axes:
    axes = add_axes(figure, look, *at)
    axes.spines["left"].set_visible(False)
    _value_axis(axes, look, at, scene.strip)
    return axes


def _value_axis(axes: Axes, look: Look, at: Rect, bars: Bars) -> None:
    """Values under the axis; a label that would stick out of the picture ends at its tick."""
    places = [bars.bins.span.fraction(value) for value, _ in bars.ticks]
    axes.set_xticks(places, [label for _, label in bars.ticks])
    for label, place, (_, words) in zip(axes.get_xticklabels(), places, bars.ticks, strict=True):
        plain(label)
        if len(words) * look.font_px * 0.33 > look.width - at.left - place * at.width:
            label.set_horizontalalignment("right")


def _bars(axes: Axes, bars: Bars, log: bool) -> StepPatch:
    # what Axes.stairs makes, added as an artist: no search for new axis limits, which costs more than the drawing
    edges = np.linspace(0, 1, bars.bins.count + 1)
    patch = StepPatch(heights(bars.counts, log, bars.largest)[0], edges, baseline=0, fill=True, linewidth=0)
    axes.add_artist(patch)
    return patch


def _line(axes: Axes, look: Look, scene: Scene) -> StepPatch | None:
    """The other series as an outline over the bars."""
    bars = scene.bars
    if bars.second is None:
        return None
    edges = np.linspace(0, 1, bars.bins.count + 1)
    shown = heights(bars.second, scene.log, bars.largest)[0]
    patch = StepPatch(shown, edges, baseline=-1.0, fill=False, edgecolor=look.colors.second, linewidth=look.points(1.6))
    patch.set_animated(True)
    axes.add_artist(patch)
    return patch


def _column(axes: Axes, low: float, high: float) -> Rectangle:
    return Rectangle((low, 0), max(high - low, 0), 1, transform=axes.transData)


def _zero_label(axes: Axes, look: Look, at: Rect, scene: Scene) -> Annotation | None:
    """The count of exact zeros beside their bar, where zero is in the picture and the bar stands out for it."""
    span, counts = scene.bars.bins.span, scene.bars.counts
    where = span.fraction(0.0)
    if not scene.zeros or not 0 <= where <= 1:
        return None
    tops = heights(counts, scene.log, scene.bars.largest)[0]
    bar = min(int(where * len(counts)), len(counts) - 1)
    beside = (*counts[max(bar - NEAR, 0) : bar], *counts[bar + 1 : bar + 1 + NEAR])
    if 2 * scene.zeros < counts[bar] or counts[bar] < OUTSTANDING * max(beside, default=0):
        return None
    text = counted(scene.zeros, "exact zero")
    width = len(text) * look.font_px * 0.55 / at.width
    right = where + 26 / at.width + width < 1
    reach = (
        slice(bar, bar + int(width * len(counts)) + 9)
        if right
        else slice(max(0, bar - int(width * len(counts)) - 9), bar + 1)
    )
    y = min(max(tops[reach].max() + 4 / at.height, tops[bar] - 4 / at.height), 1 - 8 / at.height)
    x = where + (26 if right else -26) / at.width
    label = axes.annotate(
        text,
        (where + (4 if right else -4) / at.width, tops[bar] - 2 / at.height),
        (x, y),
        ha="left" if right else "right",
        va="center",
        color=look.colors.text,
        fontsize=look.points(look.font_px),
        bbox={"facecolor": look.colors.base, "edgecolor": "none", "alpha": 0.8, "pad": look.points(1)},
        arrowprops={"arrowstyle": "-", "color": look.colors.secondary, "linewidth": look.points(1), "shrinkA": 2},
    )
    label.set_animated(True)
    return label
