"""The blocks of a quantized tensor: one of them taken apart, beside what all of them are like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout

import weightmap
from tensorloupe.views.blocks.controls import BlockControls
from tensorloupe.views.blocks.jumping import Jumping
from tensorloupe.views.blocks.knowing import Knowing, Seen
from tensorloupe.views.blocks.page import WIDEST, BlockPage
from tensorloupe.views.blocks.places import Place
from tensorloupe.views.blocks.saving import drawn, save
from tensorloupe.views.blocks.side import BlocksSide
from tensorloupe.views.blocks.words import elements_text, health_line, place, title_words
from tensorloupe.views.halves import Halves
from tensorloupe.views.heat.controls import mark
from tensorloupe.views.heat.slices import Slices
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import View, ViewContext, nothing_of

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

SIDE = 0.3, 44, 64, WIDEST  # share of the width, letters at least and at most; of the block at most


class BlocksView(View):
    """Scale, codes, values and bytes of a block; codes and scales of the whole tensor."""

    hint = "Arrow keys move by one element · Page Up and Page Down by one block · N next NaN or Inf"

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "blocks")
        self._build_by(self._build())

    def _build(self) -> Iterator[None]:
        theme = self.context.theme
        self.page = BlockPage(theme)
        yield
        self.side = BlocksSide(theme)
        yield
        self.halves = Halves(theme, self.page, self.side, *SIDE)
        self.stage = Stage(theme, self.halves)
        self.controls, self.slices = BlockControls(theme), Slices()
        yield
        self.knowing = Knowing(self.context.tasks, self.slot, self)
        self.jumping = Jumping(self.knowing, self.controls, self)
        self.at = Place()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.controls, self.slices):
            column.addWidget(widget)
        column.addWidget(self.stage, 1)
        self.setFocusProxy(self.page)
        self._connect()
        self.show_tensor(None)

    def _connect(self) -> None:
        controls, knowing, page, side = self.controls, self.knowing, self.page, self.side
        controls.stepped.connect(self.step)
        controls.block_typed.connect(self._typed)
        controls.block_chosen.connect(lambda number: self.go(self.at.at(number)))
        controls.jumped.connect(self.jump)
        controls.heatmap_asked.connect(self._ask_heatmap)
        controls.side_turned.connect(self.halves.turn)
        self.halves.narrow_changed.connect(lambda narrow: controls.leave_out(controls.switch, not narrow))
        page.element_chosen.connect(self._show_element)
        page.left.connect(self.step)
        side.scales.chosen.connect(lambda place: self.go_to_element((*self.at.leading, *place)[-len(self.at.shape) :]))
        side.which_chosen.connect(lambda _: self._look())
        side.experts.chosen.connect(lambda expert: self._to_slice((expert,)))
        side.again.connect(self._look)
        self.slices.chosen.connect(self._to_slice)
        knowing.block_read.connect(self._show_block)
        knowing.failed.connect(self._failed)
        knowing.learned.connect(self._learned)
        self.jumping.found.connect(lambda number: self.go(self.at.at(number)))
        self.jumping.nothing.connect(self.status_text)
        knowing.stopped.connect(self._stopped)
        self.stage.again.connect(lambda: self.show_tensor(self.tensor))
        self.context.document.model_changed.connect(knowing.forget)
        self.context.document.reference_changed.connect(lambda: self.go(self.at) if self.isVisible() else None)

    # what to show

    def show_tensor(self, tensor: Shown | None) -> None:
        """Show a tensor from its first block; the same one again stays where it is."""
        old = self.tensor
        tensor = tensor if isinstance(tensor, weightmap.Tensor) else None
        same = tensor is not None and old is not None and tensor.name == old.name and self.at.fits(tensor)
        if not same:
            self.at = Place() if tensor is None else Place(tensor.shape, tensor.type.elements)
        if tensor is not old:
            self.page.block = None
        self.tensor = tensor
        self.knowing.show(tensor)
        self.slices.set_shape(self.at.shape, self.at.leading)
        self.side.show_scales(None)
        self.side.show_health(None)
        if tensor is not None and tensor.problem is None and self.at.blocks:
            self.go(self.at)
            self._look()
            return
        self.picture_changed.emit()
        self.status_text.emit("")
        if tensor is not None and tensor.problem is not None:
            self.stage.show_failed(weightmap.errors.error(tensor.problem))
        else:
            self.stage.show_sentence(nothing_of(tensor))

    def go(self, at: Place | None) -> None:
        """Read the block of a place and show it."""
        if at is not None and at.blocks:
            self.at = at
            self.knowing.read_block(at.number, self._pair)

    def go_to_element(self, index: Sequence[int]) -> None:
        """Show the block of an element, with the cursor on it."""
        if self.at.blocks:
            self.go(self.at.of(index))

    def step(self, blocks: int, element: int | None = None) -> None:
        """Go back or on by so many blocks, staying at the ends."""
        if self.at.blocks and (there := self.at.step(blocks, element)) != self.at:
            self.go(there)

    @property
    def _pair(self) -> weightmap.TensorPair | None:
        comparing = self.context.document.comparing
        return None if comparing is None else comparing.pair_of(self.tensor)

    def _show_block(self, seen: Seen) -> None:
        before, block = self.page.block, seen.block
        self.controls.show_place(block.index, self.at.blocks, place(block))
        self.page.show_block(seen, self.at.element)
        self.side.scales.show_block(block)
        if self.stage.state != "picture":
            self.stage.show_picture()
        if before is None:
            self.picture_changed.emit()
            self._tell()
        elif block.position[:-2] != before.position[:-2]:
            self.slices.set_shape(self.at.shape, self.at.leading)
            self._look()

    def _show_element(self, element: int) -> None:
        self.at = replace(self.at, element=element)
        self.page.show_element(element)

    def _failed(self, reason: BaseException) -> None:
        self.stage.show_failed(reason)
        self.status_text.emit("")

    # the whole tensor

    def _look(self) -> None:
        self.side.say("", False)
        self.knowing.look(self.at.leading, self.side.which.value)
        self._learned()

    def _learned(self) -> None:
        known = self.knowing.known
        if known is None:
            return
        picture = known.scales.get((self.at.leading, self.side.which.value))
        if picture is not None and picture is not self.side.scales.picture:
            self.side.show_scales(picture)
        self.side.show_health(known.health)
        self.jumping.show_known()
        self._tell()

    def _tell(self) -> None:
        known = self.knowing.known
        self.status_text.emit(health_line(None if known is None else known.health))

    def _stopped(self, reason: BaseException | None) -> None:
        self.side.say("Cancelled." if reason is None else weightmap.printable(str(reason)), True)

    # going about

    def _typed(self, number: int) -> None:
        mark(self.controls.number, (there := self.at.at(number)) is None)
        self.go(there)

    def _to_slice(self, leading: tuple[int, ...]) -> None:
        if self.at.blocks:
            self.go_to_element((*leading, *self.at.index[-2:]))

    def jump(self, where: str) -> None:
        """Go to the block with the largest or smallest scale, or to the next or previous one that is broken."""
        self.jumping.jump(where, self.at.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """N goes to the next NaN or Inf scale, with Shift to the one before; Enter shows the element in the heatmap."""
        if event.key() == Qt.Key.Key_N and self.at.blocks:
            self.jump("previous" if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else "next")
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.page.grid.hasFocus():
            self._ask_heatmap()
        else:
            super().keyPressEvent(event)

    def _ask_heatmap(self) -> None:
        if self.at.blocks:
            self.go_wanted.emit("heatmap", self.at.index)

    def ask_position(self) -> None:
        """Put the focus into the field that takes a block's number."""
        self.controls.number.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.controls.number.selectAll()

    def cancel(self) -> None:
        """Stop what runs."""
        self.knowing.stop()

    def refresh_theme(self) -> None:
        """Paint in the colours in force."""
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a block is shown."""
        return self.tensor is not None and self.page.block is not None

    def save_picture(self, path: str) -> None:
        """Write all of block and tensor, in the colours in force."""
        tensor, block = self.tensor, self.page.block
        if not isinstance(tensor, weightmap.Tensor) or block is None:
            raise ValueError("There is no block to save.")
        name, words = weightmap.printable(tensor.name), title_words(tensor, block, self.at.blocks)
        image = drawn(self.halves, self.context.theme, name, words)
        self._save(path, lambda beside: save(image, name, beside))

    def copy_picture(self) -> None:
        """Put block and tensor on the clipboard as they are on screen."""
        if self.has_picture:
            QGuiApplication.clipboard().setPixmap(self.halves.grab())

    def copy_values(self) -> None:
        """Put the elements of the block on the clipboard: code, level and value, a line each."""
        if self.page.block is not None:
            QGuiApplication.clipboard().setText(elements_text(self.page.block))
