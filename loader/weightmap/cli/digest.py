"""`weightmap digest`: checksums of a model's files and of every tensor, for people, for programs, or as a manifest."""

from __future__ import annotations

import argparse
import os

import weightmap
from weightmap.cli import output, text, verdict
from weightmap.cli.files import is_device, refuse_input, refuse_place, refuse_weights, whole_file
from weightmap.cli.output import Refusal
from weightmap.cli.progress import ProgressLine
from weightmap.cli.several import each, entry, models_of, tell
from weightmap.errors import printable


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("digest", help="SHA-256 of the files and of every tensor")
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="weight files, indexes, or folders whose models are all taken"
    )
    parser.add_argument(
        "-o",
        dest="out",
        metavar="MANIFEST",
        help="write a manifest of one model for `weightmap verify`; PATH.digest.json is found by itself, - is stdout",
    )
    parser.add_argument("--fresh", action="store_true", help="read every byte, whatever the cache has of this content")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the checksums, or write them; 1 where the bytes of a tensor cannot be told."""
    with ProgressLine("looking for models") as line:
        models = models_of(arguments.paths, line)
    if len(models) > 1:
        return _several(models, arguments)
    [path] = models
    printed = arguments.json or arguments.out == "-"
    out = None if arguments.out == "-" else arguments.out
    with weightmap.open(path) as model:
        if out is not None:
            refuse_input(model, out)
            refuse_weights(out)
            refuse_place(out)
        with ProgressLine(f"reading {path}") as line:
            found = weightmap.digest(model, fresh=arguments.fresh, progress=line)
    if out is not None:
        with whole_file(out) as file:
            file.write(found.manifest().encode("ascii"))
    if printed:
        output.document(found.entry())
    elif out is None:
        output.write(_page(found))
    elif not is_device(out):
        counts = f"{text.plural(len(found.files), 'file')}, {text.plural(len(found.tensors), 'tensor')}"
        output.write(f"{printable(out)}: {counts}\n")
    if found.unreadable and not printed:
        output.write("\n" + verdict.lines(found.unreadable, path))
    return verdict.exit_status(problem.severity for problem in found.unreadable)


def _several(models: list[str], arguments: argparse.Namespace) -> int:
    """The same for more than one model: a list of documents, or one page after the other, as one list of sha256sum."""
    if arguments.out not in (None, "-"):
        message = f"-o writes the manifest of one model; these are {len(models):,}."
        raise Refusal("several_models", message, path=arguments.out, status=2)
    printed = arguments.json or arguments.out == "-"
    documents, failed = [], False
    with ProgressLine("") as line:
        for path, found in each(
            models, line, lambda path: weightmap.digest(path, fresh=arguments.fresh, progress=line)
        ):
            if isinstance(found, weightmap.WeightFileError):
                failed = True
                documents.append(entry(path, found))
            else:
                failed |= bool(found.unreadable)
                documents.append({"path": path, **found.entry()})
            if not printed:
                line.clear()
                _show(path, found)
    if printed:
        output.document(documents)
    return int(failed)


def _show(path: str, found: weightmap.Digest | weightmap.WeightFileError) -> None:
    if isinstance(found, weightmap.WeightFileError):
        tell(found)
        return
    output.write(f"# {printable(path)}\n{_page(found, path if os.path.isdir(path) else os.path.dirname(path))}\n")
    if found.unreadable:
        output.write(verdict.lines(found.unreadable, path) + "\n")


def _page(found: weightmap.Digest, folder: str = "") -> str:
    """Files as a list of sha256sum has them, named from their own folder or with this one in front, and tensors below: comments
    to `verify` and `sha256sum -c`, which take it, too.
    """
    names = {name: os.path.join(folder, name) for name in found.files}
    files = "".join(
        f"{file.sha256}  {printable(names[name] if os.path.exists(names[name]) else name)}\n"
        for name, file in found.files.items()
    )
    tensors = "".join(f"# {checksum}  {printable(name)}\n" for name, checksum in found.tensors.items())
    return files + (f"\n# {text.plural(len(found.tensors), 'tensor')}:\n{tensors}" if tensors else "")
