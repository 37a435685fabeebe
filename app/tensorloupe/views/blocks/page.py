"""One block from above to below: its sub-blocks, its elements, how one value is made, its bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

import weightmap
from tensorloupe.style import text
from tensorloupe.style.theme import SECONDARY, Theme
from tensorloupe.views.blocks.bytes import StoredBytes
from tensorloupe.views.blocks.grid import SHOWN, ElementGrid
from tensorloupe.views.blocks.knowing import Seen
from tensorloupe.views.blocks.side import Head
from tensorloupe.views.blocks.subtable import SubBlockView
from tensorloupe.views.blocks.words import code_texts, element_place, formula, significant
from tensorloupe.views.exact import shown
from tensorloupe.views.halves import Switch
from tensorloupe.widgets.controls import Ground, PlainLabel
from tensorloupe.widgets.flow import FlowLayout

MARGIN, WIDEST = 16, 150  # letters
TITLES = dict(zip(SHOWN, ("Codes", "Values", "Values of the reference", "Errors"), strict=True))


class BlockPage(QScrollArea):
    """`element_chosen`: the user went to another element of the block; `left`: (blocks, element) out of it."""

    element_chosen = Signal(int)
    left = Signal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.block: weightmap.Block | None = None
        self._reference: NDArray[np.float64] | None = None
        self.sub_head, self.table = Head(theme, "Sub-blocks"), SubBlockView(theme)
        self.switch = Switch("Codes", "Values", "Reference", "Errors")
        self.grid_head, self.grid = Head(theme, "Codes"), ElementGrid(theme)
        self.line = ElementLine(theme)
        self.bytes_head, self.bytes = Head(theme, "Stored bytes"), StoredBytes(theme)
        self._build()
        self.switch.turned.connect(self._switched)
        self.switch.offer(2)
        self.grid.chosen.connect(self.element_chosen)
        self.grid.left.connect(self.left)
        self.table.chosen.connect(self._group_chosen)

    def _build(self) -> None:
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.grid_head, 1)
        row.addWidget(self.switch)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(MARGIN, 4, MARGIN, 12)
        column.setSpacing(6)
        for widget in (self.sub_head, self.table, head, self.grid, self.line, self.bytes_head, self.bytes):
            column.addWidget(widget)
        column.addStretch(1)
        page.setAutoFillBackground(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusProxy(self.grid)
        self.setWidget(page)
        self.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)

    def show_block(self, seen: Seen, element: int) -> None:
        """Show a block, with the cursor on one of its elements."""
        block = self.block = seen.block
        self._reference = seen.reference
        self.switch.offer(2 if seen.reference is None else 4)
        many = block.type.groups > 1
        self.sub_head.title.set_text("Sub-blocks" if many else "Scale")
        broken = int(np.count_nonzero(~np.isfinite(block.scales)))
        self.sub_head.words.set_text(f"{text.counted(broken, 'scale')} NaN or Inf" if broken else numbers_words(block))
        self.table.show_block(block, element // block.type.sub_elements)
        self.grid.show_block(block, element, seen.reference)
        self._name_grid()
        self.bytes_head.words.set_text(f"{text.count(len(block.bytes))} at {text.count(block.offset)}")
        self.show_element(element)

    def show_element(self, element: int) -> None:
        """Put the cursor on another element of the same block."""
        block = self.block
        if block is None:
            return
        group = element // block.type.sub_elements
        self.grid.show_element(element)
        self.table.show_group(group)
        self.line.show_element(block, element, self._reference)
        self.bytes.show_block(block, {*block.bytes_of(element), *block.bytes_of_group(group)})
        self.grid.setAccessibleDescription(f"element {element}, {self.line.words}")

    def _switched(self, which: int) -> None:
        self.grid.show_what(SHOWN[which])
        self._name_grid()

    def _name_grid(self) -> None:
        shown = self.grid.shown
        self.grid_head.title.set_text(TITLES[shown])
        notation = "" if self.block is None else code_texts(self.block)[1]
        rms = "" if self.block is None else error_words(self.block, self._reference)
        self.grid_head.words.set_text(f"{notation}, coloured by value" if shown == "codes" else rms)

    def _group_chosen(self, group: int) -> None:
        if self.block is not None and group != self.grid.element // self.block.type.sub_elements:
            self.element_chosen.emit(group * self.block.type.sub_elements)


def error_words(block: weightmap.Block, reference: NDArray[np.float64] | None) -> str:
    """How far the block is from the reference, where there is one."""
    if reference is None:
        return "coloured by value"
    with np.errstate(invalid="ignore"):
        error = float(np.sqrt(np.mean(np.square(block.values - reference))))
    return f"rms error of the block {text.number(error)}"


def numbers_words(block: weightmap.Block) -> str:
    """The floats of a block by name: "d 1.2243e−04 · dmin 1.2236e−03"."""
    return " · ".join(f"{number.name} {significant(number.value, 5)}" for number in block.numbers)


class ElementLine(Ground):
    """One element: where it lies, and its value with the numbers that it is made of."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "window")
        self._title, self._place = PlainLabel(theme, bold=True), PlainLabel(theme, "secondary", SECONDARY)
        self._formula = PlainLabel(theme)
        self._set_fixed()
        theme.changed.connect(self._set_fixed)  # after the label's own
        self._formula.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        flow = FlowLayout(self, 14)
        flow.setContentsMargins(10, 7, 10, 7)
        self._reference = PlainLabel(theme, "secondary", SECONDARY)
        for label in (self._title, self._place, self._formula, self._reference):
            flow.addWidget(label)
        self.words = ""

    def _set_fixed(self) -> None:
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPointSizeF(self._theme.font(SECONDARY).pointSizeF())
        self._formula.setFont(fixed)

    def show_element(self, block: weightmap.Block, element: int, reference: NDArray[np.float64] | None) -> None:
        """Show how this element's value is made, and how far it is from the reference."""
        self._title.set_text(f"Element {text.count(element)}")
        self._place.set_text(element_place(block, element))
        value = shown(block.values[element])
        self.words = f"{element_place(block, element)}: {formula(block, element)} = {value}"
        self._formula.set_text(f"{formula(block, element)} = {value}")
        self.setToolTip(f"value = {block.formula}")
        if reference is not None:
            wanted, error = float(reference[element]), float(block.values[element]) - float(reference[element])
            self._reference.set_text(f"reference {significant(wanted, 5)} · error {significant(error, 3)}")
        self._reference.setVisible(reference is not None)
