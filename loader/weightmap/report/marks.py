"""The parts that HTML is put together from: escaped text, tags, the shapes of statuses, numbers."""

from __future__ import annotations

import html
import math

from weightmap.errors import printable
from weightmap.wording import clipped

NAME = 200  # characters of a name that are shown

# each a status as a silhouette that colour-blind people tell apart: tick, disc, triangle, octagon, two lines
SYMBOLS = """<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>
<symbol id="ok" viewBox="0 0 14 14"><path d="M2 7.5 5.5 11 12 3.5" class="s-ok"/></symbol>
<symbol id="info" viewBox="0 0 14 14"><circle cx="7" cy="7" r="6" class="f-info"/><path d="M7 6v5M7 3v1.6" class="s-base"/></symbol>
<symbol id="warning" viewBox="0 0 14 14"><path d="M7 .8 13.6 13H.4z" class="f-warning"/>
<path d="M7 5v4M7 10.2v1.4" class="s-base"/></symbol>
<symbol id="error" viewBox="0 0 14 14"><path d="M4.3.6h5.4l3.7 3.7v5.4l-3.7 3.7H4.3L.6 9.7V4.3z" class="f-error"/>
<path d="m4.6 4.6 4.8 4.8M9.4 4.6 4.6 9.4" class="s-base"/></symbol>
<symbol id="same" viewBox="0 0 14 14"><path d="M3 5.2h8M3 9h8" class="s-quiet"/></symbol>
</defs></svg>
"""
_WORDS = {
    "ok": "normal",
    "info": "note",
    "warning": "worse than expected",
    "error": "wrong",
    "same": "identical",
}


def text(said: object) -> str:
    """Any text, from files too, as HTML shows it letter by letter: on one line, control and bidi characters as escapes."""
    return html.escape(printable(str(said))).replace(" %", "&nbsp;%")


def name(said: str) -> str:
    """A name from a file, of a length that a page bears."""
    return html.escape(clipped(said, NAME))


def sign(status: str, words: str | None = None) -> str:
    """The shape of a status, with the word for it for those who do not see it."""
    label = html.escape(words or _WORDS.get(status, status))
    return f'<svg class="sign" role="img" aria-label="{label}"><title>{label}</title><use href="#{status}"/></svg>'


def number(value: float | None, digits: int = 3) -> str:
    """A number with a true minus and few digits; a dash for none."""
    if value is None or not math.isfinite(value):
        return "–"
    if value and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.{digits - 1}e}".replace("-", "−")
    return f"{value:,.{digits}g}".replace("-", "−") if abs(value) < 1e3 else f"{value:,.0f}".replace("-", "−")
