"""Tooltips are plain text: Qt guesses at markup in them, and names from files must be shown letter by letter."""

from __future__ import annotations

from typing import overload

from PySide6.QtGui import Qt


@overload
def plain(said: str) -> str: ...
@overload
def plain(said: None) -> None: ...
def plain(said: str | None) -> str | None:
    """A text as a tooltip has to be given it in order to show just that text, line by line.

    Only what Qt would take for markup is changed, into markup that says the same.
    """
    if said is None or not Qt.mightBeRichText(said):
        return said
    import html  # hardly any tip looks like markup

    lines = html.escape(said).replace("  ", " \u00a0").split("\n")
    return f"<p style='white-space: pre-wrap'>{'<br>'.join(lines)}</p>"
