"""The first look at a tensor: its exact statistics and the histogram of its values, with limits that can be dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout

import weightmap
from tensorloupe.plots.picture import HistogramPicture
from tensorloupe.readable import words_of
from tensorloupe.style.text import counted, shape
from tensorloupe.views.body import Body
from tensorloupe.views.counting import Counted
from tensorloupe.views.drawing import look_to_save
from tensorloupe.views.facts import duration, nothing_to_draw, storage_section, value_sections
from tensorloupe.views.histogram import Histogram
from tensorloupe.views.histogram_controls import HistogramControls
from tensorloupe.views.loading import load_plots
from tensorloupe.views.numbers import Numbers
from tensorloupe.views.side import NumbersSide
from tensorloupe.views.stage import Stage
from tensorloupe.views.summary import Summary, summarize
from tensorloupe.views.view import NONE_SELECTED, View, ViewContext

if TYPE_CHECKING:
    from tensorloupe.readable import Shown


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
        self.histogram = Histogram(context, self.slot, self.picture, self.controls, self)
        self._build()
        self._connect()
        self._loads = False  # whether the plot library was asked for
        self.show_tensor(None)

    def _build(self) -> None:
        self.body = Body(self.context.theme, self.stage, NumbersSide(self.numbers))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.body, 1)

    def _connect(self) -> None:
        self.histogram.began.connect(self.stage.show_running)
        self.histogram.failed.connect(self._failed)
        self.histogram.cancelled.connect(self._cancelled)
        self.histogram.drawn.connect(self._drawn)
        self.controls.reset.clicked.connect(self.reset)
        self.context.document.reference_changed.connect(self._reference_changed)
        self.stage.cancel.connect(lambda: self.context.tasks.cancel(self.slot))
        self.stage.again.connect(lambda: self.show_tensor(self.tensor))

    # what to show

    def show_tensor(self, tensor: Shown | None) -> None:
        """Show the statistics and the histogram of a tensor."""
        if (
            tensor is None
            or self.tensor is None
            or (tensor.name, tensor.shape) != (self.tensor.name, self.tensor.shape)
        ):
            self.histogram.forget_limits()
        self.cancel()
        if tensor is not None and tensor is self.tensor and self.histogram.fresh and self.has_picture:
            self._tell()  # back from another view: all is there
            self.histogram.draw()
            return
        if tensor is not self.tensor:
            self.summary = None
        self.tensor = tensor
        self.histogram.show_tensor(tensor)
        if tensor is None:
            self._show_nothing(NONE_SELECTED)
            self.numbers.show_sections(())
            return
        self._load_plots()
        self.numbers.show_sections((storage_section(tensor),))
        known = self.context.summaries.get(tensor)
        if known is not None:
            self._summarized(known)
            return
        title = f"Reading {weightmap.printable(tensor.name)}"
        self.stage.show_running(title)
        self.context.tasks.start(
            self.slot, title, lambda p: summarize(tensor, p), self._summarized, self._failed, self._cancelled
        )

    def _load_plots(self) -> None:
        """The plot library takes a second to load: that begins while the first tensor is being read."""
        if not self._loads:
            self._loads, slot = True, f"{self.slot}.load"
            self.context.tasks.start(slot, "Loading", load_plots, lambda _: None, pool="plot", quiet=True)

    def _reference_changed(self) -> None:
        """The reference came or went while its histogram is in front."""
        if self.isVisible() and self.counted is not None and not self.histogram.fresh:
            self.histogram.count()

    def _failed(self, reason: BaseException) -> None:
        self.picture.show_images(None, None)  # that of the tensor before is none of this one's
        self.picture_changed.emit()
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
        self.summary = self.histogram.summary = summary
        self.numbers.show_sections((*value_sections(summary), storage_section(self.tensor)))
        if self.numbers.flow:
            self.body.place()
        if summary.finite:
            self.histogram.count()
        else:
            self._show_nothing(nothing_to_draw(self.tensor, summary))
        self._tell()

    def _tell(self) -> None:
        assert self.summary is not None
        s, seconds = self.summary.statistics, self.summary.seconds
        sure = "exact" if s.exact else "sample"
        self.status_text.emit(f"{sure} · {counted(s.count, 'value')} in {duration(seconds)}")

    def _drawn(self, fresh: bool) -> None:
        if fresh:
            self.picture_changed.emit()
        self.stage.show_picture()

    # the histogram

    @property
    def limits(self) -> tuple[float, float] | None:
        """The limits in force; None where there are no two values to stand between."""
        return self.histogram.limits

    @property
    def counted(self) -> Counted | None:
        """What is drawn."""
        return self.histogram.counted

    @property
    def outside(self) -> int | None:
        """How many values lie outside the limits; None where that is not known."""
        return self.histogram.outside

    def reset(self) -> None:
        """Back to the limits, counts and bins that the view opened with."""
        self.histogram.reset()

    # the rest of a view

    def cancel(self) -> None:
        """Stop all that runs for this view."""
        for part in ("", ".plot", ".outside"):
            self.context.tasks.drop(self.slot + part)

    def refresh_theme(self) -> None:
        """Draw anew in the colours in force."""
        self.histogram.draw()
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
        drawn, _ = self.histogram.scene(look)
        title = weightmap.printable(self.tensor.name)
        words = " · ".join(
            w for w in (words_of(self.tensor), shape(self.tensor.shape), self.controls.outside.text()) if w
        )
        limits = self.limits

        def write(path: str) -> None:
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
