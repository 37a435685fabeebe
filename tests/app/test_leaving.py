"""The program as it is run: it ends by itself and silently, at whatever moment its window is closed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.quantized import original, write

RUN = """
import sys
from PySide6.QtCore import QTimer
from tensorloupe import __main__, start

def windows():
    from PySide6.QtWidgets import QApplication
    return [window for window in QApplication.topLevelWidgets() if hasattr(window, "document")]

def turn():
    for window in windows():
        if window.document.model is not None:
            window.explorer.tree.select(list(window.document.model.tensors.values())[2])
            window.do("view " + sys.argv[2])

def settled(*of):
    usual(*of)
    QTimer.singleShot(max(0, int(sys.argv[1]) - 40), turn)
    QTimer.singleShot(int(sys.argv[1]), lambda: [window.close() for window in windows()])

usual, start._settle = start._settle, settled
sys.exit(__main__.main(sys.argv[3:]))
"""
MOMENTS = [
    (0, "overview"),
    (80, "overview"),
    (200, "heatmap"),
    (400, "whatif"),
    (500, "error"),
    (700, "blocks"),
    (900, "values"),
]
QUIET = "This plugin does not support"  # what the offscreen platform says of itself


@pytest.mark.parametrize(("after", "view"), MOMENTS)
def test_closing_at_any_moment_ends_the_program_and_prints_nothing(tmp_path: Path, after: int, view: str) -> None:
    path = write(tmp_path / "model.gguf", original(), "Q4_K")
    reference = write(tmp_path / "original.gguf", original())
    command = [sys.executable, "-W", "error", "-c", RUN, str(after), view, str(path), "--reference", str(reference)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip() and QUIET not in line]
    assert (done.returncode, said) == (0, [])


def test_closing_before_anything_is_open(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", RUN, "0", "overview"]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "Traceback" not in done.stderr
