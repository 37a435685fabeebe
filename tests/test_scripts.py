"""What the Makefile runs, on machines that lack something: one clear line, or the right packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.shared import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what Linux machines may lack")

LDD = """#!/bin/sh
[ -e "{home}/installed" ] || printf '\\tlibEGL.so.1 => not found\\n\\tlibxcb-cursor.so.0 => not found\\n'
"""
APT = """#!/bin/sh
echo "$*" >>"{home}/log"
[ "$1" != install ] || touch "{home}/installed"
"""


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def test_a_machine_without_python_is_told_in_one_line(tmp_path: Path) -> None:
    tools, scripts = tmp_path / "tools", tmp_path / "scripts"
    tools.mkdir()
    scripts.mkdir()
    for name in ("cat", "dirname", "find"):
        (tools / name).symlink_to(str(shutil.which(name)))
    shutil.copy(ROOT / "scripts" / "environment.sh", scripts)
    done = subprocess.run(
        ["/bin/sh", str(scripts / "environment.sh"), "run"],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Python 3.11 or newer is needed")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / ".venv").exists()


def test_missing_qt_libraries_are_installed_or_named(tmp_path: Path) -> None:
    program(tmp_path / "ldd", LDD.format(home=tmp_path))
    program(tmp_path / "apt-get", APT.format(home=tmp_path))
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CI": "true"}
    command = [sys.executable, str(ROOT / "scripts" / "qt_libraries.py"), "xcb"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if os.geteuid() == 0:
        assert done.returncode == 0
        last = (tmp_path / "log").read_text().splitlines()[-1]
        assert last == "install -y --no-install-recommends libegl1 libxcb-cursor0 fonts-noto-core"
    else:
        assert done.returncode == 1
        assert done.stderr == "Qt's system libraries are missing. Run: sudo apt-get install libegl1 libxcb-cursor0\n"
