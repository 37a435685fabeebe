"""Starts Tensorloupe: reads the command line, begins to open the first file, then loads the rest of Qt and the window."""

from __future__ import annotations

import argparse
import builtins
import gc
import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tensorloupe.opening.begin import Begun

NO_DISPLAY = "tensorloupe: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). Try --screenshot DIR."


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `tensorloupe`: 0 done, 1 nothing could be opened for --screenshot, 2 wrong usage or no display."""
    options = _parser().parse_args(arguments)
    if options.desktop_entry is not None:
        from tensorloupe import desktop

        return desktop.run(options.desktop_entry)
    if options.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    elif not _has_display():
        print(NO_DISPLAY, file=sys.stderr)
        return 2
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts sooner, and the app's threads have the cores
    gc.disable()  # what is made while starting stays; later `Garbage` sees to it
    _without_ml_dtypes()
    begun = _begin(options.paths if options.screenshot is None and len(options.paths) == 1 else [], options.reference)
    from tensorloupe.start import run

    return run(options, begun)


def _begin(paths: Sequence[str], reference: str | None) -> Begun:
    """Start to read the first file on another thread; loads no more of Qt than that takes."""
    _load_qt()
    from tensorloupe.opening.begin import begin

    _, document, opener = begun = begin()
    document.wanted_reference = reference
    for path in paths:
        opener.open(path)
    return begun


def _without_ml_dtypes() -> None:
    """Have bfloat16 and 8-bit floats as float32, which holds each exactly, whatever else is installed.

    weightmap gives them as dtypes of ml_dtypes where it can. To load that package takes a second, in which no other thread runs.
    """
    modules: dict[str, Any] = sys.modules
    modules.setdefault("ml_dtypes", None)  # what `import` takes for a package that is not there


def _load_qt() -> None:
    """Load Qt, and undo what PySide does to `import` for the sake of `from __feature__ import`, which is not used here.

    It would read the source of every module that is imported later: a tenth of the start, and memory for all that text.
    """
    plain = builtins.__import__
    import PySide6.QtCore  # noqa: F401

    builtins.__import__ = plain


def _has_display() -> bool:
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tensorloupe", description="Look into GGUF and safetensors files.")
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a weight file, any part of a split one, a folder, or an address; of many, a list is shown and each is judged",
    )
    parser.add_argument("--reference", metavar="PATH", help="compare with this model, which the first was made from")
    parser.add_argument("--tensor", metavar="NAME", help="select this tensor")
    parser.add_argument("--theme", choices=("light", "dark"), help="instead of the system's")
    parser.add_argument("--size", type=_size, metavar="WxH", help="size of the window in pixels, such as 1366x768")
    parser.add_argument("--screenshot", metavar="DIR", help="draw every view into DIR without a display, and exit")
    parser.add_argument("--exit-after-first-paint", action="store_true", help="close once the tree has been painted")
    parser.add_argument(
        "--desktop-entry",
        choices=("install", "remove"),
        help="add Tensorloupe to this user's Linux desktop (menu entry, icon, double-click), or take it away, and exit",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="say which version this is, and exit")
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that costs more than the rest of the command line."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from tensorloupe.version import version

        print(f"tensorloupe {version()}")
        parser.exit()


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().replace("×", "x").partition("x")
    if not (
        cross and width.isdigit() and height.isdigit() and 100 <= int(width) <= 16384 and 100 <= int(height) <= 16384
    ):
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 1366x768")
    return int(width), int(height)


if __name__ == "__main__":
    sys.exit(main())
