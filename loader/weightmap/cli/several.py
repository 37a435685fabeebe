"""Commands that take several models: which they are, and one that cannot be read is told and does not end the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import weightmap
from weightmap.cli import output
from weightmap.cli.progress import ProgressLine
from weightmap.errors import WeightFileError, printable

T = TypeVar("T")


def models_of(paths: Iterable[str], line: ProgressLine) -> list[str]:
    """The models that the paths stand for, each once: of a folder with several all, as `validate` takes them. Raises what
    `find_models` raises.
    """
    found: dict[str, str] = {}
    for path in paths:
        line.title = f"looking for models in {path}"
        inside = list(weightmap.find_models(path, progress=line))
        # a folder with one model is that model; one without any is opened too, for the error that says so
        for model in inside or [path]:
            found.setdefault(os.path.abspath(model), model if len(inside) > 1 else path)
    return list(found.values())


def each(
    models: Iterable[str], line: ProgressLine, work: Callable[[str], T]
) -> Iterator[tuple[str, T | WeightFileError]]:
    """What the work gives for each model, or why there is nothing."""
    for path in models:
        line.title = f"reading {path}"
        try:
            yield path, work(path)
        except WeightFileError as problem:
            yield path, problem


def entry(path: str, problem: WeightFileError) -> dict[str, object]:
    """The document of a model that cannot be read, among those of others."""
    return {"path": path, "error": output.error_entry(problem)}


def tell(problem: WeightFileError) -> None:
    """Say on stderr why there is nothing of one of several models."""
    print(f"weightmap: {printable(str(problem))}", file=sys.stderr, flush=True)
