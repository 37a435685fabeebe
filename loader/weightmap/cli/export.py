"""`weightmap export`: the values of one tensor as a .npy file, written piece by piece."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

import weightmap
from weightmap.cli import output, text
from weightmap.cli.choice import named
from weightmap.cli.files import is_device, refuse_input, whole_file
from weightmap.cli.progress import ProgressLine
from weightmap.errors import printable

_PIECE = 1 << 20  # elements decoded at a time

Place = tuple[int | slice, ...]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("export", help="the values of one tensor as a .npy file")
    parser.add_argument("path", metavar="PATH", help="a weight file, an index, a folder with one model, or an address")
    parser.add_argument("tensor", metavar="TENSOR", help="the tensor's name, or that of a weight that lies in several")
    parser.add_argument(
        "out", metavar="OUT.npy", help="the file to write; one that is there is replaced once all is written"
    )
    parser.add_argument(
        "--stored", action="store_true", help="the tensor as it is stored: of a quantized weight its codes"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file whole or not at all."""
    with weightmap.open(arguments.path) as model:
        tensor = named(model, arguments.tensor, stored=arguments.stored)
        refuse_input(model, arguments.out)
        dtype = stored_dtype(tensor)
        with ProgressLine(f"writing {arguments.out}") as line, whole_file(arguments.out) as file:
            write_npy(file, tensor, dtype, line)
    if arguments.json:
        output.document({"path": arguments.out, "tensor": tensor.name, "dtype": dtype.name, "shape": tensor.shape})
    elif not is_device(arguments.out):  # such as /dev/stdout, where a line would end up among the values
        what = f"{printable(tensor.name)}, {text.shape(tensor.shape)} of {dtype.name}"
        output.write(f"{printable(arguments.out)}: {what}, {text.size(os.stat(arguments.out).st_size)}\n")
    return 0


def stored_dtype(tensor: weightmap.Tensor | weightmap.Composed) -> np.dtype[Any]:
    """The dtype that is written: that of the values in this machine's byte order; float32 for what .npy has no dtype for."""
    dtype: np.dtype[Any] = tensor[tuple(slice(0, 1) for _ in tensor.shape) or ...].dtype
    plain = dtype.isbuiltin == 1 or not dtype.isnative  # bfloat16 and float8 come from a package of their own
    return dtype.newbyteorder("=") if plain else np.dtype(np.float32)


def write_npy(
    file: BinaryIO, tensor: weightmap.Tensor | weightmap.Composed, dtype: np.dtype[Any], progress: ProgressLine
) -> None:
    """Write header and values in C order, at most `_PIECE` elements (or one row of the last axis) in memory at a time."""
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": tensor.shape}
    np.lib.format.write_array_header_1_0(file, header)
    done = 0
    for place in pieces(tensor.shape):
        values = np.asarray(tensor[place or ...], dtype=dtype)
        file.write(np.ascontiguousarray(values).data)
        done += values.size
        progress(done, tensor.count)


def pieces(shape: tuple[int, ...], limit: int = _PIECE) -> Iterator[Place]:
    """Places that cover an array in C order, each with at most `limit` elements."""
    if not math.prod(shape):
        return
    if not shape:
        yield ()
        return
    beneath = math.prod(shape[1:])
    if beneath > limit:
        for index in range(shape[0]):
            for place in pieces(shape[1:], limit):
                yield (index, *place)
        return
    step = limit // beneath
    for start in range(0, shape[0], step):
        yield (slice(start, min(start + step, shape[0])),)
