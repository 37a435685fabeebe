"""Dimensions as arithmetic."""

import pytest

from weightmap.naming.formula import formula

VALUES = {"H": 4, "KM": 10, "R": 6, "VM": 3, "D": 64}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("D", 64),
        ("2*D", 128),
        ("H*(KM-R+VM)", 28),
        ("D/H", 16),
        ("D/H*R", 96),
        ("D+2*VM*H", 88),
        ("1", 1),
        ("R/H", 1),
    ],
)
def test_value(text: str, value: int | None) -> None:
    assert formula(text)(VALUES.get) == value


def test_symbols_come_once_and_in_reading_order() -> None:
    assert formula("KM-R+KM*H").symbols == ("KM", "R", "H")


def test_unknown_number_makes_an_unknown_dimension() -> None:
    assert formula("D*LQ")(VALUES.get) is None


def test_division_by_zero_is_unknown() -> None:
    assert formula("D/H")({"D": 64, "H": 0}.get) is None


def test_division_drops_what_is_left_over() -> None:
    assert formula("D/H*H")({"D": 64, "H": 5}.get) == 60


def test_huge_numbers_stay_exact() -> None:
    assert formula("D*D*H")({"D": 2**63, "H": 2**64 - 1}.get) == 2**126 * (2**64 - 1)


@pytest.mark.parametrize("text", ["f(D)", "D**2", "D if H else R", "-D", "'D'", "D.real"])
def test_nothing_but_arithmetic(text: str) -> None:
    with pytest.raises(ValueError, match="dimension"):
        formula(text)
