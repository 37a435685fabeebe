"""Where every optional package is installed, opening, checking and measuring still imports none of them."""

from __future__ import annotations

import subprocess
import sys

from support.shared import ROOT

SAMPLE = ROOT / "app" / "tensorloupe" / "sample" / "minilm-sample.gguf"
CODE = """
import sys
import weightmap
from weightmap.cli import main

with weightmap.open(sys.argv[1]) as model:
    assert model.status == "ok"
assert main(["validate", "--values", sys.argv[1]]) == 0
assert main(["stats", "--json", sys.argv[1]]) == 0
heavy = {"dask", "distributed", "ray", "opentelemetry", "fsspec", "torch", "jax", "transformers", "gguf", "platformdirs"}
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


def test_ordinary_work_imports_no_optional_package() -> None:
    command = [sys.executable, "-c", CODE, str(SAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "[]\n")
