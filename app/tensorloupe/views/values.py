"""All values of a tensor as a table that decodes as it scrolls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QLineEdit, QScrollBar, QVBoxLayout, QWidget

import weightmap
from tensorloupe.readable import count_of, problem_of
from tensorloupe.style.text import count, counted
from tensorloupe.task import Progress
from tensorloupe.views.cells import Cells
from tensorloupe.views.controls import ControlRow
from tensorloupe.views.heat.controls import mark
from tensorloupe.views.heat.matrix import empty, first_index
from tensorloupe.views.heat.slices import Slices
from tensorloupe.views.heat.typed import TYPED, typed_index
from tensorloupe.views.stage import Stage
from tensorloupe.views.tiles import MOST_COLUMNS, MOST_ROWS, Matrix, Texts, Tile, ValuesTable
from tensorloupe.views.view import View, ViewContext, nothing_of

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

MOST_COPIED = 1_000_000  # values that the clipboard is given
AT_ONCE = 24  # tiles read by one task; the latest wanted first


class ValuesView(View):
    """The values themselves, exactly, as far as the eye reaches."""

    hint = "Ctrl+C copies the selected values · Ctrl+G goes to a row and column"

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "values")
        self.model = ValuesTable(context.theme, self)
        self.cells = Cells(context.theme, self.model)
        self.stage = Stage(context.theme, self.cells)
        self.slices = Slices()
        self.position = QLineEdit()
        self.position.setPlaceholderText("Go to row, column")
        self.position.setAccessibleName("Go to row, column")
        self.position.setToolTip(TYPED)
        self.position.setFixedWidth(self.fontMetrics().averageCharWidth() * 24)
        self.extent = QLabel()
        self.extent.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = QScrollBar(Qt.Orientation.Horizontal)
        self.bar.setAccessibleName("Window of rows over the whole tensor")
        self.bar.hide()
        controls = ControlRow()
        controls.add(self.position)
        controls.add(self.extent, rank=1)
        controls.stretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (controls, self.slices, self.bar):
            column.addWidget(widget)
        column.addWidget(self.stage, 1)
        self._controls = controls
        self._fetch = QTimer(self, singleShot=True, interval=0)
        self._fetch.timeout.connect(self._read)
        self.model.wanted.connect(self._fetch.start)
        self.cells.copy_asked.connect(self.copy_values)
        self.position.returnPressed.connect(self._typed)
        self.position.textEdited.connect(lambda _: mark(self.position, False))
        self.slices.chosen.connect(self._sliced)
        self.bar.valueChanged.connect(self._window)
        self.stage.again.connect(lambda: self.show_tensor(self.tensor))
        self.stage.cancel.connect(lambda: context.tasks.cancel(self.slot))
        self.show_tensor(None)

    def show_tensor(self, tensor: Shown | None) -> None:
        """Show the values of a tensor from the start; the same one again stays where it is."""
        old, matrix = self.tensor, self.model.matrix
        same = tensor is not None and old is not None and (tensor.name, tensor.shape) == (old.name, old.shape)
        index = matrix.index if same and matrix is not None else first_index(tensor.shape if tensor is not None else ())
        place = self._place() if same and matrix is not None else (0, 0)
        self.cancel()
        self.tensor = tensor
        self.slices.set_shape(tensor.shape if tensor is not None else (), index)
        if tensor is None or empty(tensor.shape):
            self._nothing(nothing_of(tensor))
            return
        if (problem := problem_of(tensor)) is not None:
            self._nothing("")
            self.stage.show_failed(weightmap.errors.error(problem))
            return
        self._show(Matrix(tensor, index))
        self.go_to(*place)

    def _nothing(self, words: str) -> None:
        self.model.show_matrix(None)
        self.bar.hide()
        self.extent.setText("")
        self.stage.show_sentence(words)
        self.status_text.emit("")

    def _show(self, matrix: Matrix, row: int = 0, column: int = 0) -> None:
        self.model.show_matrix(matrix, row, column)
        over = max(matrix.rows - MOST_ROWS, 0)
        self.bar.setVisible(over > 0)
        self.bar.blockSignals(True)
        self.bar.setRange(0, (matrix.rows - 1) // MOST_ROWS if over else 0)
        self.bar.setValue(row // MOST_ROWS)
        self.bar.blockSignals(False)
        words = f"{counted(matrix.rows, 'row')} × {counted(matrix.columns, 'column')}"
        if over or matrix.columns > MOST_COLUMNS:
            rows, columns = self.model.rowCount(), self.model.columnCount()
            words += f" · in the table: rows {count(row)} – {count(row + rows - 1)}"
            words += f", columns {count(column)} – {count(column + columns - 1)}"
        self.extent.setText(words)
        self._controls.fit(self.extent)
        self.stage.show_picture()
        self.status_text.emit(f"exact · {counted(count_of(matrix.tensor), 'value')}, decoded as they are looked at")

    def _place(self) -> tuple[int, int]:
        """Row and column at the top left."""
        row, column = max(self.cells.rowAt(1), 0), max(self.cells.columnAt(1), 0)
        return self.model.first_row + row, self.model.first_column + column

    def _sliced(self, index: tuple[int, ...]) -> None:
        if self.tensor is not None:
            place = self._place()
            self._show(Matrix(self.tensor, index))
            self.go_to(*place)

    def _window(self, which: int) -> None:
        if self.model.matrix is not None:
            self._show(self.model.matrix, which * MOST_ROWS, self.model.first_column)

    # reading

    def _read(self) -> None:
        """Read the tiles that lack, those wanted last first."""
        matrix, lacking = self.model.matrix, self.model.lacking
        if matrix is None or not lacking or self.context.tasks.running(self.slot):
            return
        wanted = list(lacking)[-AT_ONCE:][::-1]
        lacking.clear()
        for tile in wanted:
            lacking[tile] = None

        def work(progress: Progress) -> list[tuple[Tile, Texts]]:
            read = []
            for done, tile in enumerate(wanted):
                if progress(done, len(wanted)) is False:
                    raise weightmap.Cancelled
                read.append((tile, matrix.tile(tile)))
            return read

        self.context.tasks.start(self.slot, "Decoding values", work, self._given, self._failed, quiet=True)

    def _given(self, tiles: list[tuple[Tile, Texts]]) -> None:
        self.cells.fit_columns(max((len(text) for _, texts in tiles for text in texts[0]), default=0))
        for tile, texts in tiles:
            self.model.give(tile, texts)
        self.model.lacking.clear()  # what was scrolled past is not read; what is in view asks again
        self.cells.viewport().update()

    def _failed(self, reason: BaseException) -> None:
        self.stage.show_failed(reason)
        self.status_text.emit("")

    # going about

    def _typed(self) -> None:
        matrix = self.model.matrix
        if matrix is not None:
            index = typed_index(self.position.text(), matrix.tensor.shape, matrix.index)
            mark(self.position, index is None)
            if index is not None:
                self.go_to_element(index)

    def go_to(self, row: int, column: int) -> bool:
        """Bring a value into view and select it; says whether there is one."""
        matrix = self.model.matrix
        if matrix is None:
            return False
        if not (row < matrix.rows and column < matrix.columns):
            return False
        first_row, first_column = self.model.first_row, self.model.first_column
        inside = 0 <= row - first_row < self.model.rowCount() and 0 <= column - first_column < self.model.columnCount()
        if not inside:
            self._show(matrix, row // MOST_ROWS * MOST_ROWS, column // MOST_COLUMNS * MOST_COLUMNS)
        index = self.model.index(row - self.model.first_row, column - self.model.first_column)
        self.cells.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.cells.scrollTo(index)
        return True

    def go_to_element(self, index: Sequence[int]) -> None:
        """Select one element, in its slice; `index` has a number for each axis."""
        matrix = self.model.matrix
        if matrix is not None:
            leading = tuple(index[:-2])
            if matrix.index != leading:
                self.slices.set_shape(matrix.tensor.shape, leading)
                self._sliced(leading)
            self.go_to(*(0, 0, *index)[-2:])

    def ask_position(self) -> None:
        """Put the focus into the field that takes a row and a column."""
        self.position.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.position.selectAll()

    def copies(self, focus: QWidget) -> bool:
        """While the table has the focus, Copy takes what is selected in it."""
        return focus is self.cells

    def copy_text(self, whole_row: bool) -> str:
        """Nothing at once: the values are decoded first, and are on the clipboard a moment later."""
        self.copy_values()
        return ""

    def copy_values(self) -> None:
        """Put the selected values on the clipboard as tab-separated text, each in full."""
        matrix = self.model.matrix
        ranges: Any = self.cells.selectionModel().selection()  # a list, which the stubs do not know
        if matrix is None or not len(ranges):
            return
        chosen = ranges[0]
        rows = self.model.first_row + chosen.top(), self.model.first_row + chosen.bottom() + 1
        columns = self.model.first_column + chosen.left(), self.model.first_column + chosen.right() + 1
        many = (rows[1] - rows[0]) * (columns[1] - columns[0])
        if many > MOST_COPIED:
            self.status_text.emit(f"{counted(many, 'value')} are too many for the clipboard: export them with Ctrl+E")
            return
        self.context.tasks.start(
            f"{self.slot}.copy",
            "Copying values",
            lambda progress: matrix.tabbed(rows, columns, progress),
            QGuiApplication.clipboard().setText,
            self._failed,
        )

    def refresh_theme(self) -> None:
        """Repaint in the colours in force."""
        self.cells.viewport().update()
        self.update()
