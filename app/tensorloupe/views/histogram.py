"""The histogram of the overview at work: counts between limits that can be dragged, draws, tells what lies outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

import weightmap
from tensorloupe.plots.layout import histogram_layout
from tensorloupe.plots.legend import Legend
from tensorloupe.plots.picture import HistogramPicture
from tensorloupe.plots.scene import HistogramImages, Look, Scene
from tensorloupe.readable import is_whole
from tensorloupe.task import Progress
from tensorloupe.views.counting import Counted, count_values, outside
from tensorloupe.views.drawing import look_of, scene
from tensorloupe.views.histogram_controls import HistogramControls
from tensorloupe.views.summary import Summary
from tensorloupe.views.view import ViewContext

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

REDRAW_MS = 40


class Histogram(QObject):
    """Keeps the picture of one tensor's histogram in step with its limits, counts, bins, size and theme.

    began    (title) work began without which there is nothing to see
    drawn    (whether there was no picture before) the picture is there
    failed, cancelled  how it ended where it did not end well
    """

    began = Signal(str)
    drawn = Signal(bool)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(
        self, context: ViewContext, slot: str, picture: HistogramPicture, controls: HistogramControls, view: QWidget
    ) -> None:
        super().__init__(view)
        self._tasks, self._theme, self._slot = context.tasks, context.theme, slot
        self._document = context.document
        self._legend = Legend(context.theme, picture, right=False)
        self._picture, self._controls, self._view = picture, controls, view
        self.tensor: Shown | None = None
        self.summary: Summary | None = None
        self.counted: Counted | None = None
        self.by_hand: tuple[float, float] | None = None
        self.outside: int | None = None
        self._exact: int | None = None  # what lies outside the limits in force, counted
        self._redraw = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._redraw.timeout.connect(self.draw)
        controls.share_chosen.connect(self._choose_share)
        controls.counts.chosen.connect(lambda _: self.draw())
        controls.bins.chosen.connect(lambda _: self.count())
        picture.limits_moved.connect(self._limits_moved)
        picture.limits_set.connect(self._limits_set)
        picture.resized.connect(self._redraw.start)
        picture.resized.connect(self._legend.place)

    def show_tensor(self, tensor: Shown | None) -> None:
        """Another tensor, or none. Its summary comes after, from who reads it."""
        if tensor is not self.tensor:
            self.summary = self.counted = None
        self.tensor, self._exact = tensor, None
        self._show_outside(None)

    # counting and drawing

    @property
    def limits(self) -> tuple[float, float] | None:
        """The limits in force; None where there are no two values to stand between."""
        if self.summary is None or not self.summary.finite or self.summary.range[0] == self.summary.range[1]:
            return None
        return self.by_hand or self.summary.central(self._controls.share.value or 1.0)

    @property
    def pair(self) -> weightmap.TensorPair | None:
        """The pair with the tensor's counterpart in the reference, where there is one."""
        comparing = self._document.comparing
        return None if comparing is None else comparing.pair_of(self.tensor)

    @property
    def fresh(self) -> bool:
        """Whether what was counted is still what is to be counted: the reference may have come, or gone."""
        return self.counted is not None and self.counted.pair is self.pair

    def count(self) -> None:
        """Count every value between the limits in force, and draw."""
        tensor, summary = self.tensor, self.summary
        if tensor is None or summary is None or not summary.finite:
            return
        limits, pair = self.limits or summary.range, self.pair
        bins = self._controls.bins.value
        self._tasks.drop(f"{self._slot}.outside")
        title = f"Counting {weightmap.printable(tensor.name)}"
        self.began.emit(title)
        self._tasks.start(
            self._slot,
            title,
            lambda p: count_values(tensor, summary, limits, bins, pair, p),
            self._counted,
            self.failed.emit,
            self.cancelled.emit,
        )

    def _counted(self, result: Counted) -> None:
        self.counted = result
        self._outside_counted(None if self.limits is None else result.outside)
        self.draw()

    def draw(self) -> None:
        """Draw what was counted, in the background, as large as the picture is."""
        if self.counted is None or self.summary is None or self._view.width() < 50 or self._view.height() < 50:
            return
        look = look_of(self._picture, self._theme.colors)
        drawn, labels = self.scene(look)
        layout = histogram_layout(look.width, look.height, look.font_px, labels)

        def work(progress: Progress) -> HistogramImages:
            from tensorloupe.plots.histogram import draw

            return draw(drawn, look, layout, progress)

        if self._picture.images is None:
            self.began.emit("Drawing the histogram")
        self._tasks.start(f"{self._slot}.plot", "Drawing", work, self._drawn, self.failed.emit, pool="plot", quiet=True)

    def _drawn(self, images: HistogramImages) -> None:
        fresh = self._picture.images is None
        self._picture.show_images(images, self.limits)
        against = self.counted is not None and self.counted.second is not None
        self._legend.show_names("this file" if against else "", "reference" if against else "")
        self._describe()
        self.drawn.emit(fresh)

    def scene(self, look: Look) -> tuple[Scene, int]:
        """What to draw in this look, and the number of letters of the widest count."""
        assert self.counted is not None and self.summary is not None and self.tensor is not None
        return scene(self.counted, self.summary, self._controls.counts.value, look, is_whole(self.tensor))

    # limits

    def _choose_share(self) -> None:
        self.forget_limits()
        self.count()

    def forget_limits(self) -> None:
        """No limits by hand any more."""
        self.by_hand = None
        self._controls.show_by_hand(False)

    def reset(self) -> None:
        """Back to the limits, counts and bins that the view opened with."""
        self._controls.show_defaults()
        self.forget_limits()
        self.count()

    def _limits_moved(self, low: float, high: float) -> None:
        if self.counted is not None:
            given_back = (low, high) == self.limits
            self._show_outside(self._exact if given_back else self._outside_now((low, high)))

    def _outside_now(self, limits: tuple[float, float]) -> int:
        """What lies outside limits that are being moved: from the counts at hand."""
        assert self.counted is not None and self.summary is not None
        span = self.counted.bins.span
        if span.lo <= limits[0] and limits[1] <= span.hi:
            return self.counted.beyond(limits)
        return round(self.summary.finite - self.summary.spread.between(*limits))

    def _limits_set(self, low: float, high: float, by_strip: bool) -> None:
        tensor = self.tensor
        self.by_hand, self._exact = (low, high), None
        self._controls.show_by_hand(True)
        if by_strip:
            self.count()
        elif tensor is not None:
            self._tasks.start(
                f"{self._slot}.outside",
                "Counting what lies outside",
                lambda p: outside(tensor, (low, high), p),
                self._outside_counted,
                self.failed.emit,
                quiet=True,
            )

    def _outside_counted(self, outside_count: int | None) -> None:
        self._exact = outside_count
        self._show_outside(outside_count)
        self._describe()

    def _show_outside(self, outside_count: int | None) -> None:
        self.outside = outside_count
        finite = 0 if self.summary is None else self.summary.finite
        self._controls.show_outside(outside_count, finite)

    def _describe(self) -> None:
        """What the picture says, for those who do not see it."""
        low, high = self.limits or (0.0, 0.0)
        self._picture.setAccessibleDescription(f"Limits {low:g} to {high:g}. {self._controls.outside.text()}")
