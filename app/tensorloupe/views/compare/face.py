"""One face of a pair as a picture: its errors, or one of both sides. The machinery is that of the heatmap."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

import weightmap
from tensorloupe.style.theme import SECONDARY
from tensorloupe.views.heat.loading import SHARE, Loading
from tensorloupe.views.heat.matrix import empty, first_index, matrix_shape
from tensorloupe.views.heat.moving import Moving
from tensorloupe.views.heat.picture import HeatmapPicture
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import ViewContext
from tensorloupe.widgets.controls import PlainLabel


class Face(QWidget):
    """A title over a picture.

    went     (Viewport) the user moved this picture
    pointed  ((row, column)) the pointer is over another value of it
    changed  something of the picture is new
    """

    went = Signal(object)
    pointed = Signal(object)
    changed = Signal()

    def __init__(self, context: ViewContext, slot: str, title: str) -> None:
        super().__init__()
        theme = context.theme
        self._context, self._slot = context, slot
        self.values: weightmap.PairValues | None = None
        self.title = PlainLabel(theme, "secondary", SECONDARY)
        self.title.set_text(title)
        self.picture = HeatmapPicture(theme)
        self.picture.setAccessibleName(f"Heatmap: {title}")
        self.stage = Stage(theme, self.picture)
        self.loading = Loading(context.tasks, context.summaries, slot, self)
        self.loading.dark = theme.dark
        self.moving = Moving(theme, context.tasks, slot, self.loading, self.picture, lambda: True, self)
        head = QHBoxLayout()
        head.setContentsMargins(16, 0, 8, 0)
        head.addWidget(self.title)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        self._connect()

    def _connect(self) -> None:
        loading, picture = self.loading, self.picture
        loading.changed.connect(self._changed)
        loading.began.connect(self.stage.show_running)
        loading.failed.connect(self.stage.show_failed)
        loading.cancelled.connect(lambda: self.stage.show_cancelled("Cancelled."))
        picture.moved.connect(self._moved)
        self.moving.moved.connect(self._moved)
        self.moving.failed.connect(self.stage.show_failed)
        picture.pointed.connect(self.pointed)
        picture.next_nonfinite.connect(self.moving.go_to_nonfinite)
        picture.resized.connect(self.moving.resized)
        self.stage.cancel.connect(self._cancel)
        self.stage.again.connect(lambda: self.show_values(self.values, self.loading.index))

    # what to show

    def show_values(self, values: weightmap.PairValues | None, index: tuple[int, ...] | None = None) -> None:
        """Show these values as a matrix of their last two axes, at a place in the leading ones; nothing for None."""
        self.values = values
        shape = () if values is None else values.shape
        self.loading.show(values, first_index(shape) if index is None else index)
        if values is None or empty(shape):
            self.picture.show_frame(None)
            self.stage.show_sentence("" if values is None else "This tensor has no values.")
            return
        rows, columns = matrix_shape(shape)
        self.picture.matrix_rows = rows
        view = Viewport.fitted(rows, columns, *self.picture.room())
        self.picture.show_frame(replace(self.moving.frame(view), pointer=None))
        self.loading.look_at(view)
        self._changed()

    def follow(self, view: Viewport) -> None:
        """Show what another face shows, without telling."""
        frame = self.picture.frame
        if frame is None or self.values is None:
            return
        view = view.resized(*self.picture.room())
        if view != frame.viewport:
            self.picture.show_frame(replace(frame, viewport=view))
            self.loading.look_at(view)

    def point(self, place: tuple[int, int]) -> None:
        """Put the pointer where it is in another face."""
        frame = self.picture.frame
        if frame is not None and frame.pointer != place:
            self.picture.show_frame(replace(frame, pointer=place))

    def share_limit(self, limit: float | None) -> None:
        """Take the limit of another face for its own; None goes by its own values again."""
        if self.loading.by_hand != limit:
            self.loading.set_limit(SHARE, limit)

    def refresh_theme(self, dark: bool) -> None:
        """Colour the same cells anew."""
        self.moving.repaint()
        self.loading.set_dark(dark)

    def rest(self) -> None:
        """Stop what runs: nobody looks."""
        self.loading.stop()
        self._context.tasks.drop(f"{self._slot}.next")

    @property
    def has_picture(self) -> bool:
        """Whether there is something to save."""
        return self.loading.current is not None and self.picture.frame is not None

    def _changed(self) -> None:
        if self.loading.viewport is None:
            return
        self.moving.repaint()
        picture = self.loading.current
        if picture is not None and picture.request.viewport == self.loading.viewport and self.stage.state != "picture":
            self.stage.show_picture()
        self.changed.emit()

    def _moved(self, view: Viewport) -> None:
        self.loading.look_at(view)
        self.went.emit(view)

    def _cancel(self) -> None:
        self.loading.stop()
        self.stage.show_cancelled("Cancelled.")
