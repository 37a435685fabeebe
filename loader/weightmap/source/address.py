"""Web addresses as paths: what is one, what lies beside it, what it is called, and what of it may be shown.

Everything that asks for the name of a file, or for a file beside it, asks here, so that `https://…/model.gguf?download=true`
is as good a path as `model.gguf`. A path that is no address goes the way of `os.path`.
"""

from __future__ import annotations

import os
import re

# what takes addresses apart is imported by those who have one: opening a file does without
_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]+::)*[A-Za-z][A-Za-z0-9+.-]+://")
_WEB = ("http", "https")


def is_url(path: object) -> bool:
    """Whether a path is the address of something remote: `https://…`, `hf://…`, `s3://…`, chained ones of fsspec too.

    Only looks at the text. `C:\\model.gguf` is none, for a scheme has two letters or more.
    """
    return isinstance(path, str) and _URL.match(path) is not None


def scheme(url: str) -> str:
    """The scheme of an address in small letters; of a chained one the first."""
    return re.split("::|://", url, maxsplit=1)[0].lower()


def local_file(url: str) -> str | None:
    """The path that a `file://` address means; None for any other address."""
    if url[:7].lower() != "file://":
        return None
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        return url2pathname(urlsplit(url).path)
    except ValueError:  # no host that could be
        return url[7:]


def absolute(path: str) -> str:
    """The path from the root, as long as the folder that the process is in has one. An address is one already."""
    if is_url(path):
        return path
    try:
        return os.path.abspath(path)
    except OSError:  # the folder was deleted
        return path


def basename(path: str) -> str:
    """The name of the file: of an address without its query, percent signs decoded on the web."""
    if not is_url(path):
        return os.path.basename(path)
    way, _ = _parted(path)
    from urllib.parse import unquote

    name = way.rsplit("/", 1)[-1]
    return unquote(name) if scheme(path) in _WEB else name


def beside(path: str, name: str) -> str:
    """The path of a file in the same folder. `name` may lead into a sub-folder; the query of an address stays."""
    if not is_url(path):
        return os.path.join(os.path.dirname(path), name)
    way, rest = _parted(path)
    from urllib.parse import quote

    written = quote(name) if scheme(path) in _WEB else name
    return way.rsplit("/", 1)[0] + "/" + written + rest


def shown(url: str) -> str:
    """The address without a password in it, for messages."""
    return re.sub(r"(//[^/@:?#]*):[^/@?#]*@", r"\1@", url)


def _parted(url: str) -> tuple[str, str]:
    """An address up to its query or fragment, and these; other schemes than the web's have none."""
    if scheme(url) not in _WEB:
        return url, ""
    from urllib.parse import urlsplit, urlunsplit

    try:
        parts = urlsplit(url)
    except ValueError:  # it cannot be opened either, and whoever tries hears why
        return url, ""
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), urlunsplit(
        ("", "", "", parts.query, parts.fragment)
    )
