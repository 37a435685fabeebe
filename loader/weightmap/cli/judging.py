"""Which models the paths of a command stand for, and the verdict on each: worked out here, or by the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import weightmap
from weightmap.cli import text
from weightmap.cli.progress import ProgressLine
from weightmap.errors import WeightFileError
from weightmap.findings import Severity
from weightmap.validation import Verdict, validate

if TYPE_CHECKING:
    from weightmap.distributed import Crew

Model = tuple[str, str] | Verdict  # (absolute path, path to open), or the verdict on a path that cannot be searched


def verdicts_of(paths: Iterable[str], values: bool, line: ProgressLine, crew: Crew | None = None) -> Iterator[Verdict]:
    """One verdict per model in the order of the paths; a model that several paths lead to is checked once."""
    seen: set[str] = set()
    models = _models(paths, line)
    for key, found in _here(models, seen, values, line) if crew is None else _there(crew, models, values, line):
        if key in seen:  # a worker was quicker than the verdict on the whole that this is a part of
            continue
        if key is not None:
            seen.add(key)
        if found.format == "gguf":  # any part of a split stands for all of it
            seen.update(map(os.path.abspath, found.files))
        yield found


def _models(paths: Iterable[str], line: ProgressLine) -> Iterator[Model]:
    for path in paths:
        line.title = f"looking for models in {path}"
        try:
            models = list(weightmap.find_models(path, progress=line))
        except WeightFileError as problem:
            yield Verdict(path, None, Severity.ERROR, (problem.finding,))
            continue
        # a folder with one model is that model; one without any is opened too, for the error that says so
        for model in models or [path]:
            yield os.path.abspath(model), model if len(models) > 1 else path


def _here(
    models: Iterable[Model], seen: set[str], values: bool, line: ProgressLine
) -> Iterator[tuple[str | None, Verdict]]:
    for model in models:
        if isinstance(model, Verdict):
            yield None, model
        elif model[0] not in seen:
            line.title = model[1]
            line(0, 0)
            yield model[0], validate(model[1], values=values, progress=line)


def _there(
    crew: Crew, models: Iterable[Model], values: bool, line: ProgressLine
) -> Iterator[tuple[str | None, Verdict]]:
    """The same order, as soon as all before are done. The progress line counts models."""
    listed = list(models)
    paths: dict[str, str] = {}
    for model in listed:
        if not isinstance(model, Verdict):
            paths.setdefault(*model)
    line.title = f"{text.plural(len(paths), 'model')} given to workers"
    keys, judged = list(paths), crew.verdicts(list(paths.values()), values, line)
    ready: dict[str, Verdict] = {}
    for model in listed:
        if isinstance(model, Verdict):
            yield None, model
            continue
        while model[0] not in ready:
            index, found = next(judged)
            ready[keys[index]] = found
        yield model[0], ready[model[0]]
