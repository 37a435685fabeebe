"""A web server of a folder, asked again without a pause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.web import Web, serving

from weightmap.source import http


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    monkeypatch.setattr(http, "PAUSES", (0.0, 0.0))
    folder = tmp_path / "served"
    folder.mkdir()
    with serving(folder) as running:
        yield running
