"""Where the parts of the histogram's picture stand, in px: known before it is drawn, so that handles fit the image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MARGIN = 16
LINE = 1.5  # height of a line of text, in heights of the font


class Rect(NamedTuple):
    """A rectangle in logical px from the top left."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The bottom edge."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class HistogramLayout:
    """The axes of the bars, and of the strip that shows the whole range where there is room for it.

    tag    height of the tags above the axes that name the limits
    above  from the top of the axes up to the middle of the line that names the axis of counts
    """

    main: Rect
    strip: Rect | None
    tag: float
    above: float


def below_axes(font_px: float) -> float:
    """The height that tick labels and the name of the axis take under the axes."""
    return 2 * font_px * LINE + 8


def histogram_layout(width: int, height: int, font_px: float, longest_count: int) -> HistogramLayout:
    """The places for a widget of this size; `longest_count` is the number of letters of the widest count label."""
    line = font_px * LINE
    tag, above = line + 4, line * 1.5 + 11
    left = 18 + longest_count * font_px * 0.6
    across = max(60.0, width - left - max(MARGIN, font_px * 1.6))
    top = above + line / 2 + 2
    below = below_axes(font_px)
    strip_block = line + 34 + line + 10
    with_strip = height >= 340 + strip_block * 0.5 and width >= 360
    main_height = height - top - below - (strip_block if with_strip else 0)
    main = Rect(left, top, across, max(40.0, main_height))
    strip = Rect(left, main.bottom + below + line, across, 34) if with_strip else None
    return HistogramLayout(main, strip, tag, above)
