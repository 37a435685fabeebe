import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from support.build import gguf

import weightmap
from tensorloupe.items import array, roles
from tensorloupe.items.array import PAGE, ArrayTable, Column, copied, read_page, search
from tensorloupe.items.files import FilesTable, file_rows
from tensorloupe.items.findings import FindingsTable, lines, report, where
from tensorloupe.items.made import as_number
from tensorloupe.items.metadata import MetadataTable, entries, entry, exact, found, kind_of, preview, whole
from tensorloupe.items.summary import TypeRow
from tensorloupe.items.types import SHARE, TypesTable

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def texts(model) -> list[list[str]]:
    return [[model.index(r, c).data() for c in range(model.columnCount())] for r in range(model.rowCount())]


def test_values_are_shown_typed_and_what_is_left_out_is_counted():
    assert preview(True) == "true"
    assert preview(131072) == "131072"
    assert preview(np.float32(1e-6)) == "1e\u221206" and preview(-1) == "\u22121"
    assert preview("a\nb") == "a\\nb"
    assert preview("x" * 400) == "x" * 300 + " … and 100 characters more"
    assert preview(np.arange(10)) == "[0, 1, 2, 3, 4, 5, 6, 7, and 2 more]"
    assert preview(["a", "b"]) == "[“a”, “b”]"
    assert preview([]) == "[]"
    assert kind_of(np.zeros(3, np.int32)) == "int32[3]"
    assert kind_of(["a"] * 1234) == "str[1,234]"
    assert kind_of(1.5) == "float"
    assert exact(np.uint64(2**64 - 1)) == "18446744073709551615"
    assert whole(["a\nb", "c"]) == "a\nb\nc"


def test_metadata_rows_are_searched_in_key_and_value(qapp, model_file):
    table = MetadataTable()
    tester = QAbstractItemModelTester(table, FATAL)
    with weightmap.open(model_file) as model:
        rows = entries(model.metadata, model.metadata_type)
    table.show_rows(rows)
    assert texts(table)[0] == ["general.architecture", "str", "toy"]
    assert texts(table)[1][2] == "A <b>bold</b> & [*] name"
    assert [row.key for row in found(rows, "TOY block")] == ["toy.block_count"]
    assert [row.key for row in found(rows, "bold")] == ["general.name"]
    assert found(rows, "nothing of the kind") == ()
    assert [row.kind for row in rows] == ["str", "str", "u32", "str", "str[3,000]", "f32[3,000]"]
    template = next(row for row in rows if row.key == "tokenizer.chat_template")
    assert template.is_cut and table.raw(template, 2) == "{{ bos }}\n" + "x" * 5000
    assert tester.model() is table


def test_a_32_bit_float_has_no_digits_that_are_not_in_it():
    row = entry("eps", float(np.float32(1e-6)), "f32")
    assert row.shown == "1e\u221206" and whole(row.value) == "1e-06"
    assert entry("eps", float(np.float32(1e-6))).shown == "9.999999974752427e\u221207"  # of 64 bits these are all there
    assert entry("base", 1000000.0, "f32").shown == "1000000.0"


def test_reading_of_metadata_ends_when_nobody_wants_it():
    assert len(entries({str(n): n for n in range(9)}, wanted=iter([True, True, False]).__next__)) == 2


