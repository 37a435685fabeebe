"""Where the cache is, and whether there is one: a keyword, WEIGHTMAP_CACHE, or the user's cache folder where known."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weightmap.cache.store import Store

Cached = bool | str | os.PathLike[str] | None
OFF = ("0", "off", "no", "false")
ON = ("", "1", "on", "yes", "true")


def store(cached: Cached = None) -> Store | None:
    """The cache to use, or None for none.

    cached  a folder; False for none; None or True for the usual place: WEIGHTMAP_CACHE where that is a folder, else the
            user's cache folder, which the package platformdirs knows (without it there is no cache)

    WEIGHTMAP_CACHE=0 switches it off whatever is asked for.
    """
    said = os.environ.get("WEIGHTMAP_CACHE", "")
    if cached is False or said.strip().lower() in OFF:
        return None
    if cached is None or cached is True:
        place = _usual() if said.strip().lower() in ON else said
        return None if place is None else _store(place)
    return _store(os.fsdecode(os.fspath(cached)))


def why_none() -> str:
    """Why `store()` gave none, as a sentence."""
    said = os.environ.get("WEIGHTMAP_CACHE", "")
    if said.strip().lower() in OFF:
        return f"WEIGHTMAP_CACHE={said.strip()} switches it off."
    try:
        import platformdirs  # noqa: F401
    except ImportError:
        return (
            "WEIGHTMAP_CACHE names no folder, and the package platformdirs, which knows the usual one, is not installed "
            "(pip install 'weightmap[cache]')."
        )
    return "WEIGHTMAP_CACHE names no folder, and this user has no home folder."


@cache
def _usual() -> str | None:
    """The user's cache folder; None without platformdirs, or for a user who has no home."""
    if (known := _on_linux()) is not None:
        return known
    try:
        from platformdirs import user_cache_dir
    except ImportError:
        return None
    place: str = user_cache_dir("weightmap", appauthor=False)
    return place if os.path.isabs(place) else None


def _on_linux() -> str | None:
    """What platformdirs would say where nothing is unusual: importing it takes a tenth of opening a model in a new process."""
    if sys.platform != "linux" or "ANDROID_DATA" in os.environ or "platformdirs" in sys.modules:
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(base) or find_spec("platformdirs") is None:
        return None
    return os.path.join(base, "weightmap")


@cache
def _store(place: str) -> Store:
    """One object per folder, which counts what it writes."""
    from weightmap.cache.store import Store  # not for who turns out to have no cache

    return Store(os.path.abspath(place))
