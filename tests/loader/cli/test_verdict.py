from __future__ import annotations

import pytest

from weightmap.cli import verdict
from weightmap.findings import Severity, finding


def test_what_where_and_what_to_do() -> None:
    found = finding("overlap", "Two share.", path="b", tensor="t\x1b", key="k", offset=1234, advice="Write anew.")
    assert verdict.lines([found], "a", "  ") == (
        "  ✕ error overlap: Two share.\n    b, tensor t\\x1b, key k, byte 1,234\n    Write anew.\n"
    )


def test_advice_that_repeats_is_given_once() -> None:
    three = [finding("truncated", "One."), finding("truncated", "Two."), finding("old_version", "Three.", path="p")]
    said = verdict.lines(three, "p")
    assert said.count("Download the file again") == 1
    assert said.index("Two.") < said.index("Download") < said.index("Three.")


def test_more_findings_than_people_read_are_counted() -> None:
    said = verdict.lines([finding("overlap", f"{n}.", path="p") for n in range(60)], "p")
    assert said.count("overlap") == 40
    assert said.endswith("… and 20 more; --json lists them all\n")


@pytest.mark.parametrize(
    ("statuses", "fail_on", "status"),
    [
        ((), Severity.ERROR, 0),
        ((Severity.OK, Severity.WARNING), Severity.ERROR, 0),
        ((Severity.OK, Severity.WARNING), Severity.WARNING, 1),
        ((Severity.ERROR, Severity.OK), Severity.ERROR, 1),
        ((Severity.INFO,), Severity.WARNING, 0),
    ],
)
def test_the_loudest_status_decides(statuses: tuple[Severity, ...], fail_on: Severity, status: int) -> None:
    assert verdict.exit_status(statuses, fail_on) == status


def test_what_damage_makes_a_name_of_is_cut() -> None:
    said = verdict.lines([finding("unknown_kv_type", "Odd.", key="k\0" * 9000, tensor="t" * 9000)], None)
    assert len(said) < 700
    assert "(18,000 characters)" in said
