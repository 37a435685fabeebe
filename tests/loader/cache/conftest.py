"""A cache in a folder of its own, which also remembers files that were written a moment ago, and what lies in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.build import gguf
from support.headers import METADATA, TENSORS
from support.kept import BODY, SEGMENTS

import weightmap
from weightmap.cache import structure
from weightmap.cache.store import Store
from weightmap.formats import gguf as gguf_format
from weightmap.source import fingerprint


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder; it is made when something is kept."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("WEIGHTMAP_CACHE", str(folder))
    monkeypatch.delenv("WEIGHTMAP_CACHE_SIZE", raising=False)
    monkeypatch.setattr(fingerprint, "TICK", -(10**18))
    monkeypatch.setattr(fingerprint, "COARSE_TICK", -(10**18))
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    """A store with one entry."""
    place = Store(str(tmp_path / "c"))
    assert place.save("k", "thing", BODY, SEGMENTS)
    return place


@pytest.fixture
def any_header(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers are remembered however quickly they are parsed."""
    monkeypatch.setattr(structure, "LEAST", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A GGUF with every kind of metadata."""
    file = tmp_path / "m.gguf"
    file.write_bytes(gguf(METADATA, TENSORS, alignment=64))
    return file


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The path of every GGUF header that is parsed."""
    counted: list[str] = []
    real = gguf_format.parse
    monkeypatch.setitem(weightmap.api.sets.PARSERS, "gguf", lambda source: counted.append(source.path) or real(source))
    return counted
