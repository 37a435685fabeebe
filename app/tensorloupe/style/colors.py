"""The two palettes: every colour of the window has a name here, and none is written anywhere else.

Text reaches at least 4.8:1 on every ground that it stands on, shapes 3:1. Never tell two states apart by colour alone.
"""

from __future__ import annotations

from typing import NamedTuple


class Colors(NamedTuple):
    """Colours as "#rrggbb", named by use.

    window     headers and bars; `base`, tables, views and the subject; `alternate`, every other row
    thin       the quiet line; `strong`, the line that must be seen
    secondary  text that may be passed over
    ok, info, warning, error, unchecked  status shapes; `warning_text` where the warning is written
    series     histogram bars; `outside`, bars outside the limits; `second`, a second series as a line
    nan        NaN and Inf in pictures, far from every stop of both colour maps
    """

    window: str
    base: str
    alternate: str
    thin: str
    strong: str
    text: str
    secondary: str
    highlight: str
    button: str
    on_accent: str
    ok: str
    info: str
    warning: str
    warning_text: str
    error: str
    unchecked: str
    error_strip: str
    warning_strip: str
    bar: str
    bar_worse: str
    bar_wrong: str
    series: str
    outside: str
    second: str
    header_bytes: str
    nan: str = "#60ff00"

    @property
    def accent(self) -> str:
        """Links, focus, the selected tab, the primary button."""
        return self.info


LIGHT = Colors(
    window="#f2f3f5",
    base="#ffffff",
    alternate="#f8f9fa",
    thin="#e1e4e8",
    strong="#c3c8d0",
    text="#1c2026",
    secondary="#59616d",
    highlight="#dceaf9",
    button="#ffffff",
    on_accent="#ffffff",
    ok="#086f4d",
    info="#1d5fa8",
    warning="#b86e00",
    warning_text="#8a5200",
    error="#b92b40",
    unchecked="#6a737e",
    error_strip="#fceef0",
    warning_strip="#fdf4e3",
    bar="#9dbee3",
    bar_worse="#ebc27f",
    bar_wrong="#e79aa5",
    series="#5585b9",
    outside="#c2c8d0",
    second="#c25a10",
    header_bytes="#c9ced6",
)

DARK = Colors(
    window="#1e2126",
    base="#17191d",
    alternate="#1b1e23",
    thin="#2c3138",
    strong="#474e58",
    text="#e4e7eb",
    secondary="#a6aeb9",
    highlight="#1f3a57",
    button="#282c33",
    on_accent="#10141a",
    ok="#3fc79a",
    info="#6cb0f5",
    warning="#f0b040",
    warning_text="#f0b040",
    error="#ff8592",
    unchecked="#929ba8",
    error_strip="#33202a",
    warning_strip="#332a1b",
    bar="#31557e",
    bar_worse="#735826",
    bar_wrong="#7d3945",
    series="#5b93cf",
    outside="#4a515b",
    second="#f0a060",
    header_bytes="#555c66",
)
