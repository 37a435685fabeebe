"""Keeps the pictures of one tensor in step with what is asked for: viewport, slice, rule, limits, theme.

A large window is shown from a stated sample first and exactly after. The statistics of the whole tensor give the limits;
where they would take long the first picture goes by the limits of a sample, and is coloured again once they are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

import weightmap
from tensorloupe.readable import count_of
from tensorloupe.task import Progress
from tensorloupe.tasks import TaskRunner
from tensorloupe.views.heat.cells import Picture, Request, Rule, all_recolored, decode
from tensorloupe.views.heat.frame import Beyond
from tensorloupe.views.heat.limits import QUICK, counting, decode_within, from_zero
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.summary import Summaries, Summary, summarize

if TYPE_CHECKING:
    from tensorloupe.readable import Readable

SHARE = 0.99  # of the values lie within the limits


class Loading(QObject):
    """What there is to see of `tensor` now. `whole` is the fitted picture, `current` that of `viewport`.

    changed    something of it is new
    began      (title) work began without which there is nothing to see
    failed, cancelled  how it ended where it did not end well
    """

    changed = Signal()
    began = Signal(str)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(self, tasks: TaskRunner, summaries: Summaries, slot: str, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._summaries, self._slot = tasks, summaries, slot
        self.tensor: Readable | None = None
        self.index: tuple[int, ...] = ()
        self.viewport: Viewport | None = None
        self.rule: Rule = "max_abs"
        self.share = SHARE
        self.by_hand: float | None = None
        self.dark = self.magnitudes = False  # magnitudes: colours run from zero to the limit, whatever the sign
        self.whole: Picture | None = None
        self.current: Picture | None = None
        self.summary: Summary | None = None
        self.beyond: Beyond | None = None
        self.group: tuple[int, int] | None = None  # rows and columns that lines part; None while that is not known
        self._sampled_limit: float | None = None
        self._sampled_sizes: bool | None = None
        self._waiting = False

    # what is asked for

    def show(self, tensor: Readable | None, index: tuple[int, ...]) -> None:
        """Another tensor, or none. The viewport comes after, from who knows the room."""
        self.stop()
        self.tensor, self.index = tensor, index
        self.whole = self.current = self.viewport = self.beyond = self._sampled_limit = self._sampled_sizes = None
        self.group, self.summary = None, None if tensor is None else self._summaries.get(tensor)

    def stop(self) -> None:
        """Drop all that runs."""
        for part in ("", ".summary", ".beyond", ".colour", ".whole"):
            self._tasks.drop(self._slot + part)
        self._waiting = False

    @property
    def complete(self) -> bool:
        """Whether the picture of the viewport is there, and exact."""
        picture = self.current
        return picture is not None and picture.sampled is None and picture.request.viewport == self.viewport

    def resume(self) -> None:
        """Take up what was stopped after the picture was complete."""
        (self._summarize if self.summary is None else self._settle)()

    def look_at(self, viewport: Viewport) -> None:
        """Another part of the matrix. A quick picture under way is let finish, so that a drag shows where it goes."""
        before, self.viewport = self.viewport, viewport
        if before is not None and self._tasks.running(self._slot) and before.count <= QUICK:
            self._waiting = True
        else:
            self._load()

    def set_index(self, index: tuple[int, ...]) -> None:
        """Another slice of the leading axes."""
        if index != self.index:
            self.index, self.whole = index, None
            self._load()

    def set_rule(self, rule: Rule) -> None:
        """Another rule for pixels that stand for many values."""
        if rule != self.rule:
            self.rule, self.whole = rule, None
            self._load()

    def set_limit(self, share: float, by_hand: float | None) -> None:
        """Limits that hold a share of the values, or a limit set by hand."""
        self.share, self.by_hand = share, by_hand
        self.beyond = None
        self.changed.emit()
        self._settle()

    def set_dark(self, dark: bool) -> None:
        """The other theme."""
        self.dark = dark
        self._settle()

    @property
    def limit(self) -> float | None:
        """The limit in force: colours run from minus this to this.

        It holds the share of all values; of all cells of the whole picture while cells stand for many values.
        """
        if self.by_hand is not None:
            return self.by_hand
        if self.whole is not None and self.viewport is not None and not self.viewport.elements:
            return self.whole.cell_limits.get(self.share, self._value_limit)
        return self._value_limit

    @property
    def _value_limit(self) -> float | None:
        return self._sampled_limit if self.summary is None else self.summary.symmetric(self.share)

    @property
    def sizes(self) -> bool | None:
        """Whether colours run from zero to the limit; None while that is not known."""
        known = self.magnitudes or (self.tensor is not None and from_zero(self.tensor, self.summary))
        return self._sampled_sizes if known is None else known

    # the work

    def _title(self) -> str:
        assert self.tensor is not None
        return f"Decoding {weightmap.printable(self.tensor.name)}"

    def _start(self, part: str, title: str, work: Callable[[Progress], object], done: Callable[..., None]) -> None:
        quiet = part in (".colour", ".beyond", ".whole")
        self._tasks.start(self._slot + part, title, work, done, self._fail, self._cancel, quiet=quiet)

    def _fail(self, reason: BaseException) -> None:
        self._waiting = False
        self.failed.emit(reason)

    def _cancel(self) -> None:
        self._waiting = False
        self.cancelled.emit()

    def _load(self, exact: bool = False) -> None:
        """Decode what the viewport shows; the statistics first where they are quick."""
        tensor, viewport = self.tensor, self.viewport
        if tensor is None or viewport is None:
            return
        self._waiting = False
        if not exact:
            self.began.emit(self._title())
        if self.summary is None and count_of(tensor) <= QUICK:
            self._summarize()
            return
        share = self.share if self.by_hand is None else None
        request = Request(
            tensor, self.index, viewport, self.rule, self.limit or 0.0, share, self.dark, sizes=self.sizes
        )
        request = replace(request, fast=request.large and not exact)
        self._start("", self._title(), lambda p: decode_within(request, p), self._loaded)

    def _loaded(self, picture: Picture) -> None:
        self.current, self._sampled_sizes, self.group = picture, picture.request.sizes, picture.group
        if self._value_limit is None:
            self._sampled_limit = picture.limit
        fitted = picture.request.viewport.is_fitted
        if fitted:
            self.whole = picture
        self.changed.emit()
        if self._waiting or picture.request.viewport != self.viewport:
            self._load()
        elif picture.sampled is not None:
            self._count()
            self._load(exact=True)
        elif self.summary is None:
            self._summarize()
        else:
            self._settle()
        if self.whole is None:
            self._load_whole(picture)

    def _load_whole(self, like: Picture) -> None:
        """The picture of the whole matrix, for what is around the view and for the small map."""
        view = like.request.viewport
        whole = Viewport.fitted(view.rows.values, view.columns.values, view.rows.room, view.columns.room, view.ratio)
        request = replace(like.request, viewport=whole)
        request = replace(request, fast=request.large)
        self._start(".whole", self._title(), lambda p: decode(request, p), self._whole_loaded)

    def _whole_loaded(self, picture: Picture) -> None:
        self.whole = picture
        self.changed.emit()
        self._settle()

    def _summarize(self) -> None:
        tensor = self.tensor
        assert tensor is not None
        title = f"Reading {weightmap.printable(tensor.name)}"
        self._start(".summary", title, lambda p: summarize(tensor, p), self._summarized)

    def _summarized(self, summary: Summary) -> None:
        assert self.tensor is not None
        self._summaries.put(self.tensor, summary)
        self.summary = summary
        self.changed.emit()
        (self._load if self.current is None else self._settle)()

    def _settle(self) -> None:
        """Colour again what has other limits or another theme, and count what lies beyond the limits."""
        limit, dark, sizes = self.limit, self.dark, bool(self.sizes)
        shown = {id(p): p for p in (self.whole, self.current) if p is not None}
        stale = [p for p in shown.values() if (p.limit, p.request.dark, p.request.sizes) != (limit, dark, sizes)]
        if stale and limit is not None:
            self._start(".colour", "Colouring", lambda _: all_recolored(stale, limit, dark, sizes), self._recolored)
        self._count()

    def _count(self) -> None:
        """Count what lies beyond the limits: of all values, or of a sample as long as these are being read."""
        if self.beyond is not None and self.beyond.limit != self.limit:
            self.beyond = None
        work = counting(self.tensor, self.summary, self.limit, self.beyond)
        if work is not None:
            self._start(".beyond", "Counting", work, self._counted)

    def _recolored(self, pairs: list[tuple[Picture, Picture]]) -> None:
        for before, after in pairs:
            self.whole = after if self.whole is before else self.whole
            self.current = after if self.current is before else self.current
        self.changed.emit()

    def _counted(self, beyond: Beyond) -> None:
        self.beyond = beyond
        self.changed.emit()
