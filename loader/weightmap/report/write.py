"""Writes a report: HTML or Markdown, as the name of the file says."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from weightmap import api
from weightmap.comparison import Comparison
from weightmap.pairs import Pairs, pair_models
from weightmap.reading.sweep import Progress
from weightmap.report.gather import gathered

WORST = 6
ENDINGS = (".html", ".htm", ".md", ".markdown")


def write_report(
    comparison: Comparison,
    path: api.Path,
    *,
    pairs: Pairs | None = None,
    worst: int = WORST,
    progress: Progress | None = None,
    threads: int | None = None,
) -> None:
    """Write what `compare` found as one file that needs nothing else: HTML with pictures, or Markdown, by the path's ending.

    pairs     the pairs of the same two models, still open; None opens both files once more to draw the worst tensors
    worst     so many tensors are looked at closely
    progress  `progress(done, total)` is called from the calling thread; returning False raises Cancelled

    Raises ValueError for another ending, OSError where it cannot be written, WeightFileError where the files cannot be read.
    """
    target = checked_ending(path)
    if not target.resolve().parent.is_dir():  # before the work that would be lost
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target))
    if not isinstance(comparison, Comparison):
        raise TypeError(f"a report is written of what compare returns; got {type(comparison).__name__}")
    if pairs is None:
        with pair_models(comparison.quantized, comparison.reference) as opened:
            write_report(comparison, path, pairs=opened, worst=worst, progress=progress, threads=threads)
        return
    report = gathered(comparison, pairs, most=worst, progress=progress, threads=threads)
    if target.suffix.lower() in (".md", ".markdown"):
        from weightmap.report.markdown import document
    else:
        from weightmap.report.page import document
    _write_whole(target, document(report))


def _write_whole(target: Path, text: str) -> None:
    """Beside its place first: what stands under the name is the whole report, or what was there before."""
    beside = target.resolve().with_name(f".weightmap-{secrets.token_hex(8)}.part")
    try:
        beside.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        os.replace(beside, target.resolve())
    except OSError as problem:
        with suppress(OSError):
            beside.unlink()
        raise OSError(problem.errno, problem.strerror, str(target)) from problem


def checked_ending(path: api.Path) -> Path:
    """The path, if its ending says what to write. ValueError for another one."""
    target = Path(os.fsdecode(path))
    if target.suffix.lower() not in ENDINGS:
        raise ValueError(f"A report is written as .html or .md; {target.name} is neither.")
    return target
