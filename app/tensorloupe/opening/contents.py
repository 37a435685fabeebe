"""Everything that is read when a model is opened, in one go, on a background thread: what the window shows at once."""

from __future__ import annotations

import os
from typing import NamedTuple

import weightmap
from tensorloupe.files.places import is_address
from tensorloupe.items.bytemap import Stretches, stretches
from tensorloupe.items.files import FileRow, file_rows
from tensorloupe.items.metadata import Entry, entries
from tensorloupe.items.outline import Outline, build_outline
from tensorloupe.items.summary import Summary, summarize
from tensorloupe.task import Progress
from tensorloupe.weights import composed_of


class Contents(NamedTuple):
    """An open model with all that tree, dock and file page show of it. Who takes it closes `model`.

    It can be shown before anything in it was checked; what the checks find is added by `checking.judging`.
    """

    path: str
    model: weightmap.WeightFile
    outline: Outline
    findings: tuple[weightmap.Finding, ...] | None  # None until headers and metadata were checked
    metadata: tuple[Entry, ...]
    files: tuple[FileRow, ...]
    summary: Summary
    stretches: Stretches

    def close(self) -> None:
        """Let go of the model's files."""
        self.model.close()


def read(path: str, progress: Progress) -> Contents:
    """Open a path and prepare what is shown. Raises weightmap.WeightFileError, or Cancelled once nobody wants it."""
    model = weightmap.open(path, progress=lambda *_: progress(0, _STEPS))
    try:
        return prepare(path, model, progress)
    except BaseException:
        model.close()
        raise


def prepare(path: str, model: weightmap.WeightFile, progress: Progress) -> Contents:
    """What is shown of a model that is open already."""
    _go_on(progress, 1)
    sizes = {part.path: part.size for part in model.parts}
    outline = build_outline(model.records, sizes, tuple(composed_of(model).values()), judged=False)
    _go_on(progress, 2)
    metadata = entries(model.metadata, model.metadata_type, lambda: progress(2, _STEPS) is not False)
    _go_on(progress, 3)
    summary = summarize(model, outline, len(metadata))
    files, map_ = file_rows(model, None), stretches(model.parts, model.records)
    return Contents(path, model, outline, None, metadata, files, summary, map_)


_STEPS = 4


def _go_on(progress: Progress, step: int) -> None:
    if progress(step, _STEPS) is False:
        raise weightmap.Cancelled


def same_file(one: str | None, other: str | None) -> bool:
    """Whether two paths lead to the same file, whatever way they take. Asks the disk: call it in the background."""
    if one is None or other is None:
        return False
    if is_address(one) or is_address(other):
        return one == other
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.abspath(one) == os.path.abspath(other)
