"""What files and addresses are called, and whom opening one would contact."""

from __future__ import annotations

import weightmap
from tensorloupe.files import places


def test_names_and_hosts() -> None:
    assert places.name("https://host/a/b%20c.gguf?x=1") == "b c.gguf"
    assert places.split("https://host/a/b.gguf?x=1/2") == ("https://host/a", "b.gguf")
    assert places.kept("hf://a/b/c") == "hf://a/b/c"
    hosts = {
        "https://me:secret@host:8/a": "host:8",
        "hf://a/b/c": "huggingface.co",
        "s3://bucket/a": "s3://bucket",
        "http://[::1]:8/a": "[::1]:8",
        "zip://a.gguf::https://host/b.zip": "host",
    }
    assert {address: places.host(address) for address in hosts} == hosts
    assert weightmap.is_url("s3://bucket/a")
