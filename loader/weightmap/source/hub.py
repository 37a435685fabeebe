"""Addresses of the Hugging Face Hub (`hf://owner/name@revision/file`) as the web addresses that they stand for.

The spelling is that of huggingface_hub's file system, which is not needed for it: a file of the Hub is a file on the web, and
what a repository holds is a document there. HF_ENDPOINT names another server; the user's token, where one is kept in the usual
places, goes to that server alone.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import quote

from weightmap.errors import error
from weightmap.findings import finding

ENDPOINT = "https://huggingface.co"
_ADDRESS = re.compile(
    r"hf://(?P<kind>(?:datasets|spaces)/)?"
    # the oldest repositories have no owner
    r"(?P<repository>[^/@]+(?=(?:@[^/]+)?(?:/[^/]+\.(?:gguf|safetensors|json))?/?$)|[^/@]+/[^/@]+)"
    r"(?:@(?P<revision>refs/(?:convert|pr)/[^/]+|[^/]+))?(?:/(?P<inside>.*?))?/*",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.[A-Za-z]\w{0,11}$")

Place = tuple[str, dict[str, str]]  # an address on the web, and headers to send there


class _Parts(NamedTuple):
    """What an address says: "models", "datasets" or "spaces", the repository, a revision, a path inside of it."""

    kind: str
    repository: str
    revision: str
    inside: str


def is_hub(url: str) -> bool:
    """Whether an address is one of the Hub."""
    return url[:5].lower() == "hf://"


def is_folder(url: str) -> bool:
    """Whether an address of the Hub is that of a repository or of a folder in it: files have an ending."""
    return not _ENDING.search(_parts(url).inside)


def web_address(url: str) -> Place:
    """The web address of a URL and the headers that go with it; of one that is no `hf://` the URL itself."""
    if not is_hub(url):
        return url, {}
    parts = _parts(url)
    kind = "" if parts.kind == "models" else f"{parts.kind}/"
    return _place(f"{kind}{parts.repository}/resolve/{parts.revision}/{quote(parts.inside)}")


def listing(url: str) -> tuple[Place, str]:
    """Where a server tells what a repository, or a folder in it, holds; and the part of the names there that leads to the
    folder.
    """
    parts = _parts(url)
    inside = f"/{quote(parts.inside)}" if parts.inside else ""
    place = _place(f"api/{parts.kind}/{parts.repository}/tree/{parts.revision}{inside}?recursive=true")
    return place, f"{parts.inside}/" if parts.inside else ""


def _parts(url: str) -> _Parts:
    found = _ADDRESS.fullmatch(url)
    if found is None:
        text = "The address names no repository; hf://OWNER/NAME or hf://OWNER/NAME/FILE was expected."
        advice = "@REVISION may follow the name; datasets/ or spaces/ may stand before the owner."
        raise error(finding("unknown_address", text, path=url, expected="hf://OWNER/NAME/FILE", advice=advice))
    revision = quote(found["revision"].replace("%2F", "/"), safe="") if found["revision"] else "main"
    kind = (found["kind"] or "models/").lower().rstrip("/")
    return _Parts(kind, found["repository"], revision, found["inside"] or "")


def _place(path: str) -> Place:
    server = (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")
    token = _token()
    return f"{server}/{path}", {"Authorization": f"Bearer {token}"} if token else {}


def _token() -> str:
    """The user's token: HF_TOKEN, else the file where the Hub's own tools keep it; empty without one."""
    if told := os.environ.get("HF_TOKEN", "").strip():
        return told
    home = os.environ.get("HF_HOME") or os.path.join(os.path.expanduser("~"), ".cache", "huggingface")
    try:
        with open(os.environ.get("HF_TOKEN_PATH") or os.path.join(home, "token"), encoding="utf-8") as file:
            return file.read(4096).strip()
    except (OSError, ValueError):
        return ""
