"""The list of models as Qt sees it: rows that arrive, change, move and hide."""

import random

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

import weightmap
from tensorloupe.items.sheet import FILE, FIRST, SIZE, STATE, STATES, SheetTable, copied, new_row, raw


@pytest.fixture
def table(qapp):
    table = SheetTable()
    table.tester = QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return table


def fill(table, *names, states=()):
    for n, name in enumerate(names):
        row = new_row(f"/models/{name}", 100 * n)
        row.state = states[n] if states else "waiting"
        table.rows.append(row)
    table.settle()


def names(table):
    return [table.index(n, FILE).data() for n in range(table.rowCount())]


def problem(severity, message):
    return weightmap.Finding(severity=weightmap.Severity(severity), code="x", message=message)


def test_the_worst_comes_first_and_what_is_not_done_last(table):
    fill(table, "a", "b", "c", "d", "e", "f", states=("waiting", "ok", "error", "running", "info", "warning"))
    assert names(table) == ["c", "f", "e", "b", "d", "a"]
    table.sort(-1)
    assert names(table) == ["a", "b", "c", "d", "e", "f"]


def test_names_sort_as_people_count(table):
    fill(table, "m10", "m2", "m1")
    table.sort(FILE)
    assert names(table) == ["m1", "m2", "m10"]
    table.sort(SIZE, Qt.SortOrder.DescendingOrder)
    assert names(table) == ["m1", "m2", "m10"] and table.index(0, SIZE).data() == "200 B"


def test_a_persistent_index_follows_its_row(table):
    from PySide6.QtCore import QPersistentModelIndex

    fill(table, "a", "b", "c")
    kept = QPersistentModelIndex(table.index(1, FILE))
    table.rows[1].state = "error"
    table.settle()
    assert names(table) == ["b", "a", "c"]
    assert kept.row() == 0 and kept.data() == "b"


def test_the_filter_leaves_states_and_words(table):
    fill(table, "a.gguf", "b.gguf", "c.safetensors", states=("ok", "error", "error"))
    table.rows[1].findings = (problem("error", "The file ends early."),)
    table.show_only(("error",), "")
    assert names(table) == ["b.gguf", "c.safetensors"]
    table.show_only((), "ENDS early")
    assert names(table) == ["b.gguf"]
    table.show_only((), "")
    assert table.rowCount() == 3 and table.counts() == {"ok": 1, "error": 2}


def test_what_is_said_first_is_the_worst(table):
    fill(table, "a")
    row = table.rows[0]
    assert table.index(0, FIRST).data() == "waiting"
    row.findings = (problem("info", "A note."), problem("error", "A line\nbreak."), problem("warning", "So so."))
    row.state = "error"
    assert table.index(0, FIRST).data() == "A line\\nbreak."
    assert table.index(0, STATE).data(Qt.ItemDataRole.AccessibleTextRole) == "error"


def test_copies_hold_whole_and_exact_values(table):
    fill(table, "a.gguf")
    row = table.rows[0]
    row.state, row.form, row.nbytes, row.tensors = "ok", "GGUF v3", 1_234_567, 1_000
    assert copied([row]) == "ok\t/models/a.gguf\tGGUF v3\t1234567\t1000\t\tno problems"
    assert raw(row, SIZE) == "1234567" and table.index(0, SIZE).data() == "1.2 MB"


def test_a_thousand_changes_keep_the_model_in_order(table):
    order = random.Random(5)
    for step in range(400):
        if len(table.rows) < 120 and order.random() < 0.5:
            fill(table, *(f"m{step}-{n}" for n in range(order.randrange(4))))
        elif table.rows:
            row = order.choice(table.rows)
            row.state, row.hidden = order.choice(STATES), order.random() < 0.05
            table.settle()
        if order.random() < 0.1:
            table.show_only(order.sample(STATES, order.randrange(3)), order.choice(("", "m1", "nothing")))
        if order.random() < 0.1:
            table.sort(order.randrange(-1, 8), order.choice(list(Qt.SortOrder)))
    table.show_only((), "")
    assert table.rowCount() == sum(not row.hidden for row in table.rows)


def test_five_thousand_resets_lose_nothing(table):
    fill(table, "a", "b", states=("ok", "error"))
    for n in range(5_000):
        table.show_only(("ok",) if n % 2 else (), "")
    assert table.rowCount() == 1
