"""A small model; a cache in a folder of its own, which also remembers small files, and those written a moment ago."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.checksums import a_gguf

from weightmap.integrity import memory, passes, streams
from weightmap.source import fingerprint


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A GGUF of three tensors."""
    return a_gguf(tmp_path / "m.gguf")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder. Passes are cut into small chunks, with a checkpoint after each few of them."""
    monkeypatch.setenv("WEIGHTMAP_CACHE", str(tmp_path / "cache"))
    for module, name, value in (
        (fingerprint, "TICK", -(10**18)),
        (fingerprint, "COARSE_TICK", -(10**18)),
        (memory, "LEAST", 0),
        (memory, "LARGE", 0),
        (streams, "CHUNK", 100),
        (passes, "CHECKPOINT", 300),
        (passes, "NEAR", 10),
    ):
        monkeypatch.setattr(module, name, value)
    return tmp_path / "cache"
