from __future__ import annotations

import pytest

from weightmap.cli import text


@pytest.mark.parametrize(
    ("nbytes", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (253_113_024, "253.1 MB"),
        (4_000_000_000, "4.0 GB"),
        (10**15, "1,000.0 TB"),
    ],
)
def test_sizes_count_in_thousands(nbytes: int, shown: str) -> None:
    assert text.size(nbytes) == shown


def test_shapes() -> None:
    assert text.shape((262144, 640)) == "262,144 × 640"
    assert text.shape(()) == "scalar"


def test_values() -> None:
    assert [text.value(v) for v in (None, float("nan"), 3, -(2**63), 0.1234567, 1e-42, float("inf"))] == [
        "-",
        "-",
        "3",
        "-9,223,372,036,854,775,808",
        "0.123457",
        "1e-42",
        "inf",
    ]


def test_clipped_text_says_how_long_it_was() -> None:
    assert text.clipped("short", 10) == "short"
    assert text.clipped("x" * 1000, 40) == "x" * 20 + "… (1,000 characters)"
    assert text.clipped("\n" * 30, 40) == "\\n" * 11 + "\\… (30 characters)"


def test_a_table_is_aligned_and_empty_without_rows() -> None:
    assert (
        text.table(("a", "n"), [("long", "1"), ("x", "1,000")], right=(1,)) == "a         n\nlong      1\nx     1,000\n"
    )
    assert text.table(("a",), []) == ""


def test_colour_is_for_terminals_only() -> None:
    assert text.mark("error") == "✕"


def test_colours_take_no_room_in_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    red = text.mark("error")
    assert red == "\x1b[31m✕\x1b[0m"
    lines = text.table(("", "name", "n"), [(red, "a", "1"), ("=", "longer", red)], right=(2,)).splitlines()
    assert lines == ["   name    n", f"{red}  a       1", f"=  longer  {red}"]
