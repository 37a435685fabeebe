"""What the commands write, and how: strict JSON for programs, text for people, and a reader who has left is no error."""

from __future__ import annotations

import json
import os
import sys

from weightmap.errors import WeightFileError
from weightmap.plain import finding_entry, plain


class Refusal(Exception):  # noqa: N818 - a command that cannot be carried out as asked, not a fault of this program
    """A command cannot be carried out, and no file is at fault: a name that is not there, a place that cannot be written."""

    def __init__(self, code: str, message: str, *, path: str | None, tensor: str | None = None, status: int) -> None:
        super().__init__(message)
        self.code, self.message, self.path, self.tensor, self.status = code, message, path, tensor, status


class Unwritable(Refusal):
    """Stdout takes no more: what went wrong can only be said on stderr."""

    def __init__(self, problem: OSError) -> None:
        super().__init__("system", f"The system refuses: {problem.strerror or problem}.", path=None, status=1)


def stand_in() -> None:
    """Give a process that was started without stdout or stderr something that takes what is written and drops it."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - it stays until the process ends


def write(text: str) -> None:
    """Write to stdout. Where the reader has gone (`| head`), the rest is dropped and the command ends as it would have.

    Raises Unwritable where stdout takes no more, as on a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_the_rest()
    except OSError as problem:
        _drop_the_rest()  # else the interpreter tries once more as it ends, and complains in its own words
        raise Unwritable(problem) from problem


def _drop_the_rest() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def document(value: object) -> None:
    """Write one strict JSON document: ASCII, what is not finite is null, undecodable characters as backslash escapes."""
    write(json.dumps(plain(value), allow_nan=False, separators=(",", ":")) + "\n")


def error_entry(problem: WeightFileError | Refusal) -> dict[str, object]:
    """What went wrong, as the JSON of a failed command shows it."""
    if isinstance(problem, WeightFileError):
        kept = ("path", "code", "message", "tensor", "key", "offset")
        entry = finding_entry(problem.finding)
        return {name: entry[name] for name in kept}
    return {
        "path": problem.path,
        "code": problem.code,
        "message": problem.message,
        "tensor": problem.tensor,
        "key": None,
        "offset": None,
    }
