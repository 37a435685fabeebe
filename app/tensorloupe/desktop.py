"""Makes Tensorloupe known to a Linux desktop: a menu entry, the icon, and the types of .gguf and .safetensors files.

All of it goes into the folder of this user's data (XDG_DATA_HOME), as the freedesktop.org specifications of desktop entries,
icon themes and shared MIME info say; nothing of the system is changed, and `remove` takes it away again. An install from a
wheel cannot do that by itself: what it brings along lies in an environment that no desktop looks into.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tensorloupe.files.ours import ICON

TYPES = ("application/x-gguf", "application/x-safetensors")

ENTRY = """[Desktop Entry]
Type=Application
Version=1.0
Name=Tensorloupe
GenericName=Model Weight Explorer
Comment=Look into GGUF and safetensors files
Exec={program} %F
Icon=tensorloupe
Terminal=false
Categories=Development;
MimeType={types};
Keywords=gguf;safetensors;quantization;weights;model;
StartupWMClass=tensorloupe
StartupNotify=true
"""

MIME = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-gguf">
    <comment>GGUF model weights</comment>
    <magic priority="60"><match type="string" offset="0" value="GGUF"/></magic>
    <glob pattern="*.gguf"/>
    <icon name="tensorloupe"/>
  </mime-type>
  <mime-type type="application/x-safetensors">
    <comment>safetensors model weights</comment>
    <glob pattern="*.safetensors"/>
    <icon name="tensorloupe"/>
  </mime-type>
</mime-info>
"""


def data_home() -> Path:
    """Where a user's data lies; a path that is not absolute does not count, as the specification says."""
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"


def files(home: Path) -> dict[Path, str]:
    """What is written where."""
    entry = ENTRY.format(program=program(), types=";".join(TYPES))
    return {
        home / "applications" / "tensorloupe.desktop": entry,
        home / "mime" / "packages" / "tensorloupe.xml": MIME,
        home / "icons" / "hicolor" / "scalable" / "apps" / "tensorloupe.svg": ICON.read_text(encoding="utf-8"),
    }


def program() -> str:
    """How this program is started, as an Exec line has it: each part in quotes, so that folders may have any name."""
    if getattr(sys, "frozen", False):
        return quoted(sys.executable)
    beside = Path(sys.executable).with_name("tensorloupe")
    if beside.exists():
        return quoted(str(beside))
    return f"{quoted(sys.executable)} -m tensorloupe"


def quoted(word: str) -> str:
    """A word of an Exec line: four characters are escaped for the quotes, backslashes once more for the file, % is doubled."""
    for character in '\\"`$':
        word = word.replace(character, "\\" + character)
    return '"' + word.replace("\\", "\\\\").replace("%", "%%") + '"'


def install() -> list[Path]:
    """Write everything and let the desktop know; gives back what was written. Raises OSError where that is not possible."""
    home = data_home()
    wanted = files(home)
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _tell(home)
    return list(wanted)


def remove() -> list[Path]:
    """Take away what `install` wrote; gives back what was there."""
    home, gone = data_home(), []
    for path in files(home):
        with suppress(FileNotFoundError):
            path.unlink()
            gone.append(path)
    _tell(home)
    return gone


def run(act: str) -> int:
    """The command: `install` or `remove`; the exit status."""
    if not sys.platform.startswith("linux"):
        print("tensorloupe: only Linux desktops are told this way; elsewhere make the bundle, and open files with it.")
        return 2
    try:
        paths = install() if act == "install" else remove()
    except OSError as problem:
        print(f"tensorloupe: {problem.filename}: {problem.strerror}.", file=sys.stderr)
        return 1
    for path in paths:
        print(f"{'wrote' if act == 'install' else 'removed'} {path}")
    return 0


def _tell(home: Path) -> None:
    """Bring the desktop's indexes up to date, with the tools that are there; most desktops notice by themselves as well."""
    for tool, folder in (("update-mime-database", "mime"), ("update-desktop-database", "applications")):
        found = shutil.which(tool)
        if found is not None and (home / folder).is_dir():
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run([found, str(home / folder)], capture_output=True, timeout=60, check=False)
