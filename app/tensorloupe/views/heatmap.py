"""A tensor as a picture, from the whole of it down to single values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout

from tensorloupe.readable import has_blocks
from tensorloupe.views.body import Body
from tensorloupe.views.exact import table
from tensorloupe.views.heat.controls import HeatControls
from tensorloupe.views.heat.loading import SHARE, Loading
from tensorloupe.views.heat.making import Making
from tensorloupe.views.heat.matrix import empty, first_index, index_of, matrix_shape
from tensorloupe.views.heat.moving import Moving
from tensorloupe.views.heat.picture import HeatmapPicture
from tensorloupe.views.heat.readout import reading
from tensorloupe.views.heat.side import HeatSide
from tensorloupe.views.heat.slices import Slices
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.heat.words import hint_of, status_line, title_lines
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import View, ViewContext, nothing_of

if TYPE_CHECKING:
    from tensorloupe.readable import Shown


class HeatmapView(View):
    """Values as colours. What is in view is decoded, and nothing else."""

    hint = hint_of(None)

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "heatmap")
        theme = context.theme
        self.picture = HeatmapPicture(theme)
        self.stage = Stage(theme, self.picture)
        self.side = HeatSide(theme)
        self.controls, self.slices = HeatControls(theme), Slices()
        self.loading = Loading(context.tasks, context.summaries, self.slot, self)
        self.loading.dark = theme.dark
        borders = self.controls.borders.isChecked
        self.moving = Moving(theme, context.tasks, self.slot, self.loading, self.picture, borders, self)
        self.making = Making(context.tasks, self.slot, self)
        self.body = Body(theme, self.stage, self.side)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.controls, self.slices):
            column.addWidget(widget)
        column.addWidget(self.body, 1)
        self._connect()
        self.show_tensor(None)

    def _connect(self) -> None:
        loading, controls, picture, moving = self.loading, self.controls, self.picture, self.moving
        loading.changed.connect(self._changed)
        loading.began.connect(self.stage.show_running)
        loading.failed.connect(self._failed)
        loading.cancelled.connect(self._cancelled)
        controls.share_chosen.connect(lambda share: loading.set_limit(share, None))
        controls.limit_typed.connect(lambda limit: loading.set_limit(loading.share, limit))
        controls.rule_chosen.connect(loading.set_rule)
        controls.borders_toggled.connect(lambda _: moving.repaint())
        controls.zoomed.connect(lambda steps: picture.zoom(steps))
        controls.fitted.connect(picture.fit)
        controls.position_typed.connect(lambda words: controls.mark_position(moving.go_typed(words, self.slices)))
        controls.reset_asked.connect(self.reset)
        picture.moved.connect(self._moved)
        moving.moved.connect(self._moved)
        moving.said.connect(self.status_text)
        moving.failed.connect(self._failed)
        picture.pointed.connect(lambda _: self._read())
        picture.next_nonfinite.connect(moving.go_to_nonfinite)
        picture.resized.connect(moving.resized)
        picture.entered.connect(self._entered)
        self.making.made.connect(self.side.show_made)
        self.side.map.went.connect(lambda row, column: moving.go(row, column))
        self.slices.chosen.connect(loading.set_index)
        self.stage.cancel.connect(self._cancel_all)
        self.stage.again.connect(lambda: self.show_tensor(self.tensor))

    # what to show

    def show_tensor(self, tensor: Shown | None) -> None:
        """Show a tensor as a matrix of its last two axes; the same one again keeps place and slice."""
        old, frame, index = self.tensor, self.picture.frame, self.loading.index
        same = tensor is not None and old is not None and (tensor.name, tensor.shape) == (old.name, old.shape)
        self.context.tasks.drop(f"{self.slot}.next")
        if tensor is not None and tensor is old and self.loading.complete:
            self.loading.resume()  # back from another view: all is there
            self._changed()
            return
        self.tensor, self.hint = tensor, hint_of(tensor)
        if not same:
            self.loading.by_hand = None
        index = index if same else first_index(tensor.shape if tensor is not None else ())
        self.loading.show(tensor, index)
        self.slices.set_shape(tensor.shape if tensor is not None else (), index)
        if tensor is None or empty(tensor.shape):
            self._show_nothing(nothing_of(tensor))
            return
        self.side.show_pictures(None, None)
        rows, columns = matrix_shape(tensor.shape)
        self.picture.matrix_rows = rows
        view = Viewport.fitted(rows, columns, *self.picture.room())
        pointer = None
        if same and frame is not None:
            view, pointer = frame.viewport.resized(*self.picture.room()), frame.pointer
        self.picture.show_frame(replace(self.moving.frame(view), pointer=pointer))
        self.loading.look_at(view)
        self._changed()

    def _show_nothing(self, sentence: str) -> None:
        self.picture.show_frame(None)
        self.picture_changed.emit()
        self.stage.show_sentence(sentence)
        self.controls.show_state(self.loading)
        self.side.show_nothing()
        self.status_text.emit("")

    def _changed(self) -> None:
        """Something new is known: paint it."""
        if self.tensor is None or self.loading.viewport is None:
            return
        self.moving.repaint()
        self.controls.show_state(self.loading)
        self.side.show_pictures(self.loading.whole, self.loading.viewport)
        picture = self.loading.current
        if picture is not None and picture.request.viewport == self.loading.viewport:
            if self.stage.state != "picture":
                self.stage.show_picture()
                self.picture_changed.emit()
            self.status_text.emit(status_line(picture))
        self._read()

    def _read(self) -> None:
        """The value under the pointer, from the pictures at hand."""
        frame, loading = self.picture.frame, self.loading
        if frame is None or self.tensor is None or loading.viewport is None:
            return
        found = None
        if frame.pointer is not None and loading.current is not None:
            found = reading(loading.current, *frame.pointer)
        self.side.show_reading(found)
        at = frame.pointer if found is not None and loading.viewport.elements else None
        self.making.point(self.tensor, None if at is None else index_of(self.tensor.shape, loading.index, *at))
        self.side.show_view(loading.current, loading.viewport, self.tensor)
        self.picture.setAccessibleDescription("" if found is None else f"{found.text} at {frame.pointer}")

    def _failed(self, reason: BaseException) -> None:
        self.stage.show_failed(reason)
        self.side.show_nothing()
        self.status_text.emit("")

    def _cancelled(self) -> None:
        self.stage.show_cancelled("Cancelled.")
        self.status_text.emit("cancelled")

    def _cancel_all(self) -> None:
        self.loading.stop()
        self._cancelled()

    # moving about

    def _moved(self, view: Viewport) -> None:
        self.loading.look_at(view)
        self.controls.show_scale(view)
        self.side.show_pictures(self.loading.whole, view)
        self._read()

    def go_to(self, row: int, column: int) -> None:
        """Show one value, closely, and point at it."""
        self.moving.go_to(row, column)

    def go_to_element(self, index: Sequence[int]) -> None:
        """Show one element, in its slice."""
        if self.tensor is not None:
            self.moving.go_to_element(self.tensor, tuple(index), self.slices)

    def _entered(self, row: int, column: int) -> None:
        if self.tensor is not None and has_blocks(self.tensor):
            self.go_wanted.emit("blocks", index_of(self.tensor.shape, self.loading.index, row, column))

    def ask_position(self) -> None:
        """Put the focus into the field that takes a row and a column."""
        self.controls.ask_position()

    def reset(self) -> None:
        """Limits, rule and borders as at opening."""
        self.controls.show_defaults()
        self.loading.set_rule("max_abs")
        self.loading.set_limit(SHARE, None)

    # the rest of a view

    def cancel(self) -> None:
        """Stop all that runs for this view."""
        self.loading.stop()
        self.making.point(None, None)

    def refresh_theme(self) -> None:
        """Colour the same cells anew; zoom and place stay."""
        self.moving.repaint()
        self.loading.set_dark(self.context.theme.dark)
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a heatmap is shown."""
        return self.loading.current is not None and self.picture.frame is not None

    def save_picture(self, path: str) -> None:
        """Write the heatmap, in light colours, as PNG or as SVG with the image inside."""
        frame, current = self.picture.frame, self.loading.current
        if frame is None or current is None:
            raise ValueError("There is no heatmap to save.")
        frame = replace(frame, title=title_lines(current))
        size = self.picture.size()

        def write(path: str) -> None:
            from tensorloupe.views.heat.saving import save  # QtSvg takes its time, and is seldom needed

            save(frame, size, path)

        self._save(path, write)

    def copy_picture(self) -> None:
        """Put the heatmap on the clipboard as it is on screen."""
        if self.has_picture:
            QGuiApplication.clipboard().setPixmap(self.picture.grab())

    def copy_values(self) -> None:
        """Put the values in view (or what the pixels show of them) on the clipboard as tab-separated text."""
        picture = self.loading.current
        if picture is not None:
            values = picture.values if picture.stored is None else picture.stored
            self._copy(lambda: table(values), self._failed)
