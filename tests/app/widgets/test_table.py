"""Tables are painted in one go, and no more of them than has to be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QHeaderView

from tensorloupe.items.table import RowTable
from tensorloupe.style.colors import LIGHT
from tensorloupe.widgets.table import Table


class Pairs(RowTable[tuple[str, str]]):
    heads = ("Name", "Number")
    asked = 0

    def cell(self, row, column):
        return row[column]

    def rowCount(self, *parent):
        self.asked += 1
        return super().rowCount(*parent)


@pytest.fixture
def table(qtbot, theme):
    model = Pairs()
    model.show_rows([(f"row {n}", str(n)) for n in range(12)])
    view = Table(theme, model, "Pairs", (10, 10), 1)
    model.setParent(view)
    qtbot.addWidget(view)
    view.resize(400, 500)
    with qtbot.waitExposed(view):
        view.show()
    return view


def painted(monkeypatch, view):
    """The cells that are painted from now on."""
    cells, delegate = [], view.itemDelegate()
    paint = type(delegate).paint

    def watched(self, painter, option, index):
        cells.append((index.row(), index.column()))
        paint(self, painter, option, index)

    monkeypatch.setattr(delegate, "paint", watched.__get__(delegate))
    return cells


def test_a_wide_cell_has_all_its_room_whatever_part_of_it_is_painted(monkeypatch, table):
    """A name in the middle of it would else stand somewhere else in each part."""
    table.setSpan(3, 0, 1, 2)
    whole = table.columnWidth(0) + table.columnWidth(1)
    rects, delegate = [], table.itemDelegate()
    monkeypatch.setattr(
        delegate, "paint", lambda painter, option, index: rects.append((index.row(), QRect(option.rect)))
    )
    top, high = table.rowViewportPosition(3), table.rowHeight(3)
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        table.setLayoutDirection(direction)
        QApplication.processEvents()
        left = min(table.columnViewportPosition(column) for column in (0, 1))
        for at in (left + 5, left + whole - 15):
            rects.clear()
            table.viewport().repaint(at, top, 10, high)
            assert [rect for row, rect in rects if row == 3] == [QRect(left, top, whole, high)]
            assert len(rects) == 1


def test_the_model_is_not_asked_for_every_cell(table):
    table.model().asked = 0
    table.viewport().repaint()
    assert table.model().asked <= 2


def test_only_rows_that_changed_are_painted(qtbot, monkeypatch, table):
    cells = painted(monkeypatch, table)
    model = table.model()
    for row in (2, 7):
        model.dataChanged.emit(model.index(row, 0), model.index(row, 1))
    qtbot.waitUntil(lambda: len(cells) >= 4)
    assert {2, 7} <= {row for row, _ in cells} <= {2, 3, 7, 8}  # Qt has a line of what is below painted as well


def test_hidden_columns_and_cells_under_a_wide_one_are_not_painted(monkeypatch, table):
    cells = painted(monkeypatch, table)
    table.setSpan(3, 0, 1, 2)
    table.viewport().repaint()
    assert (3, 0) in cells and (3, 1) not in cells and (4, 1) in cells
    cells.clear()
    table.setColumnHidden(0, True)
    table.viewport().repaint()
    assert {column for _, column in cells} == {1}


def test_every_other_row_has_a_ground_of_its_own_and_the_selected_one_too(table):
    table.selectRow(5)
    picture = table.viewport().grab().toImage()
    ratio = picture.devicePixelRatio()

    def ground(row: int) -> QColor:
        box = table.visualRect(table.model().index(row, 1))
        return picture.pixelColor(int((box.right() - 2) * ratio), int(box.center().y() * ratio)).name()

    assert [ground(row) for row in (2, 3, 4, 5)] == [LIGHT.base, LIGHT.alternate, LIGHT.base, LIGHT.highlight]


def test_a_table_that_reads_from_the_right_begins_there(table):
    table.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    picture = table.viewport().grab().toImage()
    name = table.visualRect(table.model().index(0, 0))
    assert name.left() > table.visualRect(table.model().index(0, 1)).left()
    inked = {
        x
        for x in range(picture.width())
        if picture.pixelColor(x, int(name.center().y() * picture.devicePixelRatio())).lightness() < 128
    }
    assert max(inked) > picture.width() // 2


def test_a_number_behind_hebrew_letters_is_painted_behind_them(qtbot, theme):
    """Its parts go from the left to the right, so that numbers and endings stay with what they follow."""
    model = Pairs()
    view = Table(theme, model, "Names", (30, 10), 1)
    model.setParent(view)
    qtbot.addWidget(view)
    view.resize(400, 120)
    view.show()

    def inked(name: str) -> list[int]:
        model.show_rows([(name, "")])
        view.clearSelection()
        picture = view.viewport().grab().toImage()
        columns = range(round(view.columnWidth(0) * picture.devicePixelRatio()))
        rows = range(round(view.rowHeight(0) * picture.devicePixelRatio()))
        return [x for x in columns if any(picture.pixelColor(x, y).lightness() < 128 for y in rows)]

    hebrew = inked("\u05de\u05d5\u05d3\u05dc")
    both = inked("\u05de\u05d5\u05d3\u05dc.77777777")
    assert [x for x in both if x <= max(hebrew)] == hebrew  # the number stands behind it
    assert max(both) > max(hebrew) + 20


def test_columns_beside_what_is_in_view_are_not_painted(qtbot, monkeypatch, table):
    """A grid of a layer's experts has hundreds of columns."""
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    for column in (0, 1):
        table.setColumnWidth(column, 300)
    table.resize(280, 500)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() > 0)
    cells = painted(monkeypatch, table)
    table.horizontalScrollBar().setValue(0)
    table.viewport().repaint()
    assert {column for _, column in cells} == {0}
    table.setSpan(3, 0, 1, 2)
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    cells.clear()
    table.viewport().repaint()
    assert {cell for cell in cells if cell[0] in (2, 3)} == {(2, 1), (3, 0)}
