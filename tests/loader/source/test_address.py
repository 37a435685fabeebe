"""What is an address, what it is called, and what lies beside it."""

from __future__ import annotations

import os

import pytest

import weightmap
from weightmap.source.address import basename, beside, scheme, shown
from weightmap.source.hub import web_address


@pytest.mark.parametrize(
    "text", ["https://a/b", "hf://a/b/c", "s3://bucket/key", "zip://a::https://b/c.zip", "HTTP://A"]
)
def test_addresses(text: str) -> None:
    assert weightmap.is_url(text)


@pytest.mark.parametrize(
    "text", ["model.gguf", "/a/b://c", r"C:\model.gguf", "C://model.gguf", "https:/a", "", "a::b", None]
)
def test_paths_are_none(text: str) -> None:
    assert not weightmap.is_url(text)


def test_names() -> None:
    assert basename("https://host/a%20b/c%20d.gguf?x=1/2#part") == "c d.gguf"
    assert basename("s3://bucket/a%20b?c.gguf") == "a%20b?c.gguf"
    assert basename(os.path.join("a", "b.gguf")) == "b.gguf"
    assert basename("http://[::1/a.gguf") == "a.gguf"
    assert scheme("simplecache::S3://bucket/key") == "simplecache"


def test_neighbours() -> None:
    assert (
        beside("https://host/a/m.index.json?t=1", "sub dir/x.safetensors")
        == "https://host/a/sub%20dir/x.safetensors?t=1"
    )
    assert beside("s3://bucket/m.json", "x y.safetensors") == "s3://bucket/x y.safetensors"
    assert beside(os.path.join("a", "b"), "c") == os.path.join("a", "c")
    assert beside("b", "c") == "c"


def test_passwords_are_not_shown() -> None:
    assert shown("https://me:secret@host/a:b@c") == "https://me@host/a:b@c"
    assert shown("https://host/a:b@c") == "https://host/a:b@c"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("hf://a/b/c.gguf", "a/b/resolve/main/c.gguf"),
        ("hf://a/b@v1/d e/c.gguf", "a/b/resolve/v1/d%20e/c.gguf"),
        ("hf://datasets/a/b@refs/convert/parquet/c", "datasets/a/b/resolve/refs%2Fconvert%2Fparquet/c"),
        ("hf://a/b@refs%2Fpr%2F7/c", "a/b/resolve/refs%2Fpr%2F7/c"),
        ("hf://gpt2/model.safetensors", "gpt2/resolve/main/model.safetensors"),
    ],
)
def test_addresses_of_the_hub(
    address: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]
) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert web_address(address) == (f"https://huggingface.co/{place}", {})
