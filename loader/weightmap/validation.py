"""Whether a model is sound, as one record: what the command `validate` prints and the window's list of models shows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weightmap import telemetry
from weightmap.errors import WeightFileError
from weightmap.findings import Finding, Severity, worst
from weightmap.model import WeightFile
from weightmap.opened import Opened
from weightmap.plain import finding_entry, plain
from weightmap.reading.sweep import Progress
from weightmap.source.address import shown
from weightmap.tensor import Tensor
from weightmap.wording import plural

if TYPE_CHECKING:
    from weightmap.composed import Composed


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said about one model.

    path     as it was given
    format   "gguf", "safetensors" or "imatrix"; None where nothing could be opened
    status   the severity of the worst finding
    tensors  (name, type, shape, status) of each entry of the tensor table
    composed (name, scheme, shape, status) of each weight that lies in several tensors
    nbytes   of all files of the model that are there
    files    paths of all files that the model consists of
    """

    path: str
    format: str | None
    status: Severity
    findings: tuple[Finding, ...]
    tensors: tuple[tuple[str, str, tuple[int, ...], Severity], ...] = ()
    nbytes: int = 0
    files: tuple[str, ...] = ()
    composed: tuple[tuple[str, str, tuple[int, ...], Severity], ...] = ()

    def __repr__(self) -> str:
        return f"<verdict on {self.path!r}: {self.status}, {plural(len(self.findings), 'finding')}>"

    def entry(self) -> dict[str, object]:
        """The verdict in what JSON has: an element of the list that `weightmap validate --json` prints."""
        names = ("name", "type", "shape", "status")
        parts = ("name", "scheme", "shape", "status")
        entry: dict[str, object] = plain(
            {
                "path": self.path,
                "format": self.format,
                "status": str(self.status),
                "findings": [finding_entry(finding) for finding in self.findings],
                "tensors": [dict(zip(names, tensor, strict=True)) for tensor in self.tensors],
                "composed": [dict(zip(parts, weight, strict=True)) for weight in self.composed],
            }
        )
        return entry


def validate(
    model: str | os.PathLike[str] | WeightFile,
    *,
    values: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Verdict:
    """Judge a model, given by its path or open already. What cannot be opened is a verdict like any other.

    values    also look at every value, for NaN, Inf and tensors of zeros
    progress  called with (bytes looked at, bytes to look at); returning False raises Cancelled
    threads   at most this many; None takes WEIGHTMAP_THREADS, else the cores that the process may use
    """
    path = model.path if isinstance(model, WeightFile) else os.fsdecode(os.fspath(model))
    with telemetry.span("validate", path=path, values=values) as span:
        if isinstance(model, WeightFile):
            found = _judged(model, values, progress, threads)
        else:
            found = _judged_at(path, values, progress, threads)
        span.set(status=found.status, findings=len(found.findings), bytes=found.nbytes)
        for one in found.findings:
            telemetry.finding_made(one.code, one.severity)
        return found


def _judged_at(path: str, values: bool, progress: Progress | None, threads: int | None) -> Verdict:
    try:
        with WeightFile(Opened(path)) as opened:
            return _judged(opened, values, progress, threads)
    except WeightFileError as problem:
        return Verdict(shown(path), None, Severity.ERROR, (problem.finding,))


def _judged(model: WeightFile, values: bool, progress: Progress | None, threads: int | None) -> Verdict:
    late = _scan(model, progress, threads) if values else ()
    findings = _told_once(model) if values and not late else model.findings + late
    tensors = tuple((t.name, t.type.name, t.shape, t.status) for t in model.records)
    composed = tuple((w.name, w.scheme, w.shape, w.status) for w in _composed(model))
    nbytes = sum(part.size or 0 for part in model.parts)
    files = tuple(part.path for part in model.parts)
    return Verdict(model.path, model.format, worst(findings), findings, tensors, nbytes, files, composed)


def _scan(model: WeightFile, progress: Progress | None, threads: int | None) -> tuple[Finding, ...]:
    """Look at every value that can be read, of composed weights as well as of their tensors; returns what went wrong
    meanwhile (a file that changed, a failing disk).
    """
    every: list[Tensor | Composed] = [*model.records, *_composed(model)]
    readable = [one for one in every if one.problem is None]
    total, done = sum(one.nbytes for one in readable), 0
    for one in readable:
        try:
            one.check_values(progress=_share_of(progress, one, done, total), threads=threads)
        except WeightFileError as problem:
            return (problem.finding,)
        done += one.nbytes
    return ()


def _told_once(model: WeightFile) -> tuple[Finding, ...]:
    """The findings, of what has one cause once instead of for each tensor and weight that it reaches."""
    from weightmap.checks.told_once import told_once  # not for who asks for no values

    said, opened = model.opened.structure(), model.opened
    made_of = {weight.name: weight.sources for weight in _composed(model)}
    try:
        return told_once(opened.layout, opened.sources, said, model.findings[len(said) :], made_of)
    except WeightFileError as problem:
        return (*model.findings, problem.finding)


def _share_of(progress: Progress | None, one: Tensor | Composed, before: int, total: int) -> Progress | None:
    """Progress of one tensor as progress of the whole pass."""
    if progress is None:
        return None
    return lambda part, of: progress(before + (part * one.nbytes // of if of else 0), total)


def _composed(model: WeightFile) -> tuple[Composed, ...]:
    """The composed weights; none where the file changed before they were looked for, which the scan says."""
    try:
        return tuple(model.composed.values())
    except WeightFileError:
        return ()
