"""What was open when the program ended, to be opened again at the next start where the user wants that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorloupe.files.settings import Settings
from tensorloupe.views import VIEWS

if TYPE_CHECKING:
    from tensorloupe.window.shell import Shell

WANTED = "restore_session"  # whether it is opened again
KEPT = "session"
MOST = 12  # windows that are opened again
MOST_ACCEPTED = 20_000  # guessed pairs of one window that are remembered as true
_PARTS = 3, 5, 6  # of a remembered window: those of the first versions had no reference, and no readings


class WindowState(NamedTuple):
    """One window of a session.

    path       what is open
    tensor     the name of the selected tensor, "" for none
    view       the key of the view
    reference  the path of what it is compared with, "" for nothing
    accepted   names of the tensors whose guessed pairs the user took for true
    readings   (name, reading, whether the likeliest was assumed) of weights that the user had read in another way
    """

    path: str
    tensor: str = ""
    view: str = ""
    reference: str = ""
    accepted: tuple[str, ...] = ()
    readings: tuple[tuple[str, str, bool], ...] = ()


def state_of(shell: Shell) -> WindowState | None:
    """What there is in a window; None where no model is open. Asks no disk."""
    from tensorloupe.files import places

    document = shell.document
    path, selected, comparing = document.path, document.selected, document.comparing
    if path is None:
        return None
    view = VIEWS[shell.explorer.area.tabs.currentIndex()].key
    tensor = selected.name if selected is not None else ""
    readings = tuple((name, *chosen) for name, chosen in sorted(document.readings.get(path, {}).items()))
    if comparing is None or comparing.path is None:
        return WindowState(places.kept(path), tensor, view, readings=readings)
    reference = places.kept(comparing.path)
    accepted = sorted(document.accepted.get((path, reference), ()))
    return WindowState(places.kept(path), tensor, view, reference, tuple(accepted), readings)


def take_up(shell: Shell, one: WindowState) -> None:
    """Have the window compare, and read, what it opens next as it was compared and read before."""
    document = shell.document
    if one.readings:
        document.readings[one.path] = {name: (reading, assumed) for name, reading, assumed in one.readings}
    if one.reference:
        document.wanted_reference = one.reference
        document.accepted[one.path, one.reference] = set(one.accepted)


def keep(settings: Settings, session: Sequence[WindowState]) -> None:
    """Remember a session, where sessions are wanted; else forget what was remembered."""
    wanted = settings.get(WANTED, False)
    settings.set(KEPT, [_stored(one) for one in session[:MOST]] if wanted else [])


def kept(settings: Settings) -> list[WindowState]:
    """The session to open again; entries that make no sense are left out."""
    if not settings.get(WANTED, False):
        return []
    found = (_parsed(entry) for entry in settings.get(KEPT, [])[:MOST])
    return [one for one in found if one is not None]


def _stored(one: WindowState) -> list[Any]:
    accepted = [name for name in one.accepted if _storable(name)]
    readings = [list(chosen) for chosen in one.readings if _storable(chosen[0]) and _storable(chosen[1])]
    return [
        one.path,
        _storable(one.tensor),
        one.view,
        one.reference,
        accepted[:MOST_ACCEPTED],
        readings[:MOST_ACCEPTED],
    ]


def _parsed(entry: Any) -> WindowState | None:
    if not isinstance(entry, list) or len(entry) not in _PARTS:
        return None
    whole: list[Any] = entry + ["", [], []][len(entry) - 3 :]
    path, tensor, view, reference, accepted, readings = whole
    words = (path, tensor, view, reference, *(accepted if isinstance(accepted, list) else (None,)))
    if not all(isinstance(word, str) for word in words) or not path or "\0" in path + reference:
        return None
    if not isinstance(readings, list) or not all(_is_chosen(chosen) for chosen in readings):
        return None
    several = tuple((name, reading, assumed) for name, reading, assumed in readings[:MOST_ACCEPTED])
    return WindowState(path, tensor, view, reference, tuple(accepted[:MOST_ACCEPTED]), several)


def _is_chosen(chosen: Any) -> bool:
    return isinstance(chosen, list) and list(map(type, chosen)) == [str, str, bool]


def _storable(name: str) -> str:
    """A name as JSON can hold it: one with half a character is not looked for again."""
    return name if name.isascii() or name.isprintable() else ""
