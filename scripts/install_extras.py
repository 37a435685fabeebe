"""Installs into the Python that runs it what the tests in tests/extras need, one package after the other.

What cannot be installed, or takes too long, is named and left out: its tests skip. `--missing` installs nothing and names
what is not there.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from re import match

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("-e", "./loader", "pytest>=8", "hypothesis>=6")
PEERS = ("ml_dtypes>=0.5", "gguf>=0.19", "safetensors>=0.5", "jax>=0.4.30", "transformers>=4.45")
QUANTIZERS = (
    "compressed-tensors>=0.20",
    "bitsandbytes>=0.45",
    "mlx>=0.30",
    "mlx-cpu>=0.30",
    "torchao>=0.15",
    "comfy-kitchen>=0.2.40",
)
# the CPU build, from wherever pip is told of one (PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS); the usual one brings gigabytes of CUDA
TORCH = "torch==2.13.0+cpu"
NEEDS_TORCH = ("torch", "compressed-tensors", "bitsandbytes", "torchao", "comfy-kitchen")
LIMIT = 600  # seconds for all packages together
ONE = 240  # seconds for one of them


def wanted() -> list[str]:
    """The requirements of every extra of weightmap, then what it is tested beside."""
    project = tomllib.loads((ROOT / "loader" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [entry for group in project.get("optional-dependencies", {}).values() for entry in group]
    return [*dict.fromkeys([TORCH, *extras, *PEERS, *QUANTIZERS])]


def pip(*arguments: str, limit: float) -> str | None:
    """Run `pip install`; None, or why it did not go."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=max(limit, 1), check=False)
    except subprocess.TimeoutExpired:
        return "it took too long"
    if not done.returncode:
        return None
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
    return lines[-1] if lines else f"pip ended with {done.returncode}"


def missing() -> list[str]:
    """Requirements whose package is not there."""
    absent = []
    for requirement in wanted():
        name = match(r"[\w.-]+", requirement)
        assert name is not None
        try:
            version(name[0])
        except PackageNotFoundError:
            absent.append(requirement)
    return absent


def main() -> int:
    """Install, or name what is missing; 1 only where the tests could not run at all."""
    if "--missing" in sys.argv[1:]:
        for requirement in missing():
            print(f"Not installed, so its tests are left out: {requirement}")
        return 0
    if (problem := pip(*NEEDED, limit=LIMIT)) is not None:
        print(f"weightmap and pytest cannot be installed: {problem}", file=sys.stderr)
        return 1
    end, no_torch = time.monotonic() + LIMIT, False
    for requirement in wanted():
        left = end - time.monotonic()
        if no_torch and requirement.startswith(NEEDS_TORCH):
            problem = "it would bring another build of torch along"
        else:
            problem = pip(requirement, limit=min(ONE, left)) if left > 0 else "no time was left for it"
        if problem is not None:
            print(f"{requirement} could not be installed: {problem}")
            no_torch |= requirement == TORCH
    return 0


if __name__ == "__main__":
    sys.exit(main())
