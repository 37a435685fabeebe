"""Sees to it that Qt can start: finds the system libraries and fonts that are missing, and installs them or says how.

    python scripts/qt_libraries.py offscreen    enough for tests and --screenshot
    python scripts/qt_libraries.py xcb          also what windows on an X server need
    python scripts/qt_libraries.py window       also that the display answers; exit status 3 where it does not

PySide6 brings Qt along, but not the libraries that Qt expects on every desktop; servers and containers lack them, and Qt
then aborts without a hint. As root in a container or CI they are installed through apt-get; elsewhere nothing is changed,
and the one line to run is printed. Nothing to do on macOS and Windows, where the wheels are complete.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
FONTS = "fonts-noto-core"
COUNT_FONTS = "from PySide6.QtGui import QFontDatabase as F, QGuiApplication as A; a = A([]); print(len(F.families()))"


def missing_libraries(goal: str) -> set[str]:
    """File names of shared libraries that Qt's modules and platform plugins want and the loader does not find."""
    spec = importlib.util.find_spec("PySide6")
    if spec is None or spec.origin is None:
        sys.exit("PySide6 is not installed in this environment: run make run or make test.")
    home = Path(spec.origin).parent
    plugins = home / "Qt" / "plugins" / "platforms"
    wanted = [*home.glob("QtWidgets*.so"), *home.glob("QtSvg*.so"), plugins / "libqoffscreen.so"]
    if goal == "xcb" or os.environ.get("DISPLAY"):
        wanted.append(plugins / "libqxcb.so")
    if goal == "window" and os.environ.get("WAYLAND_DISPLAY"):
        wanted += plugins.glob("libqwayland*.so")
    command = ["ldd", *(str(path) for path in wanted if path.exists())]
    listing = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return {line.split()[0] for line in listing.splitlines() if line.endswith("not found")}


def starts(program: str, platform: str | None) -> str | None:
    """What a small Qt program prints in a process of its own, None where it fails: Qt aborts when it cannot start."""
    environment = dict(os.environ) if platform is None else os.environ | {"QT_QPA_PLATFORM": platform}
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def may_install() -> bool:
    """Whether this is root in a container or CI with apt-get: a machine that nobody minds having a package added to."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    if os.environ.get("CI") or os.environ.get("container"):  # noqa: SIM112 - podman and systemd-nspawn write it so
        return True
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return True
    try:
        first = Path("/proc/1/comm").read_text().strip()
    except OSError:
        return False
    return first not in {"systemd", "init"}  # whatever else runs as the first process, it is no whole machine


def install(packages: list[str]) -> None:
    """Install them, quietly; where that fails say which line failed."""
    print(f"Installing what Qt needs: {' '.join(packages)} ...", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode and command[1] == "install":
            sys.exit(f"{done.stderr.strip()}\nQt's system libraries could not be installed: {' '.join(command)}")


def ask_for(libraries: set[str], packages: list[str]) -> None:
    """Say in one line what to run."""
    if shutil.which("apt-get"):
        sys.exit(f"Qt's system libraries are missing. Run: sudo apt-get install {' '.join(packages)}")
    what = ", ".join(sorted(libraries)) or "any font"
    sys.exit(f"Qt cannot start without these; install them with the system's package manager: {what}")


def main(goal: str) -> int:
    """See to the libraries of `goal`, then to fonts, then (for a window) try the display."""
    if sys.platform != "linux":
        return 0
    for attempt in range(3):
        libraries = missing_libraries(goal)
        packages = sorted({PACKAGES[name] for name in libraries if name in PACKAGES})
        if not libraries:
            if starts(COUNT_FONTS, "offscreen") != "0":
                break
            packages = [FONTS]
        if attempt == 2 or not packages or not may_install():
            ask_for(libraries, packages)
        install(packages if FONTS in packages else [*packages, FONTS])
    if goal == "window" and starts("from PySide6.QtGui import QGuiApplication as A; A([])", None) is None:
        print("A display is named in the environment, but it does not answer.", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
