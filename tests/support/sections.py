"""What the numbers beside a view say, by their labels."""

from __future__ import annotations

from tensorloupe.views.numbers import Numbers
from tensorloupe.views.rows import Number


def rows_of(numbers: Numbers) -> dict[str, Number]:
    """Every row of every section."""
    return {row.label: row for section in numbers.sections for row in section.rows}


def read(numbers: Numbers) -> dict[str, str]:
    """Every value as it is shown."""
    return {label: row.value for label, row in rows_of(numbers).items()}
