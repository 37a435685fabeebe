"""Layers by roles as SVG: one cell for each tensor, the darker the more it lost beyond what its type usually costs."""

from __future__ import annotations

import math
from collections.abc import Iterable

from weightmap.comparison import PairError
from weightmap.report.grid import Grid
from weightmap.report.marks import name, text
from weightmap.report.sentences import not_numbers, percent, ratio, times_usual

STEPS = 9  # shades
FULL = 5.0  # times the usual error from which on the shade is the darkest
_HIGH, _GAP, _CHARACTER = 24, 2, 7.2
_SIGNS = {"wrong": "error", "worse": "warning"}


def shade(pair: PairError) -> int:
    """Which of the shades a cell has, 0 to 8."""
    if pair.identical:
        return 0
    times = times_usual(pair)
    if pair.verdict == "wrong":
        return STEPS - 1
    if times is None or times <= 1:
        return 0
    return min(round((STEPS - 1) * math.log(times) / math.log(FULL)), STEPS - 1)


def said(pair: PairError) -> str:
    """What stands in a cell: times the usual error, else the error itself."""
    if pair.identical:
        return "="
    if not_numbers(pair):
        return "NaN"
    times = times_usual(pair)
    return ratio(times) if times is not None else percent(pair.relative_rmse)


def grid_svg(grid: Grid) -> str:
    """The picture, or nothing where no tensor belongs to a layer."""
    if not grid.cells:
        return ""
    first = max(_wide([*grid.layers]), 60)
    widths = [max(_wide([role]), 66) for role in grid.roles]
    lefts = [first + sum(widths[:column]) for column in range(len(widths))]
    width, height = first + sum(widths), 24 + _HIGH * len(grid.layers)
    parts = [f'<svg class="grid" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" ']
    parts.append('aria-label="Error of each tensor over the usual error of its type, by layer and role">')
    for role, left, wide in zip(grid.roles, lefts, widths, strict=True):
        parts.append(
            f'<text x="{left + wide / 2:.0f}" y="15" text-anchor="middle" class="quiet">{text(role[:40])}</text>'
        )
    for row, layer in enumerate(grid.layers):
        parts.append(f'<text x="0" y="{24 + row * _HIGH + 16}" class="quiet">{text(layer[:40])}</text>')
    for (row, column), pair in grid.cells.items():
        parts.append(cell(pair, lefts[column], 24 + row * _HIGH, widths[column] - _GAP))
    return "".join(parts) + "</svg>"


def cell(pair: PairError, x: float, y: float, wide: float) -> str:
    """One tensor: its shade, its number, a status shape where it is not normal, and its name for the pointer."""
    step, status = shade(pair), "same" if pair.identical else _SIGNS.get(pair.verdict or "", "")
    parts = [f"<g><title>{name(pair.tensor)}: {said(pair)}</title>"]
    parts.append(f'<rect x="{x:.0f}" y="{y}" width="{wide:.0f}" height="{_HIGH - _GAP}" class="c{step}"/>')
    middle = x + wide / 2
    if status in ("error", "warning"):
        parts.append(f'<rect x="{middle - 25:.0f}" y="{y + 3}" width="17" height="16" class="plate"/>')
        parts.append(f'<use href="#{status}" x="{middle - 23:.0f}" y="{y + 4.5}" width="13" height="13"/>')
        middle += 10
    parts.append(f'<text x="{middle:.0f}" y="{y + 16}" text-anchor="middle" class="t{step}">{said(pair)}</text></g>')
    return "".join(parts)


def _wide(words: Iterable[str]) -> int:
    return round(max((len(word[:40]) for word in words), default=0) * _CHARACTER) + 14
