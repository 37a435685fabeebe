"""The options that hand a command's work to a cluster: --dask ADDRESS, --ray [ADDRESS]."""

from __future__ import annotations

import argparse
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from weightmap.cli.output import Refusal

if TYPE_CHECKING:
    from weightmap.distributed import Crew

_ADDRESS = re.compile(r"auto|ray://\S+|[\w.\-\[\]:]+:\d+")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare both; at most one of them is given."""
    clusters = parser.add_mutually_exclusive_group()
    clusters.add_argument(
        "--dask", metavar="ADDRESS", help="let the workers of this Dask scheduler do it (tcp://HOST:8786); same output"
    )
    clusters.add_argument(
        "--ray",
        metavar="ADDRESS",
        nargs="?",
        const="",
        help="let the workers of a Ray cluster do it: this one (auto, HOST:6379, ray://HOST:10001), "
        "else that of RAY_ADDRESS, else one started here; same output",
    )
    parse = parser.parse_known_args

    def told_apart(words: Sequence[str] | None = None, namespace: Any = None) -> Any:
        return parse(None if words is None else _told_apart(words), namespace)

    parser.parse_known_args = told_apart  # type: ignore[method-assign, assignment]


@contextmanager
def crew_of(arguments: argparse.Namespace) -> Iterator[Crew | None]:
    """The workers that were asked for; None where the work is done here. Raises Refusal where there are none, or none left."""
    if arguments.dask is None and arguments.ray is None:
        yield None
        return
    from weightmap.distributed import NoWorkersError, on_dask, on_ray  # who works alone does not load it

    try:
        with (
            _only_our_words(),
            on_ray(arguments.ray or None) if arguments.dask is None else on_dask(arguments.dask) as crew,
        ):
            yield crew
    except NoWorkersError as problem:
        _hush()
        raise Refusal("no_workers", str(problem), path=None, status=1) from problem


@contextmanager
def _only_our_words() -> Iterator[None]:
    """What Dask would log about a scheduler that went away is a page of tracebacks; the command says it in a line."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _hush() -> None:
    """What is left of a cluster that went away would complain when the process ends."""
    for name in ("asyncio", "distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _told_apart(words: Sequence[str]) -> list[str]:
    """The words of the command line, where `--ray PATH` is an option without an address and a path."""
    told = list(words)
    for at, word in enumerate(told):
        following = told[at + 1] if at + 1 < len(told) else ""
        if word == "--ray" and (os.path.exists(following) or not _ADDRESS.fullmatch(following)):
            told[at] = "--ray="
    return told
