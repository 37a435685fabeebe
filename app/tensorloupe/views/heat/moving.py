"""Moves the heatmap about: makes the frame of a place in the matrix, goes to a value, to the next NaN, keeps place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from tensorloupe.readable import sub_block_of
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.tasks import TaskRunner
from tensorloupe.views.heat.frame import Frame
from tensorloupe.views.heat.loading import Loading
from tensorloupe.views.heat.matrix import next_nonfinite
from tensorloupe.views.heat.picture import HeatmapPicture
from tensorloupe.views.heat.slices import Slices
from tensorloupe.views.heat.typed import typed_index
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.heat.words import border_word

if TYPE_CHECKING:
    from tensorloupe.readable import Readable


class Moving(QObject):
    """Which part of the matrix the picture shows.

    moved   (Viewport) another room shows another part
    said    (str) what came of a search, for the status bar
    failed  (the exception) a search failed
    """

    moved = Signal(object)
    said = Signal(str)
    failed = Signal(object)

    def __init__(
        self,
        theme: Theme,
        tasks: TaskRunner,
        slot: str,
        loading: Loading,
        picture: HeatmapPicture,
        borders: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._theme, self._tasks, self._slot = theme, tasks, slot
        self._loading, self._picture, self._borders = loading, picture, borders

    def frame(self, view: Viewport) -> Frame:
        """What to paint of a part of the matrix, from the pictures at hand."""
        loading, theme = self._loading, self._theme
        tensor = loading.tensor if self._borders() else None
        tall, block = loading.group or (0, 0) if tensor is not None else (0, 0)
        before = self._picture.frame
        return Frame(
            viewport=view,
            pictures=tuple(p for p in (loading.whole, loading.current) if p is not None),
            limit=loading.limit,
            dark=theme.dark,
            colors=theme.colors,
            font=theme.font(SECONDARY),
            beyond=loading.beyond,
            block=block if block > 1 else 0,
            tall=tall if tall > 1 else 0,
            what=border_word(tensor),
            sub=0 if tensor is None or not block else sub_block_of(tensor),
            pointer=None if before is None else before.pointer,
            sizes=bool(loading.sizes),
        )

    def repaint(self) -> None:
        """Paint what is in view anew."""
        if self._loading.viewport is not None:
            self._picture.show_frame(self.frame(self._loading.viewport))

    def resized(self) -> None:
        """The room has another size: the same place in it."""
        if self._loading.viewport is not None and self._picture.frame is not None:
            view = self._loading.viewport.resized(*self._picture.room())
            if view != self._loading.viewport:
                self._picture.show_frame(replace(self._picture.frame, viewport=view))
                self.moved.emit(view)

    def go(self, row: int, column: int) -> None:
        """Have a value in the middle of the view."""
        if self._picture.frame is not None:
            view = self._picture.frame.viewport.showing(row, column, centre=True)
            self._picture.go(view)

    def go_to(self, row: int, column: int) -> bool:
        """Show one value, closely, and point at it; says whether there is one."""
        return self._picture.visit(row, column)

    def go_typed(self, words: str, slices: Slices) -> bool:
        """Show the value at a place that was typed; says whether there is one."""
        tensor = self._loading.tensor
        if tensor is None or self._picture.frame is None:
            return False
        index = typed_index(words, tensor.shape, self._loading.index)
        if index is not None:
            self.go_to_element(tensor, index, slices)
        return index is not None

    def go_to_element(self, tensor: Readable, index: tuple[int, ...], slices: Slices) -> None:
        """Show one element, in its slice; `index` has a number for each axis."""
        if self._loading.index != index[:-2]:
            slices.set_shape(tensor.shape, index[:-2])
            self._loading.set_index(index[:-2])
        row, column = (0, 0, *index)[-2:]
        self.go_to(row, column)

    def go_to_nonfinite(self) -> None:
        """Find the next NaN or Inf after the pointer, in the background, and go there."""
        frame, tensor = self._picture.frame, self._loading.tensor
        if frame is None or tensor is None:
            return
        index, after = self._loading.index, frame.pointer or (0, -1)
        self._tasks.start(
            f"{self._slot}.next",
            "Looking for the next NaN or Inf",
            lambda progress: next_nonfinite(tensor, index, after, progress),
            self._found_nonfinite,
            self.failed.emit,
        )

    def _found_nonfinite(self, place: tuple[int, int] | None) -> None:
        if place is None:
            self.said.emit("No NaN and no Inf" + (" in this slice" if self._loading.index else ""))
        else:
            self.go_to(*place)
