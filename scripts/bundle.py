"""Makes a self-contained Tensorloupe for the platform this runs on: a folder that starts without Python being installed.

    python scripts/bundle.py            dist/Tensorloupe/ (on macOS dist/Tensorloupe.app)
    python scripts/bundle.py --try      and starts it on the sample, without a display, to see that it works

PyInstaller is installed into an environment of its own, build/bundle/venv, together with both packages as they are in this
checkout. On Linux, Qt's system libraries are expected on the machine that runs the bundle, as for every Qt program.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bundle"
DIST = ROOT / "dist"
NAME = "Tensorloupe"
# of Qt only what a program of widgets needs; the rest would double the size
UNUSED = ("Qml", "Quick", "QuickWidgets", "QuickControls2", "Sql", "Test", "Designer", "Help", "UiTools", "Concurrent")
START = "from tensorloupe.__main__ import main\nraise SystemExit(main())\n"


def main() -> int:
    """Make the bundle, and with --try start it; the exit status is 1 where it does not work."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--try", dest="trial", action="store_true", help="start the bundle on the sample afterwards")
    options = parser.parse_args()
    python = environment()
    build(python)
    made = DIST / (f"{NAME}.app" if sys.platform == "darwin" else NAME)
    size = sum(file.stat().st_size for file in made.rglob("*") if file.is_file() and not file.is_symlink())
    print(f"{made.relative_to(ROOT)}: {size / 1e6:,.0f} MB")
    return trial() if options.trial else 0


def environment() -> Path:
    """A fresh environment with PyInstaller and both packages; its Python."""
    home = WORK / "venv"
    print("Making the environment of the bundle ...", flush=True)
    venv.create(home, clear=True, with_pip=True)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*install, "pyinstaller>=6.10", ROOT / "loader", ROOT], check=True)
    return python


def build(python: Path) -> None:
    """Run PyInstaller."""
    start = WORK / "start.py"
    start.write_text(START, encoding="utf-8")
    # most modules are imported by name on first use, where PyInstaller does not see them
    collected = [f"--collect-all={package}" for package in ("tensorloupe", "weightmap")]
    unused = [f"--exclude-module=PySide6.Qt{module}" for module in UNUSED] + ["--exclude-module=tkinter"]
    options = ["--noconfirm", "--clean", "--log-level=WARN", "--windowed", f"--name={NAME}"]
    folders = [f"--distpath={DIST}", f"--workpath={WORK / 'work'}", f"--specpath={WORK}"]
    print("Collecting what Tensorloupe needs ...", flush=True)
    subprocess.run([python, "-m", "PyInstaller", *options, *folders, *collected, *unused, start], check=True, cwd=WORK)


def program() -> Path:
    """The bundle's executable."""
    if sys.platform == "darwin":
        return DIST / f"{NAME}.app" / "Contents" / "MacOS" / NAME
    return DIST / NAME / (f"{NAME}.exe" if os.name == "nt" else NAME)


def trial() -> int:
    """Start the bundle, moved to another folder, without the environment that made it: it must draw its own sample."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        made = program().relative_to(DIST)
        shutil.copytree(DIST / made.parts[0], place / made.parts[0], symlinks=True)
        sample = next((place / made.parts[0]).rglob("minilm-sample.gguf"))
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        plain["TENSORLOUPE_CONFIG"] = str(place / "config")
        drawn = subprocess.run([place / made, sample, "--screenshot", place / "pictures"], env=plain, timeout=300)
        pictures = sorted(picture.name for picture in (place / "pictures").glob("*.png"))
        started = subprocess.run(
            [place / made, sample, "--exit-after-first-paint"],
            env={**plain, "QT_QPA_PLATFORM": "offscreen"},
            timeout=60,
        )
    print(f"The bundle drew {len(pictures)} pictures of its sample and started with status {started.returncode}.")
    return 0 if drawn.returncode == started.returncode == 0 and "heatmap-dark.png" in pictures else 1


if __name__ == "__main__":
    sys.exit(main())
