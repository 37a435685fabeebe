"""What files and addresses are called, and whom opening one would contact."""

from __future__ import annotations

import os

import weightmap
from tensorloupe.files import places


def test_a_manifest_of_ollama_is_called_as_its_users_call_it() -> None:
    top = os.path.join(os.sep, "store", "manifests")
    names = {
        "registry.ollama.ai/library/gemma3/270m": "gemma3:270m",
        "registry.ollama.ai/me/own/latest": "me/own:latest",
        "hf.co/bartowski/some-model/Q4_K_M": "hf.co/bartowski/some-model:Q4_K_M",
    }
    for path, name in names.items():
        path = os.path.join(top, *path.split("/"))
        assert places.name(path) == name
        assert places.split(path) == (top, name)
    assert places.name(os.path.join(top, "a", "b", "latest")) == "latest"  # no store is laid out like that
    assert places.split(os.path.join("x", "b.gguf")) == ("x", "b.gguf")
    assert places.name(os.sep) == os.sep


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
