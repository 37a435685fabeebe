"""Each view shows a picture or a sentence for every kind of values that has been seen to go wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.sections import read
from support.tensors import stored

from tensorloupe.style.text import number
from tensorloupe.views.facts import digits_apart

ONE, LARGEST = np.float32(1), np.finfo(np.float64).max
PICTURE = {
    "one NaN": np.array([[1, 2, np.nan], [3, 4, 5]], np.float32),
    "Inf": np.array([[1, np.inf, -np.inf], [0, 4, 5]], np.float32),
    "constant": np.full((3, 5), 2.5, np.float32),
    "zeros": np.zeros((8, 8), np.float32),
    "scalar": np.array(3.25, np.float32),
    "one value": np.array([7.5], np.float32),
    "bool": np.arange(600).reshape(20, 30) % 3 == 0,
    "last bit": np.array([[ONE, np.nextafter(ONE, 2 * ONE)]], np.float32),
    "last bit of float64": np.array([[1.0, np.nextafter(1.0, 2.0)]]),
    "65504": np.array([[65504, -65504], [1, 0]], np.float16),
    "1.7e308": np.array([[1.7e308, -1.7e308], [1e308, 0]]),
    "the largest float": np.array(LARGEST),
    "next to the largest": np.array([LARGEST, np.nextafter(LARGEST, 0.0)]),
    "constant 1.7e308": np.full((2, 64), 1.7e308),
    "constant -1.7e308": np.full((2, 64), -1.7e308),
    "1e-42": np.array([[1e-42, -1e-42], [0, 5e-43]], np.float32),
    "5e-324": np.array([[5e-324, 0.0]]),
    "int64": np.array([[2**63 - 1, -(2**63)], [2**53 + 1, 7]], np.int64),
    "uint64": np.array([[2**64 - 1, 0]], np.uint64),
    "complex": np.array([[1 + 2j, -1j]], np.complex64),
    "convolution": np.ones((4, 3, 2, 3, 3), np.float32) * np.arange(3, dtype=np.float32),
    "an outlier": np.append(np.linspace(-1, 1, 99_999), 1e38).astype(np.float32).reshape(100, 1000),
}
SENTENCE = {
    "all NaN": np.full((4, 6), np.nan, np.float32),
    "all Inf": np.full((2, 2), np.inf, np.float16),
    "empty": np.zeros((0, 640), np.float32),
}


@pytest.mark.parametrize("name", [*PICTURE, *SENTENCE])
def test_overview(make, settle, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    view = make("overview")
    view.show_tensor(stored(tmp_path, {**PICTURE, **SENTENCE}[name]))
    settle(view)
    assert view.stage.state == ("picture" if name in PICTURE else "sentence"), view.stage.notice.cause.toPlainText()
    assert view.numbers.sections[-1].title == "Storage"
    if name in PICTURE:
        counted = view.counted.histogram
        assert int(counted.counts.sum()) + counted.below + counted.above == view.summary.finite
        assert all(label and "e0" not in label for _, label in view.picture.images.scene.bars.ticks)
    else:
        assert view.stage.notice.what.text().endswith(".")


@pytest.mark.parametrize("name", [*PICTURE, *SENTENCE])
def test_heatmap(make, settle, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    values = {**PICTURE, **SENTENCE}[name]
    view = make("heatmap")
    view.show_tensor(stored(tmp_path, values))
    settle(view)
    assert view.stage.state == ("sentence" if name == "empty" else "picture"), view.stage.notice.cause.toPlainText()
    if name != "empty":
        view.go_to(0, 0)
        settle(view)
        exact = view.side.head._reading.exact
        first = values.reshape(-1)[0]
        assert exact == ("true" if first is np.True_ else exact)
        if values.dtype.kind in "iuf":
            assert values.dtype.type(exact) == first or (np.isnan(first) and exact == "NaN")
        assert np.isfinite(view.loading.limit) and view.loading.limit > 0


def test_integers_keep_every_digit(make, settle, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    view = make("overview")
    view.show_tensor(stored(tmp_path, PICTURE["int64"]))
    settle(view)
    shown = read(view.numbers)
    assert shown["maximum"] == "9,223,372,036,854,775,807" and shown["minimum"] == "−9,223,372,036,854,775,808"


def test_values_that_differ_in_the_last_bit_are_told_apart_in_the_numbers():
    low, high = 1.0, float(np.nextafter(np.float32(1), np.float32(2)))
    digits = digits_apart(low, high)
    assert (number(low, digits), number(high, digits)) == ("1", "1.0000001")
    assert digits_apart(-0.5, 0.5) == digits_apart(3.0, 3.0) == digits_apart(None, None) == 4
