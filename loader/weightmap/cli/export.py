"""`weightmap export`: the values of one tensor as a .npy or .csv file, written piece by piece."""

from __future__ import annotations

import argparse
import os
from typing import Literal

import weightmap
from weightmap.cli import output, text
from weightmap.cli.choice import add_reading, named, read_as
from weightmap.cli.files import is_device, refuse_input, refuse_place, whole_file
from weightmap.cli.progress import ProgressLine
from weightmap.errors import printable


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("export", help="the values of one tensor as a .npy or .csv file")
    parser.add_argument("path", metavar="PATH", help="a weight file, an index, a folder with one model, or an address")
    parser.add_argument("tensor", metavar="TENSOR", help="the tensor's name, or that of a weight that lies in several")
    parser.add_argument(
        "out",
        metavar="OUT.npy",
        help="the file to write, as CSV where its name ends in .csv; one that is there is replaced once all is written",
    )
    parser.add_argument(
        "--stored", action="store_true", help="the tensor as it is stored: of a quantized weight its codes"
    )
    add_reading(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file whole or not at all."""
    with weightmap.open(arguments.path) as model:
        read_as(arguments.reading, model)
        tensor = named(model, arguments.tensor, stored=arguments.stored)
        refuse_input(model, arguments.out)
        refuse_place(arguments.out)
        kind = _kind(arguments.out)
        with ProgressLine(f"writing {arguments.out}") as line, whole_file(arguments.out) as file:
            dtype = weightmap.write_values(tensor, file, kind, progress=line)
    if arguments.json:
        output.document({"path": arguments.out, "tensor": tensor.name, "dtype": dtype.name, "shape": tensor.shape})
    elif not is_device(arguments.out):  # such as /dev/stdout, where a line would end up among the values
        what = f"{printable(tensor.name)}, {text.shape(tensor.shape)} of {dtype.name}"
        output.write(f"{printable(arguments.out)}: {what}, {text.size(os.stat(arguments.out).st_size)}\n")
    return 0


def _kind(out: str) -> Literal["npy", "csv"]:
    """What to write, by the ending of the name; a device or a pipe, which has none, takes .npy."""
    ending = os.path.splitext(out)[1].lower()
    if ending == ".csv":
        return "csv"
    if ending != ".npy" and not is_device(out):
        message = f"{printable(out)} ends neither in .npy nor in .csv, the two that can be written."
        raise output.Refusal("export_format", message, path=out, status=2)
    return "npy"
