"""Examples of the library's page that need optional packages: each runs as a script of its own, and gives what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.examples import Example, examples, run
from support.shared import ROOT

MODULES = {"otel": "opentelemetry.sdk", "remote": "fsspec", "cache": "platformdirs", "dask": "distributed"}
THERE = [one for one in examples(ROOT / "loader" / "README.md") if one.extra is not None]
PRINTED = {
    "Clusters": ["models/model.gguf ok", "models/model.safetensors ok", "((1024,), (128,)) 1.049"],
}


@pytest.mark.parametrize("example", THERE, ids=str)
def test_the_example_runs(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert example.extra is not None
    pytest.importorskip(MODULES.get(example.extra, example.extra))
    monkeypatch.setenv("WEIGHTMAP_CACHE", str(tmp_path / "cache"))
    lines = sorted(run(example, tmp_path), key=lambda line: line.startswith("("))
    expected = PRINTED.get(example.heading, [])
    assert len(lines) == len(expected)
    assert all(line.startswith(begin) for line, begin in zip(sorted(lines[:-1]) + lines[-1:], expected, strict=True))
