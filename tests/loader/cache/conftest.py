"""A cache in a folder of its own, which also remembers files that were written a moment ago."""

from __future__ import annotations

from pathlib import Path

import pytest

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
