"""Opens regular files and nothing else, and says of everything else what it is."""

from __future__ import annotations

import os
import stat

from weightmap.errors import WeightFileError, error, printable
from weightmap.findings import finding


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
        hint = "There is no such file."
        if os.path.islink(path):
            hint = f"The link leads to {printable(os.readlink(path))}, which is not there."
        raise error(finding("not_found", hint, path=path)) from problem
    except PermissionError as problem:
        raise error(
            finding("permission", "Permission denied: the system does not let this file be read.", path=path)
        ) from problem
    except WeightFileError:
        raise
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        why = getattr(problem, "strerror", None) or str(problem)  # the path is said beside it
        raise error(finding("read_error", f"The file cannot be opened: {why}.", path=path)) from problem
