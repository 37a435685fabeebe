"""What eyes can tell apart: text and shapes on every ground, numbers on every colour of the maps."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from tensorloupe.style.colormaps import ink_on, size_map, value_map
from tensorloupe.style.colors import DARK, LIGHT, Colors


def contrast(one: str, other: str) -> float:
    """How many times lighter the lighter of two colours is, as WCAG 2 has it."""

    def light(name: str) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in QColor(name).getRgbF()[:3]]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["base", "window", "alternate"])
def test_text_can_be_read_on_every_ground(colors: Colors, ground: str) -> None:
    for ink in ("text", "secondary", "ok", "accent", "warning_text", "error"):
        assert contrast(getattr(colors, ink), getattr(colors, ground)) >= 4.5, ink
    for shape in ("warning", "unchecked", "ok", "error", "accent"):
        assert contrast(getattr(colors, shape), getattr(colors, ground)) >= 3, shape


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_where_it_is_selected_or_warned_of(colors: Colors) -> None:
    for ink in ("text", "ok", "warning_text", "error"):
        assert contrast(getattr(colors, ink), colors.highlight) >= 4.5, ink
    assert contrast(colors.on_accent, colors.accent) >= 4.5
    for strip in (colors.error_strip, colors.warning_strip):
        assert contrast(colors.text, strip) >= 4.5 and contrast(colors.secondary, strip) >= 4.5
    assert contrast(colors.error, colors.error_strip) >= 4.5
    assert contrast(colors.warning_text, colors.warning_strip) >= 4.5


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_numbers_can_be_read_on_every_colour_of_the_maps(dark: bool) -> None:
    for colors in (size_map(dark), value_map(dark)):
        for red, green, blue in colors.tolist():
            ground = QColor(red, green, blue)
            assert contrast(ground.name(), ink_on(ground).name()) >= 4.5, ground.name()
