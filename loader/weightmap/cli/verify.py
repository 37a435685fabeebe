"""`weightmap verify`: whether a model is, byte for byte, the one that a manifest was made of."""

from __future__ import annotations

import argparse

import weightmap
from weightmap.cli import output, text, verdict
from weightmap.cli.progress import ProgressLine
from weightmap.errors import printable


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("verify", help="compare a model with checksums")
    parser.add_argument("path", metavar="PATH", help="a weight file, an index, or a folder with one model")
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
    with ProgressLine(f"reading {arguments.path}") as line:
        found = weightmap.verify(
            arguments.path, arguments.manifest, strict=False, cached=arguments.cached, progress=line
        )
    if arguments.json:
        output.document(found.entry())
    else:
        output.write(_page(found, arguments.path))
    return verdict.exit_status([found.status])


def _page(found: weightmap.Verification, path: str) -> str:
    parts = [text.plural(len(found.mismatched), "difference")] if found.mismatched else []
    parts += [f"{len(found.missing):,} more cannot be compared"] if found.missing else []
    result = ", ".join(parts) or "as stated"
    sources = ", ".join(printable(source) for source in found.sources)
    head = f"{text.mark(found.status)} {printable(path)}  {text.plural(found.checked, 'checksum')} compared, {result}\n"
    others = f"; {text.plural(found.passed_over, 'other name')} in it passed over" if found.passed_over else ""
    return head + f"    stated by {sources}{others}\n" + verdict.lines(found.findings, path, "    ")
