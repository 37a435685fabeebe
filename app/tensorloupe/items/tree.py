"""The tensor tree as a Qt model: what stands in the cells of each row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt

from tensorloupe.items import roles, wording
from tensorloupe.items.arrangement import SIZE, STATE, Totals, arrange, group_totals, whole_totals, with_statuses
from tensorloupe.items.outline import Outline
from tensorloupe.items.treecells import summary_cell, summary_looks, tensor_cell, tensor_looks
from tensorloupe.items.treerows import HEADS, Index, TreeRows
from tensorloupe.style import text

if TYPE_CHECKING:
    from tensorloupe.items.treeerrors import TreeErrors

UNFINISHED = ("ok", "unchecked")  # states that tell nothing yet of values that are being looked at
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_ALIGN = (_LEFT, _LEFT, _RIGHT, _RIGHT, Qt.AlignmentFlag.AlignCenter)


class TreeModel(TreeRows):
    """Rows over an Outline. `show_outline` replaces the model's file, `rearrange` its filter and order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.status, self.size = "ok", 0
        self._totals: tuple[Totals, ...] = ()
        self._whole = wording.totals_of_nothing()
        self._busy = self._busy_group = -1  # the tensor whose values are being looked at, and its group
        self.order: tuple[int | None, bool] = (None, False)  # the column, and whether downwards
        self._mask: NDArray[np.bool_] | None = None
        self.compared: TreeErrors | None = None  # takes the place of the sizes while there is a reference

    # what the panel tells it

    def show_outline(self, outline: Outline | None, status: str = "ok", size: int = 0) -> None:
        """Show another file's tensors, unfiltered; the order chosen stays. `status` and `size` are the whole file's."""
        self.beginResetModel()
        self.size = size
        self.outline, self.status, self._mask, self.compared = outline, status, None, None
        self._busy = self._busy_group = -1
        self._totals = group_totals(outline) if outline is not None else ()
        self._whole = whole_totals(outline) if outline is not None else wording.totals_of_nothing()
        self._arrange()
        self.endResetModel()

    def rearrange(self, mask: NDArray[np.bool_] | None) -> None:
        """Show only the tensors of the mask, (tensors,) bool; None shows all."""
        self.beginResetModel()
        self._mask = mask
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; column -1 gives back the order of the model."""
        self.beginResetModel()
        self.order = (column if column >= 0 else None, order == Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.endResetModel()

    def show_errors(self, compared: TreeErrors | None, rearrange: bool) -> None:
        """Show errors in place of sizes, more of the same ones, or sizes again; `rearrange` sorts anew where they count.

        The view is to be painted anew after it: to tell it of every row would have it laid out anew.
        """
        switched, self.compared = (compared is None) != (self.compared is None), compared
        if rearrange:
            self.rearrange(self._mask)
        if switched:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, SIZE, SIZE)

    def shows_other(self, status: str, busy: int | None) -> bool:
        """Whether the status of the file, or the tensor being looked at, is another one than shown."""
        return status != self.status or self._busy != (-1 if busy is None else busy)

    def refresh_status(self, status: str, busy: int | None = None) -> None:
        """Take in that the outline's states, that of the whole file, or the tensor being looked at, are others now."""
        self.status = status
        if self.outline is not None:
            self._busy = -1 if busy is None else busy
            self._busy_group = -1 if busy is None else int(self.outline.group[busy])
            self._totals, self._whole = with_statuses(self.outline, self._totals, self._whole)
            self.dataChanged.emit(self.index(0, STATE), self.index(len(self._rows), STATE))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(HEADS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.compared.head if section == SIZE and self.compared is not None else HEADS[section]
        if role == Qt.ItemDataRole.AccessibleTextRole or (role == Qt.ItemDataRole.ToolTipRole and section == STATE):
            return HEADS[section] or "Status"
        return int(_ALIGN[section]) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.outline is None:
            return None
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_ALIGN[column])
        number = self.number_at(index)
        if column == SIZE and self.compared is not None and role != roles.TENSOR:
            return self.compared.answer(role, number, self._group_at(index))
        if number is not None:
            return tensor_cell(self.outline, number, column, role, bool(index.internalId()), self._mark(number))
        return self._whole_file(column, role) if index.row() == 0 else self._group(index.row() - 1, column, role)

    def look(self, index: Index) -> roles.Look:
        """What is painted of a cell."""
        return self.looks(index)[index.column()] if self.outline is not None else roles.Look("")

    def looks(self, index: Index) -> tuple[roles.Look, ...]:
        """What is painted of all cells of a row."""
        number, outline, compared = self.number_at(index), self.outline, self.compared
        assert outline is not None
        if number is not None:
            looks = tensor_looks(outline, number, bool(index.internalId()), self._mark(number))
        else:
            at = index.row()
            held = self._totals[self._rows[at - 1].group] if at else self._whole
            answer = partial(self._group, at - 1) if at else self._whole_file
            shown = (str(answer(column, Qt.ItemDataRole.DisplayRole) or "") for column in range(STATE))
            looks = summary_looks(held, tuple(shown), answer(STATE, roles.STATUS) or "")
        if compared is None:
            return looks
        return (*looks[:SIZE], compared.look(number, self._group_at(index)), *looks[SIZE + 1 :])

    def _mark(self, number: int) -> str:
        assert self.outline is not None
        status = self.outline.status(number)
        status = "running" if number == self._busy and status in UNFINISHED else status
        return status if self.compared is None else self.compared.status(status, number)

    def _group_at(self, index: Index) -> int | None:
        """The number of the group of a row that stands for one; None for tensors and the whole file."""
        row = self._group_row(index.sibling(index.row(), 0))
        return None if row is None else row.group

    @property
    def all_located(self) -> bool:
        """Whether it is known of all tensors where they lie."""
        return not self._whole.unlocated

    def _arrange(self) -> None:
        outline, ratio = self.outline, None if self.compared is None else self.compared.ratio
        self._take_rows(() if outline is None else arrange(outline, self._mask, *self.order, ratio))

    def _group(self, position: int, column: int, role: int) -> Any:
        row = self._rows[position]
        outline, held = self.outline, self._totals[row.group]
        assert outline is not None
        name = outline.groups[row.group]
        if role == roles.GROUP:
            return row.group
        status = "running" if row.group == self._busy_group and held.status in UNFINISHED else held.status
        status = status if self.compared is None else self.compared.status(status, None, row.group)
        noun = "tensor" if outline.stored == len(outline.tensors) else "weight"
        return summary_cell(name, held, wording.inside(held, row.members.size, noun), status, column, role)

    def _whole_file(self, column: int, role: int) -> Any:
        held = self._whole
        if column == SIZE and role in (Qt.ItemDataRole.DisplayRole, roles.RAW) and held.share >= 1:
            return text.size(self.size)
        status = self.status if self.compared is None else self.compared.status(self.status, None)
        return summary_cell("Whole file", held, wording.all_inside(held), status, column, role)
