from __future__ import annotations

import sys

from support.work import lines

from weightmap.errors import error, printable
from weightmap.findings import finding


def test_every_character_is_shown_or_escaped() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = printable(everything)
    assert all(c.isprintable() or c in "\u00a0\u1680\u202f\u205f\u3000" or "\u2000" <= c <= "\u200a" for c in shown)
    assert [printable(c) for c in "aé字 \n\x1b\x7f\u202e\udcff\ud800\U0010ffff"] == [
        *"aé字 ",
        *("\\n", "\\x1b", "\\x7f", "\\u202e", "\\xff", "\\ud800", "\\U0010ffff"),
    ]


def test_a_long_text_is_shown_at_once() -> None:
    once, twice = "\n\udcff" * 500, "\n\udcff" * 1000
    printable(once)  # each character is worked out when it is first met
    assert lines(lambda: printable(once)) == lines(lambda: printable(twice))
    assert printable("\n\udcff" * 1_000_000) == "\\n\\xff" * 1_000_000


def test_what_damage_makes_a_name_of_is_cut_in_the_text_alone() -> None:
    problem = error(finding("unknown_kv_type", "Odd.", key="k\0" * 9000, tensor="t" * 9000))
    assert len(str(problem)) < 1400
    assert (len(problem.key or ""), len(problem.tensor or "")) == (18_000, 9_000)
