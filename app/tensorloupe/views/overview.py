"""The first look at a tensor: its exact statistics and the histogram of its values, with limits that can be dragged."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout

import weightmap
from tensorloupe.plots.layout import histogram_layout
from tensorloupe.plots.picture import HistogramPicture
from tensorloupe.plots.scene import HistogramImages, Look, Scene
from tensorloupe.tasks import Progress
from tensorloupe.text import counted, shape
from tensorloupe.views.body import Body
from tensorloupe.views.counting import Counted, count_values, outside
from tensorloupe.views.drawing import load_plots, look_of, look_to_save, scene
from tensorloupe.views.facts import duration, nothing_to_draw, storage_section, value_sections
from tensorloupe.views.histogram_controls import HistogramControls
from tensorloupe.views.numbers import Numbers
from tensorloupe.views.side import NumbersSide
from tensorloupe.views.stage import Stage
from tensorloupe.views.summary import Summary, is_whole, summarize
from tensorloupe.views.view import NONE_SELECTED, View, ViewContext

REDRAW_MS = 40


class Overview(View):
    """Statistics beside a histogram. Every number is exact."""

    hint = "Drag the limits · Left and Right move the upper one, with Shift the lower one"

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "overview")
        theme = context.theme
        self.picture = HistogramPicture(theme)
        self.stage = Stage(theme, self.picture)
        self.numbers = Numbers(theme, "Statistics")
        self.controls = HistogramControls()
        self.summary: Summary | None = None
        self.counted: Counted | None = None
        self.by_hand: tuple[float, float] | None = None
        self._redraw = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._build()
        self._connect()
        self.show_tensor(None)
        # the plot library takes a second to load: it begins while the first tensor is being read
        context.tasks.start(f"{self.slot}.load", "Loading", load_plots, lambda _: None, pool="plot", quiet=True)

    def _build(self) -> None:
        self.body = Body(self.context.theme, self.stage, NumbersSide(self.numbers))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.body, 1)

    def _connect(self) -> None:
        self.controls.share_chosen.connect(self._choose_share)
        self.controls.counts.chosen.connect(lambda _: self._draw())
        self.controls.bins.chosen.connect(lambda _: self._count())
        self.controls.reset.clicked.connect(self.reset)
        self.picture.limits_moved.connect(self._limits_moved)
        self.picture.limits_set.connect(self._limits_set)
        self.picture.resized.connect(self._redraw.start)
        self._redraw.timeout.connect(self._draw)
        self.stage.cancel.connect(lambda: self.context.tasks.cancel(self.slot))
        self.stage.again.connect(lambda: self.show_tensor(self.tensor))

    # what to show

    def show_tensor(self, tensor: weightmap.Tensor | None) -> None:
        """Show the statistics and the histogram of a tensor."""
        if (
            tensor is None
            or self.tensor is None
            or (tensor.name, tensor.shape) != (self.tensor.name, self.tensor.shape)
        ):
            self._forget_limits()
        self.cancel()
        if tensor is not None and tensor is self.tensor and self.counted is not None and self.has_picture:
            self._tell()  # back from another view: all is there
            self._draw()
            return
        if tensor is not self.tensor:
            self.summary = self.counted = None
        self.tensor = tensor
        self._show_outside(None)
        if tensor is None:
            self._show_nothing(NONE_SELECTED)
            self.numbers.show_sections(())
            return
        self.numbers.show_sections((storage_section(tensor),))
        known = self.context.summaries.get(tensor)
        if known is not None:
            self._summarized(known)
            return
        self._run(f"Reading {weightmap.printable(tensor.name)}", lambda p: summarize(tensor, p), self._summarized)

    def _run(self, title, work, done) -> None:  # type: ignore[no-untyped-def]
        self.stage.show_running(title)
        self.context.tasks.start(self.slot, title, work, done, self._failed, self._cancelled)

    def _failed(self, reason: BaseException) -> None:
        self.stage.show_failed(reason)
        self.status_text.emit("")

    def _cancelled(self) -> None:
        self.stage.show_cancelled("Cancelled.")
        self.status_text.emit("cancelled")

    def _show_nothing(self, sentence: str) -> None:
        self.picture.show_images(None, None)
        self.picture_changed.emit()
        self.stage.show_sentence(sentence)
        self.status_text.emit("")

    def _summarized(self, summary: Summary) -> None:
        assert self.tensor is not None
        self.context.summaries.put(self.tensor, summary)
        self.summary = summary
        self.numbers.show_sections((*value_sections(summary), storage_section(self.tensor)))
        if self.numbers.flow:
            self.body.place()
        if summary.finite:
            self._count()
        else:
            self._show_nothing(nothing_to_draw(self.tensor, summary))
        self._tell()

    def _tell(self) -> None:
        assert self.summary is not None
        s, seconds = self.summary.statistics, self.summary.seconds
        sure = "exact" if s.exact else "sample"
        self.status_text.emit(f"{sure} · {counted(s.count, 'value')} in {duration(seconds)}")

    # counting and drawing

    @property
    def limits(self) -> tuple[float, float] | None:
        """The limits in force; None where there are no two values to stand between."""
        if self.summary is None or not self.summary.finite or self.summary.range[0] == self.summary.range[1]:
            return None
        return self.by_hand or self.summary.central(self.controls.share.value or 1.0)

    def _count(self) -> None:
        tensor, summary = self.tensor, self.summary
        if tensor is None or summary is None or not summary.finite:
            return
        limits = self.limits or summary.range
        bins = self.controls.bins.value
        self.context.tasks.drop(f"{self.slot}.outside")
        title = f"Counting {weightmap.printable(tensor.name)}"
        self._run(title, lambda p: count_values(tensor, summary, limits, bins, p), self._counted)

    def _counted(self, result: Counted) -> None:
        self.counted = result
        self._show_outside(None if self.limits is None else result.outside)
        self._draw()

    def _draw(self) -> None:
        if self.counted is None or self.summary is None or self.width() < 50 or self.height() < 50:
            return
        look = look_of(self.picture, self.context.theme.colors)
        drawn, labels = self._scene(look)
        layout = histogram_layout(look.width, look.height, look.font_px, labels)

        def work(progress: Progress) -> HistogramImages:
            from tensorloupe.plots.histogram import draw

            return draw(drawn, look, layout, progress)

        if self.picture.images is None:
            self.stage.show_running("Drawing the histogram")
        self.context.tasks.start(
            f"{self.slot}.plot", "Drawing", work, self._drawn, self._failed, pool="plot", quiet=True
        )

    def _drawn(self, images: HistogramImages) -> None:
        fresh = self.picture.images is None
        self.picture.show_images(images, self.limits)
        if fresh:
            self.picture_changed.emit()
        self._describe()
        self.stage.show_picture()

    def _scene(self, look: Look) -> tuple[Scene, int]:
        assert self.counted is not None and self.summary is not None and self.tensor is not None
        return scene(self.counted, self.summary, self.controls.counts.value, look, is_whole(self.tensor))

    # limits

    def _choose_share(self) -> None:
        self._forget_limits()
        self._count()

    def _forget_limits(self) -> None:
        self.by_hand = None
        self.controls.show_by_hand(False)

    def reset(self) -> None:
        """Back to the limits, counts and bins that the view opened with."""
        self.controls.show_defaults()
        self._forget_limits()
        self._count()

    def _limits_moved(self, low: float, high: float) -> None:
        if self.counted is not None:
            self._show_outside(self._outside_now((low, high)))

    def _outside_now(self, limits: tuple[float, float]) -> int:
        """What lies outside limits that are being moved: from the counts at hand."""
        assert self.counted is not None and self.summary is not None
        span = self.counted.bins.span
        if span.lo <= limits[0] and limits[1] <= span.hi:
            return self.counted.beyond(limits)
        return round(self.summary.finite - self.summary.spread.between(*limits))

    def _limits_set(self, low: float, high: float, by_strip: bool) -> None:
        tensor = self.tensor
        self.by_hand = low, high
        self.controls.show_by_hand(True)
        if by_strip:
            self._count()
        elif tensor is not None:
            self.context.tasks.start(
                f"{self.slot}.outside",
                "Counting what lies outside",
                lambda p: outside(tensor, (low, high), p),
                self._show_outside,
                self._failed,
                quiet=True,
            )

    def _show_outside(self, outside_count: int | None) -> None:
        self.outside = outside_count
        finite = 0 if self.summary is None else self.summary.finite
        self.controls.show_outside(outside_count, finite)

    def _describe(self) -> None:
        """What the picture says, for those who do not see it."""
        low, high = self.limits or (0.0, 0.0)
        self.picture.setAccessibleDescription(f"Limits {low:g} to {high:g}. {self.controls.outside.text()}")

    # the rest of a view

    def cancel(self) -> None:
        """Stop all that runs for this view."""
        for part in ("", ".plot", ".outside"):
            self.context.tasks.drop(self.slot + part)

    def refresh_theme(self) -> None:
        """Draw anew in the colours in force."""
        self._draw()
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a histogram is shown."""
        return self.picture.images is not None

    def save_picture(self, path: str) -> None:
        """Write the histogram, in light colours, as PNG or SVG."""
        if not self.has_picture or self.tensor is None or self.counted is None:
            raise ValueError("There is no histogram to save.")
        look = look_to_save(self)
        drawn, _ = self._scene(look)
        title = weightmap.printable(self.tensor.name)
        words = " · ".join(
            w for w in (self.tensor.type.name, shape(self.tensor.shape), self.controls.outside.text()) if w
        )
        limits = self.limits

        def write() -> None:
            from tensorloupe.plots.histogram import save

            save(drawn, limits, title, words, look, path)

        self._save(path, write)

    def copy_picture(self) -> None:
        """Put the histogram on the clipboard as it is on screen."""
        if self.has_picture:
            QGuiApplication.clipboard().setPixmap(self.picture.grab())

    def copy_values(self) -> None:
        """Put the numbers beside the picture on the clipboard."""
        QGuiApplication.clipboard().setText(self.numbers.text())
