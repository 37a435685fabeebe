"""`weightmap bench`: how fast this machine opens, decodes and measures, beside the other packages that read such files."""

from __future__ import annotations

import argparse

from weightmap.cli import output, text
from weightmap.cli.choice import types_named
from weightmap.cli.progress import ProgressLine
from weightmap.errors import printable

_HEADS = ("what", "type", "weightmap", "unit", "peer", "peer's", "ratio", "")
_SCALES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("bench", help="how fast this machine reads weights, beside other packages")
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="files or models (default: generated files of every type)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small files and few rounds: a first look in under a minute"
    )
    parser.add_argument("--types", metavar="A,B", help="only these stored types, separated by commas")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a row per figure and peer. Only the ratios mean something on another machine."""
    from weightmap.bench import samples  # none of this is wanted by another command
    from weightmap.bench.run import bench

    types = types_named(arguments.types, [kind.name for kind in samples.types()])
    with ProgressLine("measuring") as line:
        report = bench(arguments.paths, quick=arguments.quick, types=types, progress=line)
    if arguments.json:
        output.document(report.to_json())
        return 0
    machine = report.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    head = (
        f"{machine['processor']}, {text.plural(machine['threads'], 'thread')}, Python {machine['python']}, {versions}\n"
    )
    page = printable(head.strip()) + "\n"
    for file in dict.fromkeys(row.file for row in report.rows):
        rows = [_row(row) for row in report.rows if row.file == file]
        page += f"\n{'generated files' if file is None else printable(file)}\n"
        page += text.table(_HEADS, rows, right=(2, 5, 6), indent="  ")
    page += "\nMedians of interleaved rounds. A ratio above 1 says how many times as fast as the peer weightmap is.\n"
    if report.absent:
        page += f"Not installed, so not compared with: {', '.join(report.absent)}.\n"
    output.write(page)
    return 0


def _row(row: object) -> tuple[str, ...]:
    from weightmap.bench.rows import Row

    assert isinstance(row, Row)
    ratio = "" if row.ratio is None else f"{row.ratio:.3g}x"
    product, peer = _figure(row.product, row.unit), _figure(row.peer_product, row.unit)
    return (row.what, row.type or "", product, row.unit, row.peer or "", peer, ratio, printable(row.note or ""))


def _figure(number: float | None, unit: str) -> str:
    """Four digits that count; what is counted by the second in thousands, millions or billions where it is large."""
    if number is None:
        return ""
    if not unit.endswith("/s"):
        return f"{number:.4g}" if number < 1000 else f"{number:,.0f}"
    for factor, letter in _SCALES:
        if number >= factor:
            return f"{number / factor:.4g} {letter}"
    return f"{number:.4g}"
