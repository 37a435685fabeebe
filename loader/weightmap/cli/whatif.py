"""`weightmap whatif`: what a tensor would lose in other types, really encoded and decoded."""

from __future__ import annotations

import argparse
from typing import Literal

import weightmap
from weightmap.cli import output, text
from weightmap.cli.choice import add_reading, kind, named, read_as, types_named
from weightmap.cli.output import Refusal
from weightmap.cli.progress import ProgressLine
from weightmap.errors import WeightFileError, printable

_HEADS = ("type", "bits/weight", "rel. error", "SQNR dB", "rmse", "max", "")
_WEIGHTED = ("type", "bits/weight", "rel. error", "weighted", "SQNR dB", "rmse", "max", "")
_REFUSED = {TypeError: "not_quantizable", ValueError: "no_weights"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("whatif", help="what a tensor would lose in other types")
    parser.add_argument("path", metavar="PATH", help="a weight file, an index, a folder with one model, or an address")
    parser.add_argument("--tensor", metavar="NAME", required=True, help="the tensor to encode")
    parser.add_argument("--types", metavar="A,B", help="only these types, separated by commas (default: all)")
    parser.add_argument(
        "--imatrix", metavar="FILE", help="an importance matrix: errors weighted by it, and types made with one alone"
    )
    parser.add_argument(
        "--sample", metavar="N", type=_sample, help="try 1 of every N rows; fast chooses N for a first answer"
    )
    add_reading(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a row per type, the one with the most bits per weight first, and for those that cannot be had the reason."""
    types = types_named(arguments.types, [known.name for known in weightmap.whatif_types()])
    with weightmap.open(arguments.path) as model:
        read_as(arguments.reading, model)
        tensor = named(model, arguments.tensor)
        with ProgressLine(f"encoding {tensor.name}") as line:
            try:
                rows = weightmap.whatif(
                    tensor, types, imatrix=arguments.imatrix, sample=arguments.sample, progress=line
                )
            except WeightFileError:
                raise
            except (TypeError, ValueError) as problem:
                code = _REFUSED[type(problem)]
                message = f"{str(problem.args[0]).rstrip('.')}."
                raise Refusal(code, message, path=model.path, tensor=tensor.name, status=2) from None
        heading = f"{printable(tensor.name)}  {text.shape(tensor.shape)}, stored as {kind(tensor)}"
    weighted = arguments.imatrix is not None
    if arguments.json:
        output.document([row.to_json(weighted) for row in rows])
    else:
        part = next((f"; a sample: {row.sampled}" for row in rows if row.sampled is not None), "")
        heads = _WEIGHTED if weighted else _HEADS
        table = text.table(heads, [_row(row, weighted) for row in rows], right=range(1, len(heads) - 1))
        output.write(f"{heading}{part}\n\n{table}")
    return 0


def _sample(typed: str) -> int | Literal["fast"]:
    """What --sample was given. argparse tells the user where it is neither."""
    if typed == "fast":
        return "fast"
    if not typed.isdecimal() or int(typed) < 1:
        raise argparse.ArgumentTypeError(f"{printable(typed)} is neither a number of rows nor fast")
    return int(typed)


def _row(row: weightmap.WhatIf, weighted: bool) -> tuple[str, ...]:
    numbers = [row.relative_rmse, *([row.weighted_relative_rmse] if weighted else [])]
    numbers += [row.sqnr_db, row.rmse, row.max_abs_error]
    notes = [row.problem] if row.problem is not None else []
    notes += ["steered by the matrix"] if row.steered else []
    notes += ["identical"] if row.identical else []
    notes += [f"{row.nonfinite:,} NaN or Inf left out"] if row.nonfinite else []
    shown = ["-" if number is None else f"{number:.4g}" for number in numbers]
    return (row.type, f"{row.bits_per_weight:.4g}", *shown, "; ".join(notes))
