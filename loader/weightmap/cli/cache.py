"""`weightmap cache`: where things are remembered, how much is there, and how to be rid of it."""

from __future__ import annotations

import argparse

from weightmap.cache.place import store, why_none
from weightmap.cli import output, text
from weightmap.errors import printable


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("cache", help="where headers, statistics and checksums are remembered")
    parser.add_argument("--clear", action="store_true", help="drop everything that is remembered")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Say what is there, after dropping it where that is asked for."""
    found = store()
    if found is not None and arguments.clear:
        found.clear()
    entries, nbytes = (0, 0) if found is None else found.size()
    place, room = (None, 0) if found is None else (found.place, found.room)
    if arguments.json:
        output.document({"path": place, "entries": entries, "bytes": nbytes, "room": room})
    elif place is None:
        output.write(f"There is no cache: {why_none()}\n")
    else:
        what = f"{entries:,} {'entry' if entries == 1 else 'entries'}, {text.size(nbytes)} of {text.size(room)}"
        output.write(f"{printable(place)}: {what}\n")
    return 0
