"""How the errors of one tensor are spread, beside those of a fresh quantization; or its values beside the reference's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

import weightmap
from tensorloupe.plots.bins import Bins, bins_over
from tensorloupe.plots.layout import LINE, HistogramLayout, below_axes, histogram_layout
from tensorloupe.plots.legend import Legend
from tensorloupe.plots.picture import HistogramPicture
from tensorloupe.plots.scene import Bars, HistogramImages, Look, Scene
from tensorloupe.plots.ticks import value_ticks
from tensorloupe.style.text import MINUS, count
from tensorloupe.task import Progress
from tensorloupe.views.drawing import look_of
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import ViewContext

Kind = Literal["errors", "values"]
BINS = 161
MOST_FRESH = 1 << 24  # values above which no fresh quantization is made to compare with: it takes long
REDRAW_MS = 40


@dataclass(frozen=True, slots=True)
class Spread:
    """Counts of one pair in bins; `second` those of what they are held against, None where there is nothing."""

    pair: weightmap.TensorPair
    kind: Kind
    bins: Bins
    counts: NDArray[np.int64]
    second: NDArray[np.int64] | None

    @property
    def names(self) -> tuple[str, str]:
        """What the bars and the line stand for."""
        if self.kind == "values":
            return "this file", "reference"
        return "this file", f"fresh {self.pair.type} of the reference"


class SpreadPanel(QWidget):
    """The picture, with what bars and line stand for over it."""

    drawn = Signal()

    def __init__(self, context: ViewContext, slot: str) -> None:
        super().__init__()
        self._context, self._slot = context, slot
        self.picture = HistogramPicture(context.theme)
        self.stage = Stage(context.theme, self.picture)
        self.legend = Legend(context.theme, self.picture)
        self.pair: weightmap.TensorPair | None = None
        self.kind: Kind = "errors"
        self.spread: Spread | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.stage)
        self._redraw = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._redraw.timeout.connect(self.draw)
        self.picture.resized.connect(self._redraw.start)
        self.picture.resized.connect(self.legend.place)
        self.stage.cancel.connect(lambda: context.tasks.cancel(slot))
        self.stage.again.connect(self._count)

    def show_pair(self, pair: weightmap.TensorPair | None, kind: Kind) -> None:
        """Show the errors or the values of another pair; nothing for None."""
        known = self.spread
        if known is not None and known.pair is pair and known.kind == kind:
            self._start_fresh()
            self.draw()
            return
        self.pair, self.kind, self.spread = pair, kind, None
        if pair is None or not np.prod(pair.shape, dtype=object):
            self.picture.show_images(None, None)
            self.legend.show_names("", "")
            self.stage.show_sentence("" if pair is None else "This tensor has no values.")
            return
        self._count()

    def rest(self) -> None:
        """Stop what runs."""
        for part in ("", ".plot", ".fresh"):
            self._context.tasks.drop(self._slot + part)

    def _count(self) -> None:
        pair, kind = self.pair, self.kind
        if pair is None:
            return
        title = f"Counting {weightmap.printable(pair.tensor)}"
        self.stage.show_running(title)
        self._context.tasks.start(
            self._slot,
            title,
            lambda progress: counted(pair, kind, progress),
            self._counted,
            self.stage.show_failed,
            lambda: self.stage.show_cancelled("Cancelled."),
        )

    def _counted(self, found: Spread | str) -> None:
        if isinstance(found, str):
            self.picture.show_images(None, None)
            self.legend.show_names("", "")
            self.stage.show_sentence(found)
            return
        self.spread = found
        self._start_fresh()
        self.draw()

    def _start_fresh(self) -> None:
        """Quantize the reference anew to see what that leaves, once the errors are on screen."""
        known = self.spread
        if known is None or known.kind != "errors" or known.second is not None:
            return
        if not weightmap.can_be_fresh(known.pair) or known.counts.sum() > MOST_FRESH:
            return
        self._context.tasks.start(
            f"{self._slot}.fresh",
            "Quantizing the reference anew",
            lambda progress: fresh(known, progress),
            self._freshened,
            lambda _: None,
            quiet=True,
        )

    def _freshened(self, found: Spread) -> None:
        if self.spread is not None and self.spread.pair is found.pair and self.spread.kind == found.kind:
            self.spread = found
            self.draw()

    def draw(self) -> None:
        """Draw what was counted, in the background, as large as the picture is."""
        found = self.spread
        if found is None or self.picture.width() < 50 or self.picture.height() < 50:
            return
        look = look_of(self.picture, self._context.theme.colors)
        scene, layout = arranged(found, look)

        def work(progress: Progress) -> HistogramImages:
            from tensorloupe.plots.histogram import draw

            return draw(scene, look, layout, progress)

        self._context.tasks.start(
            f"{self._slot}.plot", "Drawing", work, self._drawn, self.stage.show_failed, pool="plot", quiet=True
        )

    def _drawn(self, images: HistogramImages) -> None:
        self.picture.show_images(images, None)
        found = self.spread
        if found is not None:
            names = found.names
            self.legend.show_names(names[0], names[1] if found.second is not None else "")
            self.picture.setAccessibleDescription(f"{images.scene.value}: {count(int(found.counts.sum()))} values")
        self.stage.show_picture()
        self.drawn.emit()


def counted(pair: weightmap.TensorPair, kind: Kind, progress: Progress) -> Spread | str:
    """Count errors, or the values of both sides; a sentence where there is nothing. Raises what reading raises, and Cancelled."""
    faces = ("error",) if kind == "errors" else ("quantized", "reference")
    sides = [weightmap.PairValues(pair, face) for face in faces]  # type: ignore[arg-type]
    ends = [side.histogram(1, progress=progress).edges for side in sides]
    known = [edge for edges in ends if edges is not None for edge in (float(edges[0]), float(edges[-1]))]
    if not known:
        return "No value is finite on both sides." if kind == "errors" else "No value is finite."
    low, high = min(known), max(known)
    if kind == "errors":
        if low == high == 0:
            return "There is no error to show: the values are equal."
        low, high = -max(-low, high), max(-low, high)
    bins = bins_over(low, high, BINS)
    counts = [side.histogram(bins.count, bins.limits, progress=progress).counts for side in sides]
    return Spread(pair, kind, bins, counts[0], counts[1] if len(counts) > 1 else None)


def fresh(known: Spread, progress: Progress) -> Spread:
    """The same with the errors of the reference quantized anew in the same bins."""
    values = weightmap.PairValues(known.pair, "fresh")
    return replace(known, second=values.histogram(known.bins.count, known.bins.limits, progress=progress).counts)


def arranged(found: Spread, look: Look) -> tuple[Scene, HistogramLayout]:
    """What to draw in this look, and where."""
    largest = max(int(found.counts.max(initial=1)), 0 if found.second is None else int(found.second.max(initial=0)))
    labels = max(len(count(largest)), 5)
    layout = histogram_layout(look.width, look.height, look.font_px, labels)
    line = look.font_px * LINE
    top = line + 14  # no tags of limits stand there
    main = layout.main._replace(top=top, height=max(look.height - top - below_axes(look.font_px), 40))
    layout = replace(layout, main=main, strip=None, above=line / 2 + 10)
    span = found.bins.span
    ticks = value_ticks(span.lo, span.hi, layout.main.width, look.font_px * 0.6)
    bars = Bars(found.bins, found.counts, tuple(ticks), found.second)
    what = f"quantized {MINUS} reference" if found.kind == "errors" else "value"
    return Scene(bars, bars, True, 0, what), layout
