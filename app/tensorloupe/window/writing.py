"""Writes what is exported in the background, and says in the window how it went: for every file in the same words."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import weightmap
from tensorloupe.task import Progress
from tensorloupe.window.shell import Shell

T = TypeVar("T")


def write(shell: Shell, path: str, work: Callable[[Progress], T], said: Callable[[T, str], str]) -> None:
    """Do the work that writes `path`. `said` makes the line for the status bar, of its result and the file's name."""
    name = weightmap.printable(os.path.basename(path))
    shell.tasks.start(
        "export",
        f"Writing {name}",
        work,
        lambda result: shell.status.say(said(result, name), "ok"),
        lambda reason: say_unwritten(shell, path, reason),
        lambda: shell.status.say("Cancelled", None),
    )


def say_written(shell: Shell, path: str, reason: BaseException | None) -> None:
    """Say of a file that a view wrote that it is there, or why it is not."""
    if reason is None:
        shell.status.say(f"Saved {weightmap.printable(os.path.basename(path))}", "ok")
    else:
        say_unwritten(shell, path, reason)


def say_unwritten(shell: Shell, path: str, reason: BaseException) -> None:
    """Say why a file was not written. Raises `reason` where it is neither the disk's nor the model's fault."""
    if not isinstance(reason, OSError | weightmap.WeightFileError):
        raise reason
    said = reason.finding.message if isinstance(reason, weightmap.WeightFileError) else reason.strerror
    name = weightmap.printable(os.path.basename(path))
    shell.strip.say("error", f"{name} was not written.", weightmap.printable(f"{said or reason}".rstrip(".") + "."))
