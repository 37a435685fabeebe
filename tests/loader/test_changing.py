"""A file that shrinks, grows, is written again, replaced or deleted while it is read never ends the process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "changing.py"


def test_a_hundred_files_that_change_at_random_moments(tmp_path):
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path), "7", "100"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    answer = json.loads(ran.stdout)
    assert answer["rounds"] == dict.fromkeys(("truncate", "rewrite", "replace", "grow", "delete"), 20)
    assert answer["refused"] == {"truncate": 20, "rewrite": 20, "replace": 0, "grow": 20, "delete": 0}
