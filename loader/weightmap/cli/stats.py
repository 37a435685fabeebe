"""`weightmap stats`: exact statistics and a histogram of every tensor, or of those that are named."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import weightmap
from weightmap.cli import output, text, verdict
from weightmap.cli.choice import add_reading, kind, matching, read_as
from weightmap.cli.histogram import histogram
from weightmap.cli.progress import ProgressLine
from weightmap.errors import WeightFileError
from weightmap.measure.binning import MOST_BINS

_MEASURES = ("count", "min", "max", "mean", "std", "zeros", "nan", "inf")
_BINS = 256
_HEADS = ("tensor", "type", "count", "min", "max", "mean", "std", "zeros", "NaN", "Inf")


Weight = weightmap.Tensor | weightmap.Composed
Row = tuple[dict[str, Any], WeightFileError | None]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("stats", help="exact statistics and histograms of the values")
    parser.add_argument("path", metavar="PATH", help="a weight file, an index, a folder with one model, or an address")
    parser.add_argument(
        "--tensor",
        metavar="NAME",
        action="append",
        help="only this tensor, or those that a pattern such as 'blk.7.attn*' fits; may be given several times",
    )
    parser.add_argument(
        "--stored", action="store_true", help="tensors as they are stored: of quantized weights the codes and scales"
    )
    add_reading(parser)
    parser.add_argument(
        "--bins",
        metavar="N",
        type=_bins,
        help=f"draw each histogram in N bars; with --json its bins (default: {_BINS})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document, with the histograms")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one row per tensor. Asked for by name an unreadable tensor ends the command; else it is a row that says why."""
    with weightmap.open(arguments.path) as model:
        read_as(arguments.reading, model)
        chosen: list[Weight] = list(model.records) if arguments.stored else list(model.weights.values())
        if arguments.tensor:
            chosen = matching(model, arguments.tensor, stored=arguments.stored)
        by_name = {weight.name for weight in chosen} <= set(arguments.tensor or ())
        entries = _measured(chosen, arguments.bins or _BINS, strict=by_name)
    if arguments.json:
        output.document([entry for entry, _ in entries])
    else:
        output.write(_page(entries, drawn=arguments.bins is not None))
    return verdict.exit_status(problem.finding.severity for _, problem in entries if problem)


def _measured(tensors: Sequence[Weight], bins: int, *, strict: bool) -> list[Row]:
    total = sum(tensor.count for tensor in tensors)
    done = 0
    entries: list[Row] = []
    with ProgressLine("reading values") as line:
        for tensor in tensors:
            line.title = tensor.name
            try:
                entries.append((_entry(tensor, bins, line, done, total), None))
            except WeightFileError as problem:
                if strict:
                    raise
                entries.append((_unreadable(tensor, problem), problem))
            done += tensor.count
    return entries


def _entry(tensor: Weight, bins: int, line: ProgressLine, before: int, total: int) -> dict[str, Any]:
    def progress(done: int, of: int) -> bool:
        return line(before + (done * tensor.count // of if of else 0), total)

    found = tensor.statistics(bins, progress=progress)
    names = ("count", "min", "max", "mean", "std", "nan", "inf", "zeros", "exact")
    histogram = {"edges": found.histogram.edges, "counts": found.histogram.counts}
    measures = {name: getattr(found, name) for name in names}
    return {"tensor": tensor.name, "type": kind(tensor)} | measures | {"histogram": histogram}


def _unreadable(tensor: Weight, problem: WeightFileError) -> dict[str, Any]:
    nothing = dict.fromkeys(("min", "max", "mean", "std", "nan", "inf", "zeros"))
    head = {"tensor": tensor.name, "type": kind(tensor), "count": tensor.count}
    return head | nothing | {"exact": False, "histogram": None, "error": output.error_entry(problem)}


def _page(entries: Sequence[Row], *, drawn: bool) -> str:
    rows = [
        (text.clipped(entry["tensor"], text.NAME), entry["type"], *(text.value(entry[name]) for name in _MEASURES))
        for entry, _ in entries
    ]
    table = text.table(_HEADS, rows, right=range(2, len(_HEADS)))
    problems = [problem.finding for _, problem in entries if problem]
    if drawn:
        table += "".join("\n" + histogram(entry) for entry, problem in entries if problem is None)
    return table + ("\n" + verdict.lines(problems, None) if problems else "")


def _bins(given: str) -> int:
    number = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0
    if not 1 <= number <= MOST_BINS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_BINS:,}")
    return number
