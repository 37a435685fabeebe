"""`weightmap verify`: whether a model is, byte for byte, the one that a manifest was made of."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

import weightmap
from weightmap.cli import output, text, verdict
from weightmap.cli.progress import ProgressLine
from weightmap.cli.several import each, entry, models_of, tell
from weightmap.errors import error, printable
from weightmap.findings import Severity, finding
from weightmap.source.address import is_url


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("verify", help="compare a model with checksums")
    parser.add_argument(
        "path", metavar="PATH", help="a weight file, an index, or a folder whose models are all compared"
    )
    parser.add_argument(
        "manifest",
        metavar="MANIFEST",
        nargs="?",
        help="a manifest of `weightmap digest`, a list of sha256sum or gguf-hash, a Git LFS pointer or a folder of them, a "
        "manifest of Ollama; left out, checksums are looked for beside the model, in its blob's name and its metadata",
    )
    parser.add_argument(
        "--cached", action="store_true", help="believe checksums that `digest` worked out for exactly this content"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Say what differs; 1 where anything does."""
    if (manifest := arguments.manifest) is not None and not is_url(manifest) and not os.path.lexists(manifest):
        # said once and at once, not of every model in turn
        raise error(finding("not_found", "There is no such manifest.", path=manifest, advice="Check the path."))
    with ProgressLine("looking for models") as line:
        models = models_of([arguments.path], line)

        def compared(path: str) -> weightmap.Verification:
            return weightmap.verify(path, arguments.manifest, strict=False, cached=arguments.cached, progress=line)

        if len(models) > 1:
            return _several(models, compared, line, arguments.json)
        line.title = f"reading {arguments.path}"
        found = compared(arguments.path)
    if arguments.json:
        output.document(found.entry())
    else:
        output.write(_page(found, arguments.path))
    return verdict.exit_status([found.status])


def _several(
    models: list[str], compared: Callable[[str], weightmap.Verification], line: ProgressLine, as_document: bool
) -> int:
    """The same for all models of a folder: a list of documents, or one page after the other."""
    documents: list[dict[str, object]] = []
    statuses = []
    for path, found in each(models, line, compared):
        line.clear()
        if isinstance(found, weightmap.WeightFileError):
            statuses.append(Severity.ERROR)
            documents.append(entry(path, found))
        else:
            statuses.append(found.status)
            documents.append({"path": path, **found.entry()})
        if not as_document:
            tell(found) if isinstance(found, weightmap.WeightFileError) else output.write(_page(found, path))
    if as_document:
        output.document(documents)
    return verdict.exit_status(statuses)


def _page(found: weightmap.Verification, path: str) -> str:
    parts = [text.plural(len(found.mismatched), "difference")] if found.mismatched else []
    parts += [f"{len(found.missing):,} more cannot be compared"] if found.missing else []
    result = ", ".join(parts) or "as stated"
    sources = ", ".join(printable(source) for source in found.sources)
    head = f"{text.mark(found.status)} {printable(path)}  {text.plural(found.checked, 'checksum')} compared, {result}\n"
    others = f"; {text.plural(found.passed_over, 'other name')} in it passed over" if found.passed_over else ""
    return head + f"    stated by {sources}{others}\n" + verdict.lines(found.findings, path, "    ")
