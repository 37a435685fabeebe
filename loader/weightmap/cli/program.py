"""The `weightmap` program: its commands, and what becomes of everything that can go wrong in one."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from traceback import walk_tb

import weightmap
from weightmap.cli import (
    INTERRUPTED,
    bench,
    cache,
    compare,
    digest,
    export,
    info,
    output,
    stats,
    validate,
    verify,
    whatif,
)
from weightmap.cli.output import Refusal, Unwritable
from weightmap.errors import Cancelled, WeightFileError, printable

COMMANDS = (info, validate, stats, compare, whatif, export, digest, verify, cache, bench)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    whole = argparse.ArgumentParser(
        prog="weightmap",
        description="Look into GGUF and safetensors files, and check them.",
        epilog="weightmap COMMAND --help tells what a command takes. Exit status: 0 done and no error-level finding, 1 an "
        "error-level finding or an unreadable file, 2 wrong usage, 130 after Ctrl-C.",
    )
    whole.add_argument("--version", action="version", version=f"weightmap {weightmap.__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return whole


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Nothing escapes but the exit of --help and of wrong usage."""
    output.stand_in()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a stream put in their place by a caller
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    whole = parser()
    if not (sys.argv[1:] if arguments is None else arguments):  # somebody who does not know the commands yet
        with contextlib.suppress(OSError):
            whole.print_help(sys.stderr)
        return 2
    given = whole.parse_args(arguments)
    try:
        status: int = given.run(given)
        sys.stdout.flush()
    except (KeyboardInterrupt, Cancelled):
        return INTERRUPTED
    except (WeightFileError, Refusal) as problem:
        return _failed(given, problem)
    except Exception as problem:
        return _failed(given, _fault(given, problem))
    return status


def _failed(given: argparse.Namespace, problem: WeightFileError | Refusal) -> int:
    """Say what went wrong: a document on stdout for programs, else a line on stderr."""
    as_document = getattr(given, "json", False) or getattr(given, "format", None) == "json"
    if as_document and not isinstance(problem, Unwritable):
        try:
            output.document({"error": output.error_entry(problem)})
        except Unwritable as unwritable:
            return _failed(given, unwritable)
    else:
        with contextlib.suppress(OSError):  # stderr is full as well: the exit status is left to tell
            print(f"weightmap: {printable(str(problem))}", file=sys.stderr)
    return problem.status if isinstance(problem, Refusal) else 1


def _fault(given: argparse.Namespace, problem: Exception) -> Refusal:
    """What nobody foresaw, in one line: a full disk, memory that ran out, or a mistake of this program."""
    path = getattr(given, "path", None)
    if isinstance(problem, OSError):
        return Refusal("system", f"The system refuses: {problem.strerror or problem}.", path=path, status=1)
    if isinstance(problem, MemoryError):
        return Refusal("memory", "There is not enough memory for this.", path=path, status=1)
    what = f"{type(problem).__name__}: {problem}"
    plug_in = _plug_in(problem)
    whose = "of weightmap, not of the file. Please report it" if plug_in is None else f"of the plug-in {plug_in}"
    return Refusal("internal", f"This is a mistake {whose}: {what}", path=path, status=1)


def _plug_in(problem: Exception) -> str | None:
    """The module of a stored type from elsewhere that a problem went through; None where it is our own."""
    from weightmap.types.registry import all_types

    homes = {type(kind).__module__ for kind in all_types()}
    passed = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(problem.__traceback__))
    return next((home for home in passed if home in homes and not home.startswith("weightmap.")), None)
