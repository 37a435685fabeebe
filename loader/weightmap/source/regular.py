"""Opens regular files and nothing else, and says of everything else what it is."""

from __future__ import annotations

import errno
import os
import stat

from weightmap.errors import WeightFileError, error, printable
from weightmap.findings import finding

_PATHS = (None, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR)
"""What is wrong with a path, and not with a disk; None is a NUL in it."""


def open_regular(path: str) -> int:
    """A descriptor of a regular file. A pipe or device is refused before it is opened: that could block for ever."""
    try:
        kind = os.stat(path).st_mode
        if not stat.S_ISREG(kind):
            what = "a folder" if stat.S_ISDIR(kind) else "a device, a pipe or a socket"
            raise error(finding("not_regular_file", f"This is {what}, not a file.", path=path))
        return os.open(
            path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
        )
    except FileNotFoundError as problem:
        raise error(finding("not_found", _absent(path), path=path)) from problem
    except PermissionError as problem:
        raise error(
            finding("permission", "Permission denied: the system does not let this file be read.", path=path)
        ) from problem
    except WeightFileError:
        raise
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        why = getattr(problem, "strerror", None) or str(problem)  # the path is said beside it
        advice = "Check the path." if getattr(problem, "errno", None) in _PATHS else None
        raise error(finding("read_error", f"The file cannot be opened: {why}.", path=path, advice=advice)) from problem


def _absent(path: str) -> str:
    """What is not there: the file, or what a link leads to. A process that ends takes its links with it meanwhile."""
    try:
        return f"The link leads to {printable(os.readlink(path))}, which is not there."
    except OSError:
        return "There is no such file."
