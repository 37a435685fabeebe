"""A place in a tensor as somebody types it: row and column of the slice that is shown, or a number for each axis."""

from __future__ import annotations

import re

from tensorloupe.views.heat.matrix import index_of, matrix_shape

TYPED = "Row and column; with more axes also a number for each"


def position(text: str, most: int = 2) -> tuple[int, ...] | None:
    """Up to `most` numbers as typed: "212, 263", "212 263", "1,024; 3", "7"."""
    parts = re.split(r"\s*;\s*|\s*,\s+|\s+", text.strip())
    if len(parts) == 1 and text.count(",") == 1:
        parts = text.strip().split(",")
    numbers = [part.replace(",", "") for part in parts]
    if not 1 <= len(numbers) <= most or not all(part.isdecimal() and len(part) < 19 for part in numbers):
        return None
    return tuple(int(number) for number in numbers)


def typed_index(text: str, shape: tuple[int, ...], leading: tuple[int, ...]) -> tuple[int, ...] | None:
    """The element that was typed, a number for each axis; None where there is none of that place.

    One number is a row, or of a tensor with one axis the element; row and column are those at `leading`.
    """
    found = position(text, max(len(shape), 2))
    if found is None:
        return None
    if len(found) > 2:
        index = found if len(found) == len(shape) else None
    else:
        row, column = (0, found[0]) if len(shape) < 2 and len(found) == 1 else (*found, 0)[:2]
        rows, columns = matrix_shape(shape)
        index = index_of(shape, leading, row, column) if row < rows and column < columns else None
    return index if index is not None and all(i < n for i, n in zip(index, shape, strict=True)) else None
