import re

import pytest

from tensorloupe.style import text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.03955, "0.03955"),
        (-7.89e-05, "−7.89e−05"),
        (15.8, "15.8"),
        (0.0, "0"),
        (-0.0, "0"),
        (1234567.0, "1.235e+06"),
        (123456.7, "123,457"),
        (65504.0, "65,504"),
        (1.7e308, "1.7e+308"),
        (1e-42, "1e−42"),
        (float("nan"), "NaN"),
        (float("-inf"), "−Inf"),
        (2**63 - 1, "9,223,372,036,854,775,807"),
        (-5, "−5"),
        (None, "none"),
    ],
)
def test_numbers_for_reading(value, said):
    assert text.number(value) == said


def test_sizes_are_decimal():
    assert [text.size(n) for n in (0, 554, 999, 1000, 450_560, 253_113_024, 999_950, 4_661_211_424)] == [
        "0 B",
        "554 B",
        "999 B",
        "1.0 kB",
        "450.6 kB",
        "253.1 MB",
        "1.0 MB",
        "4.7 GB",
    ]


def test_shapes_counts_and_shares():
    assert text.shape((262144, 640)) == "262,144 × 640"
    assert text.shape(()) == "scalar"
    assert text.counted(1, "tensor") == "1 tensor"
    assert text.counted(2, "entry", "entries") == "2 entries"
    assert [text.percent(s) for s in (0, 0.002, 1e-9, 1)] == ["0.00 %", "0.20 %", "< 0.01 %", "100.00 %"]


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1.5", 1.5),
        ("1,5", 1.5),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234,567", 1234567),
        ("−3e−4", -3e-4),
        ("20 %", 0.2),
        ("", None),
        ("x", None),
        ("nan", None),
        ("1e999", None),
        ("1_0", None),
    ],
)
def test_typed_numbers_are_read_with_either_decimal_sign(typed, value):
    read = text.parsed(typed)
    assert read is None if value is None else read == pytest.approx(value)


def test_long_names_may_break_anywhere_and_paths_after_a_slash():
    name = "blk.0." + "very_long_role_name_" * 8
    broken = text.breakable(f"Tensor {name} of /a/b.gguf is cut.")
    assert broken.replace("\u200b", "") == f"Tensor {name} of /a/b.gguf is cut."
    assert max(len(piece) for piece in re.split("[ \u200b]", broken)) <= 12
    assert text.breakable("blk.0.ffn_down.weight is cut.") == "blk.0.ffn_down.weight is cut."


def test_numbers_of_a_column_keep_their_zeros():
    shown = [text.number(value, zeros=True) for value in (0.01099, 0.0101, -0.118, 2.5e-5, 1e-6, 0.0, 1000.0)]
    assert shown == ["0.01099", "0.01010", "−0.1180", "2.500e−05", "1.000e−06", "0", "1,000"]


def test_names_in_hebrew_and_arabic_keep_the_order_of_their_parts() -> None:
    assert text.forth("blk.0.attn_q.weight") == "blk.0.attn_q.weight"
    assert text.forth("tête.1") == "tête.1"
    mark = "\u200e"
    assert text.forth("\u05e9.7") == f"{mark}\u05e9{mark}.{mark}7"
    assert text.forth("\u0648_7") == f"{mark}\u0648{mark}_{mark}7"
    assert text.forth("\u05e9_\u05e9") == f"{mark}\u05e9_\u05e9"
