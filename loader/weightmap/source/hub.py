"""Addresses of the Hugging Face Hub (`hf://owner/name@revision/file`) as the web addresses that they stand for.

The spelling is that of huggingface_hub's file system, which is not needed for it: a file of the Hub is a file on the web.
HF_ENDPOINT names another server; the user's token, where one is kept in the usual places, goes to that server alone.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from weightmap.errors import error
from weightmap.findings import finding

ENDPOINT = "https://huggingface.co"
_FILE = re.compile(
    r"hf://(?P<kind>(?:datasets|spaces)/)?"
    r"(?P<repository>[^/@]+/[^/@]+|[^/@]+(?=(?:@[^/]+)?/[^/]+\.(?:gguf|safetensors|json)$))"  # the oldest have no owner
    r"(?:@(?P<revision>refs/(?:convert|pr)/[^/]+|[^/]+))?/(?P<file>.*[^/])",
    re.IGNORECASE,
)


def web_address(url: str) -> tuple[str, dict[str, str]]:
    """The web address of a URL and the headers that go with it; of one that is no `hf://` the URL itself."""
    if url[:5].lower() != "hf://":
        return url, {}
    found = _FILE.fullmatch(url)
    if found is None:
        text = "The address names no file of a repository; hf://OWNER/NAME/FILE was expected."
        advice = "Add the file, for instance model.safetensors.index.json; @REVISION may follow the name."
        raise error(finding("unknown_address", text, path=url, expected="hf://OWNER/NAME/FILE", advice=advice))
    server = (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")
    revision = quote(found["revision"].replace("%2F", "/"), safe="") if found["revision"] else "main"
    place = f"{found['kind'] or ''}{found['repository']}/resolve/{revision}/{quote(found['file'])}"
    token = _token()
    return f"{server}/{place}", {"Authorization": f"Bearer {token}"} if token else {}


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
