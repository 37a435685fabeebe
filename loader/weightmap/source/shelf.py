"""What lies at an address that is a folder: a repository of the Hub, or a folder in a store. The web itself lists nothing."""

from __future__ import annotations

import json

from weightmap.source.address import is_url, scheme, shown

MOST = 10_000  # files that are looked at


def is_shelf(path: str) -> bool:
    """Whether a path is the address of a folder, by its text: a repository of the Hub or a folder there, or in a store
    with a slash at its end.
    """
    if not is_url(path) or scheme(path) in ("http", "https", "file"):
        return False
    if scheme(path) == "hf":
        from weightmap.source.hub import is_folder

        return is_folder(path)
    return path.endswith("/")


def listed(url: str) -> list[str]:
    """The files of a folder, by their way from there, those of its sub-folders too, in order. Contacts the server.

    Raises MissingFileError for a folder that is not there, and whatever else `connect` raises.
    """
    return sorted((_hub if scheme(url) == "hf" else _store)(url)[:MOST])


def _hub(url: str) -> list[str]:
    from weightmap.source.http import HttpTransport
    from weightmap.source.hub import listing
    from weightmap.source.transport import failed

    place, folder = listing(url)
    transport = HttpTransport(url, 1 << 16, place)
    size = transport.state.size
    try:
        text = transport.head if len(transport.head) == size else transport.fetch([(0, size)])[0]
        entries = json.loads(text)
        paths = [entry["path"] for entry in entries if entry["type"] == "file"]
        return [path.removeprefix(folder) for path in paths if isinstance(path, str)]
    except (ValueError, TypeError, KeyError, RecursionError) as problem:
        raise failed(shown(url), "what it says of the repository's files cannot be read") from problem
    finally:
        transport.close()


def _store(url: str) -> list[str]:
    from weightmap.source.filesystems import found_in

    return found_in(url)
