"""`weightmap digest`: checksums of a model's files and of every tensor, for people, for programs, or as a manifest."""

from __future__ import annotations

import argparse

import weightmap
from weightmap.cli import output, text, verdict
from weightmap.cli.files import is_device, refuse_input, refuse_place, refuse_weights, whole_file
from weightmap.cli.progress import ProgressLine
from weightmap.errors import printable


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("digest", help="SHA-256 of the files and of every tensor")
    parser.add_argument("path", metavar="PATH", help="a weight file, an index, or a folder with one model")
    parser.add_argument(
        "-o",
        dest="out",
        metavar="MANIFEST",
        help="write a manifest for `weightmap verify`; PATH.digest.json is found by itself, - is stdout",
    )
    parser.add_argument("--fresh", action="store_true", help="read every byte, whatever the cache has of this content")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the checksums, or write them; 1 where the bytes of a tensor cannot be told."""
    printed = arguments.json or arguments.out == "-"
    if arguments.out == "-":
        arguments.out = None
    with weightmap.open(arguments.path) as model:
        if arguments.out is not None:
            refuse_input(model, arguments.out)
            refuse_weights(arguments.out)
            refuse_place(arguments.out)
        with ProgressLine(f"reading {arguments.path}") as line:
            found = weightmap.digest(model, fresh=arguments.fresh, progress=line)
    if arguments.out is not None:
        with whole_file(arguments.out) as file:
            file.write(found.manifest().encode("ascii"))
    if printed:
        output.document(found.entry())
    elif arguments.out is None:
        output.write(_page(found))
    elif not is_device(arguments.out):
        counts = f"{text.plural(len(found.files), 'file')}, {text.plural(len(found.tensors), 'tensor')}"
        output.write(f"{printable(arguments.out)}: {counts}\n")
    if found.unreadable and not printed:
        output.write("\n" + verdict.lines(found.unreadable, arguments.path))
    return verdict.exit_status(problem.severity for problem in found.unreadable)


def _page(found: weightmap.Digest) -> str:
    """Files as a list of sha256sum has them, and tensors below: comments to `verify` and `sha256sum -c`, which take it, too."""
    files = "".join(f"{file.sha256}  {printable(name)}\n" for name, file in found.files.items())
    tensors = "".join(f"# {checksum}  {printable(name)}\n" for name, checksum in found.tensors.items())
    return files + (f"\n# {text.plural(len(found.tensors), 'tensor')}:\n{tensors}" if tensors else "")
