"""`weightmap validate`: whether files are sound, one verdict per model."""

from __future__ import annotations

import argparse

from weightmap.cli import junit, output, sarif, text, verdict
from weightmap.cli.crews import add_options, crew_of
from weightmap.cli.judging import verdicts_of
from weightmap.cli.progress import ProgressLine
from weightmap.errors import printable
from weightmap.findings import Severity
from weightmap.validation import Verdict


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser("validate", help="whether files are sound")
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="files, addresses, or folders whose models are all checked"
    )
    parser.add_argument(
        "--values", action="store_true", help="also look at every value and scale for NaN, Inf and lost pieces"
    )
    parser.add_argument("--notes", action="store_true", help="list what is worth knowing of healthy files, too")
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="name only models that are not sound; of several, the last line counts all",
    )
    parser.add_argument(
        "--fail-on",
        choices=("warning", "error"),
        default="error",
        help="from which severity on the exit status is 1 (default: error)",
    )
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", dest="format", action="store_const", const="json", help="print one JSON document")
    formats.add_argument("--format", choices=("json", "junit", "sarif"), help="print a document for programs")
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check every model that the paths stand for. What cannot be opened is an entry like any other."""
    fail_on = Severity(arguments.fail_on)
    with ProgressLine("looking for models") as line, crew_of(arguments) as crew:
        verdicts = []
        for found in verdicts_of(arguments.paths, arguments.values, line, crew):
            if arguments.format is None and not (arguments.quiet and _shown(found.status) is Severity.OK):
                line.clear()
                output.write(_lines(found, arguments.notes))
            verdicts.append(found)
    if arguments.format == "json":
        output.document([found.entry() for found in verdicts])
    elif arguments.format == "junit":
        output.write(junit.document(((v.path, v.findings) for v in verdicts), fail_on))
    elif arguments.format == "sarif":
        output.document(sarif.document((v.path, v.findings) for v in verdicts))
    elif len(verdicts) > 1:
        output.write(_summary(verdicts))
    return verdict.exit_status((found.status for found in verdicts), fail_on)


def _lines(found: Verdict, notes: bool) -> str:
    """One line for a healthy model, however many notes there are; what is wrong follows, and the notes where asked for."""
    said = [one for one in found.findings if one.severity is not Severity.INFO]
    number = len(found.findings) - len(said)
    facts = []
    if found.format is not None:
        facts = [found.format, text.plural(len(found.tensors), "tensor"), text.size(found.nbytes)]
    facts += [text.plural(number, "note")] if number else []
    head = f"{text.mark(_shown(found.status))} {printable(found.path)}{'  ' if facts else ''}{', '.join(facts)}\n"
    return head + verdict.lines(found.findings if notes else said, found.path, "    ")


def _shown(status: Severity) -> Severity:
    """A model of which there are only notes is a healthy one."""
    return Severity.OK if status is Severity.INFO else status


def _summary(verdicts: list[Verdict]) -> str:
    counts = [(status, sum(_shown(v.status) == status for v in verdicts)) for status in Severity]
    parts = ", ".join(f"{count:,} {text.coloured(status, status)}" for status, count in counts if count)
    return f"{text.plural(len(verdicts), 'model')}: {parts}\n"
