from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorloupe.views.exact import copied, shown, table


@pytest.mark.parametrize(
    ("value", "read", "plain"),
    [
        (np.float32(-0.04), "−0.04", "-0.04"),
        (np.float16(65504), "65,504", "65504"),
        (np.float32(1e-42), "1e−42", "1e-42"),
        (np.float64(1.7e308), "1.7e+308", "1.7e+308"),
        (np.float32(np.nextafter(np.float32(1), np.float32(2))), "1.0000001", "1.0000001"),
        (np.int64(2**63 - 1), "9,223,372,036,854,775,807", "9223372036854775807"),
        (np.int64(-(2**63)), "−9,223,372,036,854,775,808", "-9223372036854775808"),
        (np.uint64(2**64 - 1), "18,446,744,073,709,551,615", "18446744073709551615"),
        (np.bool_(True), "true", "true"),
        (np.float32(np.nan), "NaN", "NaN"),
        (np.float64(-np.inf), "−Inf", "-Inf"),
        (np.complex64(1.5 - 2j), "1.5−2j", "1.5-2j"),
        (np.float32(3.0), "3", "3"),
    ],
)
def test_a_value_keeps_every_digit(value: Any, read: str, plain: str) -> None:
    assert (shown(value), copied(value)) == (read, plain)


def test_every_float_reads_back_as_itself() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        values = np.random.default_rng(0).normal(size=200).astype(dtype) * dtype(1e-3)
        assert all(dtype(copied(value)) == value for value in values)


def test_a_table_is_tab_separated() -> None:
    assert table(np.array([[1, -2], [3, 4]], np.int8)) == "1\t-2\n3\t4"
