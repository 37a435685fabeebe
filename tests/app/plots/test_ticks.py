from __future__ import annotations

import pytest

from tensorloupe.plots.ticks import count_ticks, index_step, limit_words, thinned, value_ticks


def labels(lo: float, hi: float, room: float = 640.0, *, whole: bool = False) -> list[str]:
    return [label for _, label in value_ticks(lo, hi, room, 7, whole=whole)]


def test_ticks_are_round_and_read_as_numbers() -> None:
    assert labels(-0.32, 0.32) == ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]
    assert labels(0, 255, whole=True) == ["0", "50", "100", "150", "200", "250"]


def test_no_offset_however_narrow_or_far_the_range() -> None:
    assert labels(1.0, 1.0000001)[:2] == ["1.00000000", "1.00000002"]
    assert labels(-1e-42, 1e-42) == ["−1.0e−42", "−5e−43", "0", "5e−43", "1.0e−42"]
    assert labels(-1.7e308, 1.7e308)[0] == "−1.5e+308"


def test_labels_fit_into_the_room() -> None:
    for room in (60.0, 200.0, 900.0):
        found = labels(1.0, 1.0000001, room)
        assert sum((len(label) + 2.5) * 7 for label in found) <= room or len(found) <= 1


def test_whole_numbers_have_no_ticks_between_them() -> None:
    assert labels(-0.5, 1.5, whole=True) == ["0", "1"]


def test_ticks_of_counts() -> None:
    assert [label for _, label in count_ticks(43_560, True)] == ["1", "10", "100", "1,000", "10,000", "100,000"]
    assert [label for _, label in count_ticks(7, True)] == ["1", "2", "5"]
    assert [label for _, label in count_ticks(43_560, False)] == ["0", "10,000", "20,000", "30,000", "40,000"]


def test_limits_are_told_apart() -> None:
    assert limit_words((-0.2431, 0.2412)) == ["−0.243", "0.241"]
    near = limit_words((1.0, 1.0000001))
    assert near[0] != near[1]


@pytest.mark.parametrize(("scale", "least", "step"), [(15.0, 60.0, 4), (0.25, 60.0, 256), (64.0, 30.0, 1)])
def test_rows_are_labelled_at_powers_of_two(scale: float, least: float, step: int) -> None:
    assert index_step(scale, least) == step


def test_labels_that_would_lie_on_each_other_are_left_out():
    ticks = [(1.0, "1"), (10.0, "10"), (100.0, "100"), (1000.0, "1,000"), (10000.0, "10,000")]
    places = [0.0, 10.0, 20.0, 30.0, 40.0]
    assert [tick[1] for _, tick in thinned(ticks, places, 10)] == ["1", "10", "100", "1,000", "10,000"]
    assert thinned(ticks, places, 16) == [(0.0, ticks[0]), (20.0, ticks[2]), (40.0, ticks[4])]
    assert thinned(ticks, places, 30) == [(0.0, ticks[0]), (30.0, ticks[3])]
    assert thinned(ticks, places, 100) == [(0.0, ticks[0])]
    assert thinned(ticks, [40.0 - place for place in places], 16) == [
        (40.0, ticks[0]),
        (20.0, ticks[2]),
        (0.0, ticks[4]),
    ]
    assert thinned([], [], 10) == []
