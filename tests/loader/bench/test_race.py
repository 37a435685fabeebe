"""Timing in turn, and what becomes of the times."""

from __future__ import annotations

import gc

import pytest

from weightmap.bench.race import FULL, PRODUCT, QUICK, Pace, Times, race
from weightmap.bench.rows import MILLISECONDS, Unit, rows_of


def test_contestants_take_turns_for_as_many_rounds_as_the_pace_says() -> None:
    order: list[str] = []
    times = race({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, Pace(0, 3, 9, 60))
    assert order == ["a", "b"] * 3
    assert [len(each.rounds) for each in times.values()] == [3, 3]
    order.clear()
    race({"a": lambda: order.append("a")}, Pace(60, 1, 4, 60))
    assert order == ["a"] * 4


def test_a_round_that_tries_the_patience_is_the_last() -> None:
    times = race({"slow": lambda: sum(range(1000))}, Pace(60, 5, 50, 0.0))
    assert len(times["slow"].rounds) == 1


def test_a_race_that_is_ended_leaves_the_garbage_collector_on() -> None:
    def stop() -> None:
        assert not gc.isenabled()
        raise KeyError("enough")

    with pytest.raises(KeyError):
        race({"a": lambda: None}, QUICK, stop)
    assert gc.isenabled()


def test_ratio_is_the_median_of_the_rounds() -> None:
    ours, theirs = Times((1.0, 2.0, 4.0)), Times((2.0, 6.0, 40.0))
    assert (ours.median, ours.best, ours.ratio(theirs)) == (2.0, 1.0, 3.0)


def test_rows_say_what_a_unit_counts() -> None:
    times = {PRODUCT: Times((0.5, 0.25, 1.0)), "other": Times((1.0, 1.0, 1.0)), "odd": Times((1.0, 1.0, 1.0))}
    rows = list(rows_of("decode", "F32", None, Unit("elements/s", 100), times, {"odd": "differs", "gone": "no"}))
    assert [(row.peer, row.product, row.best, row.peer_product, row.ratio, row.note) for row in rows] == [
        ("other", 200.0, 400.0, 100.0, 2.0, None),
        ("odd", 200.0, 400.0, 100.0, None, "differs"),
        ("gone", 200.0, 400.0, None, None, "no"),
    ]
    alone = list(rows_of("open", None, "x", MILLISECONDS, {PRODUCT: Times((0.002,))}, {}))
    assert [(row.peer, row.product, row.unit, row.file) for row in alone] == [(None, 2.0, "ms", "x")]


def test_the_quick_pace_is_the_quicker() -> None:
    assert QUICK.seconds < FULL.seconds and QUICK.least <= FULL.least
