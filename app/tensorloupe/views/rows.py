"""Rows of numbers as plain data, and the type that they are set in."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QFont, QFontMetricsF

from tensorloupe.style.theme import SECONDARY

TABULAR = int.from_bytes(b"tnum")  # the feature of fonts that gives all digits one width


@dataclass(frozen=True, slots=True)
class Number:
    """One row: label, value, and quieter words before or after the value.

    short  the label in running lines; None leaves the row out there
    exact  what is copied, where the value shown is rounded
    """

    label: str
    value: str
    before: str = ""
    after: str = ""
    short: str | None = None
    exact: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a title. `mark` stands at the right of the title with the status shape `shape` before it."""

    title: str
    rows: tuple[Number, ...]
    mark: str = ""
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Type:
    """The fonts of the rows and their measures, made once: equal-width digits, quieter words, bold titles."""

    plain: QFont
    quiet: QFont
    bold: QFont
    metrics: QFontMetricsF
    quiet_metrics: QFontMetricsF
    height: float
    ascent: float

    @classmethod
    def of(cls, font: QFont) -> Type:
        plain, quiet, bold = QFont(font), QFont(font), QFont(font)
        for digits in (plain, quiet):
            if hasattr(QFont.Tag, "fromValue"):  # PySide 6.8.0 has no way to name a feature
                digits.setFeature(QFont.Tag.fromValue(TABULAR), 1)
        if quiet.pointSizeF() > 0:
            quiet.setPointSizeF(quiet.pointSizeF() * SECONDARY)
        bold.setBold(True)
        metrics = QFontMetricsF(plain)
        return cls(plain, quiet, bold, metrics, QFontMetricsF(quiet), metrics.height(), metrics.ascent())
