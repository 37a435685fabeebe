"""The examples of the library's own page that need optional packages, run as scripts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.shared import ROOT

SAMPLE = ROOT / "app" / "tensorloupe" / "sample"


def example(heading: str) -> str:
    """The first block of Python below a heading."""
    page = (ROOT / "loader" / "README.md").read_text(encoding="utf-8")
    _, _, section = page.partition(f"\n## {heading}\n")
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None, heading
    return found[1]


def run(heading: str, folder: Path) -> str:
    (folder / "models").mkdir()
    for name in ("minilm-sample.gguf", "minilm-sample.safetensors"):
        shutil.copy(SAMPLE / name, folder / "models")
    shutil.copy(SAMPLE / "minilm-sample.gguf", folder / "model.gguf")
    (folder / "example.py").write_text(example(heading), encoding="utf-8")
    command = [sys.executable, "example.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_telemetry(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry")
    assert run("Telemetry", tmp_path) == ""


def test_clusters(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    lines = run("Clusters", tmp_path).splitlines()
    assert sorted(lines[:2]) == ["models/minilm-sample.gguf ok", "models/minilm-sample.safetensors ok"]
    assert lines[2].startswith("((1024,), (128,)) 1.049")