def test_an_array_asks_for_the_pages_that_are_looked_at_and_no_others(qapp):
    tokens = [f"t{n}" for n in range(262_144)]
    columns = (Column("Token", tokens), Column("Score", np.arange(262_144, dtype=np.float32)))
    table = ArrayTable()
    wanted: list[int] = []
    table.show_columns(columns)
    table.page_wanted.connect(wanted.append)
    assert table.rowCount() == 262_144
    row = 200_000
    assert table.index(row, 1).data() is None
    assert table.index(row, 2).data() is None
    assert wanted == [row // PAGE]
    table.give_page(wanted[0], read_page(columns, table.page_rows(wanted[0])))
    assert [table.index(row, c).data() for c in range(3)] == ["200,000", "t200000", "200000.0"]
    assert wanted == [row // PAGE]


def test_an_array_is_a_sound_model_while_pages_come_and_go(qapp):
    table = ArrayTable()
    tester = QAbstractItemModelTester(table, FATAL)
    columns = (Column("Token", [f"t{n}" for n in range(PAGE + 3)]),)
    table.show_columns(columns)
    for page in (1, 0):
        table.give_page(page, read_page(columns, table.page_rows(page)))
    assert texts(table)[-1] == ["514", "t514"]
    table.show_columns(())
    assert table.rowCount() == 0
    assert tester.model() is table


def test_a_search_of_an_array_finds_every_row_and_can_be_given_up():
    columns = (Column("Token", [f"t{n}" for n in range(3 * PAGE)]),)
    hits = search(columns, "T10", lambda done, total: True)
    assert [f"t{n}" for n in hits] == [t for t in columns[0].values if "t10" in t]
    assert search(columns, "t10", lambda done, total: False) is None
    table = ArrayTable()
    table.show_columns(columns)
    table.show_only(hits)
    table.page_wanted.connect(lambda page: table.give_page(page, read_page(columns, table.page_rows(page))))
    assert [table.index(0, c).data() for c in range(2)] == ["10", "t10"]


def test_numbers_have_a_true_minus_and_are_found_and_copied_with_a_plain_one():
    columns = (Column("Token", ["a-b", "c"]), Column("Score", np.array([-1.5, 2], np.float32)))
    assert read_page(columns, range(2)) == (("a-b", "\u22121.5"), ("c", "2.0"))
    assert copied(columns, range(2), lambda done, total: True).split() == ["0", "a-b", "-1.5", "1", "c", "2.0"]
    for minus in "-\u2212":
        assert search(columns, f"{minus}1.5", lambda done, total: True).tolist() == [0]
        assert found([entry("k", -1.5)], f"{minus}1.5") and not found([entry("k", 1.5)], f"{minus}1.5")


def test_rows_are_copied_one_after_the_other(monkeypatch):
    class Values(list):
        read = 0

        def __getitem__(self, at):
            self.read += 1
            return super().__getitem__(at)

    values = Values(f"t{n}" for n in range(3 * PAGE))
    columns = (Column("Token", values),)
    assert copied(columns, range(2), lambda done, total: True) == "0\tt0\n1\tt1"
    values.read = 0
    monkeypatch.setattr(array, "tabbed", lambda rows: next(iter(rows)))
    assert copied(columns, range(len(values)), lambda done, total: True) == ["0", "t0"]
    assert values.read == 1  # what is given all rows holds Python until the last is written, and the window with it


def test_items_from_the_file_are_escaped():
    assert read_page((Column("Token", ["a\u202e", "\udcff"]),), range(2)) == (("a\\u202e",), ("\\xff",))


@pytest.fixture
def finding() -> weightmap.Finding:
    return weightmap.Finding(
        severity=weightmap.Severity.ERROR,
        code="truncated",
        message="The file ends <b>early</b>.",
        path="/m/x.gguf",
        tensor="blk.0.w",
        offset=1234567,
        expected="10 bytes",
        found="9 bytes",
        advice="Download it again.",
    )


def test_findings_say_what_where_expected_found_and_what_to_do(qapp, finding):
    table = FindingsTable()
    tester = QAbstractItemModelTester(table, FATAL)
    table.show_rows([finding])
    assert texts(table) == [["truncated", "The file ends <b>early</b>.", "blk.0.w"]]
    assert table.index(0, 0).data(roles.STATUS) == "error"
    assert lines(finding) == [
        ("What", "The file ends <b>early</b>."),
        ("Where", "blk.0.w, byte 1,234,567"),
        ("Expected", "10 bytes"),
        ("Found", "9 bytes"),
        ("What to do", "Download it again."),
        ("File", "/m/x.gguf"),
    ]
    assert "[error] truncated: The file ends" in report("/m/x.gguf", (finding,))
    assert where(weightmap.Finding(severity=finding.severity, code="gap", message="", path="/m/x.gguf")) == "x.gguf"
    assert tester.model() is table


def test_files_are_listed_with_what_they_hold(qapp, tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(tensors=[("a", (8,), 0, bytes(32))]))
    table = FilesTable()
    tester = QAbstractItemModelTester(table, FATAL)
    with weightmap.open(path) as model:
        table.show_rows(file_rows(model, model.findings))
    size = path.stat().st_size
    assert texts(table) == [["m.gguf", "1", "32 B", f"{size} B", f"{size}", str(tmp_path)]]
    assert table.index(0, 0).data(roles.RAW) == str(path)
    assert tester.model() is table


def test_types_tell_how_much_of_them_is_there(qapp):
    table = TypesTable()
    tester = QAbstractItemModelTester(table, FATAL)
    table.show_rows([TypeRow("Q4_K", 27, 16, 13_300_000, 0.5, 1.0, 0)])
    assert texts(table) == [["Q4_K", "27", "16", "11", "13.3 MB", ""]]
    assert table.index(0, SHARE).data(roles.SHARES) == (1.0, 0.5, "") and table.damaged
    assert table.headerData(SHARE, Qt.Orientation.Horizontal) == "Readable bytes"
    assert table.index(0, SHARE).data(Qt.ItemDataRole.AccessibleTextRole) == "50.0 %"
    assert table.index(0, 3).data(roles.WRONG)
    table.show_rows([TypeRow("Q4_K", 3, 3, 750, 1.0, 1.0, 0), TypeRow("F32", 2, 2, 250, 1.0, 1 / 3, 0)])
    assert [row[-1] for row in texts(table)] == ["75.0 %", "25.0 %"] and not table.damaged
    assert table.index(1, SHARE).data(roles.SHARES) == (1 / 3, 1.0, "25.0 %")
    assert table.headerData(SHARE, Qt.Orientation.Horizontal) == "Share of the bytes"
    assert tester.model() is table


def test_rows_know_their_kind():
    assert entry("k", [1, 2]).is_array and not entry("k", "v").is_cut


def test_what_a_value_is_made_of_is_written_as_other_numbers_are():
    assert (
        as_number("nan") == "NaN" and as_number("-inf") == "\u2212Inf" and as_number("0xb = -1.5") == "0xb = \u22121.5"
    )
