"""Where the cache is, and whether there is one: a keyword, WEIGHTMAP_CACHE, or the user's cache folder where known."""

from __future__ import annotations

import os
from functools import cache
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
    try:
        from platformdirs import user_cache_dir
    except ImportError:
        return None
    place: str = user_cache_dir("weightmap", appauthor=False)
    return place if os.path.isabs(place) else None


@cache
def _store(place: str) -> Store:
    """One object per folder, which counts what it writes."""
    from weightmap.cache.store import Store  # not for who turns out to have no cache

    return Store(os.path.abspath(place))
