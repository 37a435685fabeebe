"""Error against bits per weight as a figure: for the window as an image, for a file as PNG or SVG. matplotlib only here."""

from __future__ import annotations

from matplotlib.axes import Axes as Panel
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import weightmap
from tensorloupe.plots.curve import DOT, Axes, Curve, CurveImage, Label, Point, axes_of, bit_ticks, error_ticks, labels
from tensorloupe.plots.figure import add_axes, drawable, image_of, new_figure, plain, save_figure
from tensorloupe.plots.layout import MARGIN
from tensorloupe.plots.scene import Look
from tensorloupe.task import Progress


def draw(curve: Curve, look: Look, progress: Progress | None = None) -> CurveImage:
    """Draw the curve. Runs on the plot thread; raises weightmap.Cancelled where nobody waits for it any more."""
    if progress is not None and progress(0, 2) is False:
        raise weightmap.Cancelled
    axes = axes_of(curve, look)
    with new_figure(look) as figure:
        canvas = FigureCanvasAgg(figure)
        _paint(figure, curve, axes, look)
        canvas.draw()
        image = image_of(canvas, look.ratio)
    return CurveImage(image, tuple((p.name, axes.x(p.bits), axes.y(p.error)) for p in curve.points), look)


def save(curve: Curve, title: str, subtitle: str, look: Look, path: str) -> None:
    """Write the curve under its title."""
    axes = axes_of(curve, look)
    top = 60
    at = axes.at._replace(top=axes.at.top + top, height=axes.at.height - top)
    lines = ((title, 20, 1.3, look.colors.text, "bold"), (subtitle, 42, 0.95, look.colors.secondary, "normal"))
    with new_figure(look) as figure:
        _paint(figure, curve, Axes(at, axes.bits, axes.errors, axes.floor), look)
        for text, y, size, color, weight in lines:
            made = figure.text(16 / look.width, 1 - y / look.height, drawable(text, look.family), va="center")
            plain(made).set(color=color, fontsize=look.points(look.font_px * size), fontweight=weight)
        save_figure(figure, path)


def _paint(figure: Figure, curve: Curve, axes: Axes, look: Look) -> None:
    """Everything in px of the picture, which is what the panel's own coordinates are."""
    panel = add_axes(figure, look, *axes.at)
    panel.set_xlim(axes.at.left, axes.at.right)
    panel.set_ylim(axes.at.bottom, axes.at.top)
    bits, errors = bit_ticks(axes, look), error_ticks(axes, look.font_px, curve.percent)
    panel.set_xticks([axes.x(value) for value, _ in bits], [label for _, label in bits])
    panel.set_yticks([axes.y(value) for value, _ in errors], [label for _, label in errors])
    panel.grid(axis="both", color=look.colors.thin, linewidth=look.points(1))
    size = look.points(look.font_px)
    panel.set_xlabel("bits per weight (log)", color=look.colors.secondary, fontsize=size, labelpad=look.points(3))
    name = figure.text(MARGIN / 2 / look.width, 1 - (axes.at.top - look.font_px * 2.35) / look.height, curve.measure)
    name.set(color=look.colors.secondary, fontsize=size, va="center")
    if axes.floor:
        _floor(panel, axes, look)
    _now(panel, curve, axes, look)
    _points(panel, curve, axes, look)


def _floor(panel: Panel, axes: Axes, look: Look) -> None:
    """The line of the types that lose nothing, named among the errors: inside, a point may stand anywhere on it."""
    y = axes.at.bottom - axes.floor
    panel.plot([axes.at.left, axes.at.right], [y, y], color=look.colors.strong, linewidth=look.points(1), dashes=(3, 3))
    words = panel.text(axes.at.left - 6, axes.at.bottom - axes.floor / 2, "no loss", va="center", ha="right")
    words.set(color=look.colors.secondary, fontsize=look.points(look.font_px), clip_on=False)


def _now(panel: Panel, curve: Curve, axes: Axes, look: Look) -> None:
    """A line where the tensor stands now, and what it is stored as."""
    name, bits = curve.now
    if bits <= 0:
        return
    x = axes.x(bits)
    panel.plot(
        [x, x], [axes.at.bottom, axes.at.top], color=look.colors.second, linewidth=look.points(1.5), dashes=(4, 3)
    )
    words = f"now {name}"
    right = x > axes.at.right - len(words) * look.font_px * 0.6
    tag = panel.text(x + (4 if right else 0), axes.at.top - 4, drawable(words, look.family), va="bottom")
    plain(tag).set(color=look.colors.second, fontsize=look.points(look.font_px), ha="right" if right else "center")
    tag.set_clip_on(False)
    if curve.error is not None:
        panel.plot(
            [x],
            [axes.y(curve.error)],
            marker="D",
            markersize=look.points(2.2 * DOT),
            markerfacecolor=look.colors.second,
            markeredgecolor=look.colors.base,
            zorder=5,
            clip_on=False,
        )


def _points(panel: Panel, curve: Curve, axes: Axes, look: Look) -> None:
    best = sorted((p for p in curve.points if p.front), key=lambda p: p.bits)
    lossy = [p for p in best if p.error > 0]
    if len(lossy) > 1:
        xs, ys = [axes.x(p.bits) for p in lossy], [axes.y(p.error) for p in lossy]
        panel.plot(xs, ys, color=look.colors.series, linewidth=look.points(1.5), zorder=2)
    for point in curve.points:
        _dot(panel, point, axes, look)
    by_name = {p.name: p for p in curve.points}
    for label in labels(curve, axes, look):
        text = panel.text(label.x, label.y, drawable(label.name, look.family), va="center", ha="left")
        if label.to is not None:
            _lead(panel, label, look)
        tone = look.colors.text if by_name[label.name].front else look.colors.secondary
        plain(text).set(color=tone, fontsize=look.points(look.font_px), clip_on=False)


def _lead(panel: Panel, label: Label, look: Look) -> None:
    """A quiet line from a name to its point."""
    assert label.to is not None
    width = len(label.name) * look.font_px * 0.6
    x = label.x - 2 if label.to[0] < label.x else label.x + width
    ends = [x, label.to[0]], [label.y, label.to[1]]
    panel.plot(*ends, color=look.colors.strong, linewidth=look.points(1), zorder=1.5)


def _dot(panel: Panel, point: Point, axes: Axes, look: Look) -> None:
    """Full where no other type beats it, else a ring; in the second colour what the tensor is stored as."""
    color = look.colors.second if point.stored else look.colors.series if point.front else look.colors.secondary
    panel.plot(
        [axes.x(point.bits)],
        [axes.y(point.error)],
        marker="o",
        markersize=look.points(2 * DOT),
        markerfacecolor=color if point.front else look.colors.base,
        markeredgecolor=color,
        markeredgewidth=look.points(1.5),
        zorder=4 if point.front else 3,
        clip_on=False,
    )
