"""What was open when the program ended, to be opened again at the next start where the user wants that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorloupe.settings import Settings
from tensorloupe.views import VIEWS

if TYPE_CHECKING:
    from tensorloupe.window import Window

WANTED = "restore_session"  # whether it is opened again
KEPT = "session"
MOST = 12  # windows that are opened again


@dataclass(frozen=True, slots=True)
class Standing:
    """One window of a session: the path that is open, the name of the selected tensor ("" for none), the key of the view."""

    path: str
    tensor: str = ""
    view: str = ""


def standing(window: Window) -> Standing | None:
    """What there is in a window; None where no model is open. Asks no disk."""
    from tensorloupe import places

    path, selected = window.document.path, window.document.selected
    if path is None:
        return None
    view = VIEWS[window.explorer.area.tabs.currentIndex()].key
    return Standing(places.kept(path), selected.name if selected is not None else "", view)


def keep(settings: Settings, session: Sequence[Standing]) -> None:
    """Remember a session, where sessions are wanted; else forget what was remembered."""
    wanted = settings.get(WANTED, False)
    settings.set(KEPT, [[one.path, _storable(one.tensor), one.view] for one in session[:MOST]] if wanted else [])


def kept(settings: Settings) -> list[Standing]:
    """The session to open again; entries that make no sense are left out."""
    if not settings.get(WANTED, False):
        return []
    found = (_standing(entry) for entry in settings.get(KEPT, [])[:MOST])
    return [one for one in found if one is not None]


def _standing(entry: Any) -> Standing | None:
    if not isinstance(entry, list) or len(entry) != 3 or not all(isinstance(part, str) for part in entry):
        return None
    path, tensor, view = entry
    return Standing(path, tensor, view) if path and "\0" not in path else None


def _storable(name: str) -> str:
    """A name as JSON can hold it: one with half a character is not looked for again."""
    return name if name.isascii() or name.isprintable() else ""
