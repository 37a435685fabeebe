"""`tensorloupe PATH --reference PATH` as a program: the errors drawn without a display, and what is said of a bad reference."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tensorloupe.style.colors import DARK, LIGHT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-m", "tensorloupe", *arguments]
    return subprocess.run(command, env=kept, capture_output=True, text=True, timeout=180)


def colors(path: Path) -> set[str]:
    image = QImage(str(path))
    return {image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}


@pytest.mark.parametrize(("theme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_the_errors_are_drawn_with_the_worst_tensor_in_front(tmp_path, bad, reference, theme, palette):
    out = tmp_path / "pictures"
    size = ("--theme", theme, "--size", "1366x900")
    done = run("--screenshot", str(out), *size, "--reference", str(reference), str(bad))
    assert done.returncode == 0 and done.stderr == ""
    found = colors(out / f"error-{theme}.png")
    expected = {palette.bar, palette.bar_wrong, palette.bar_worse, palette.series, palette.second, palette.error_strip}
    assert expected <= found
    assert palette.second in colors(out / f"overview-{theme}.png")  # the reference as a line


def test_a_reference_that_cannot_be_opened_is_an_error_in_one_line(tmp_path, bad):
    done = run(
        "--screenshot", str(tmp_path / "out"), "--theme", "light", "--reference", str(tmp_path / "no.gguf"), str(bad)
    )
    assert done.returncode == 1 and "no.gguf" in done.stderr and done.stderr.count("\n") == 1
    assert (tmp_path / "out" / "error-light.png").stat().st_size > 10_000


def test_a_tensor_that_is_not_there_is_an_error_and_no_other_is_drawn_in_its_place(tmp_path, bad):
    out = tmp_path / "out"
    done = run("--screenshot", str(out), "--theme", "light", "--tensor", "no\nsuch", str(bad))
    assert (done.returncode, done.stderr) == (1, "tensorloupe: No tensor is called no\\nsuch.\n")
    assert [path.name for path in out.iterdir()] == ["file-light.png"]
