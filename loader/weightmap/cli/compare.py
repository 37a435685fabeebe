"""`weightmap compare`: what a quantization cost, tensor by tensor, against the model it was made from."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import weightmap
from weightmap.cli import output, text, verdict
from weightmap.cli.choice import add_reading, read_as
from weightmap.cli.files import refuse_place, unwritable
from weightmap.cli.output import Refusal
from weightmap.cli.progress import ProgressLine
from weightmap.errors import printable
from weightmap.pairs import opened_pairs

_HEADS = ("", "tensor", "type", "bytes", "rel. error", "usual", "SQNR dB", "rmse", "max", "p99")
_RIGHT = range(3, 11)
_MARKS = {"normal": "ok", "worse": "warning", "wrong": "error"}
_MOST = 40  # rows and names shown; --all and --json have them all
_FAR = 1.25  # times the bits of a reference: norms in floats give a model of 16 bits some more than its checkpoint has


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "compare",
        help="the error of a quantized model against its original",
        description="Rows by damage, a tensor's bytes times its relative error: wrong ones first, then those worse than usual.",
    )
    parser.add_argument(
        "path", metavar="QUANTIZED", help="a weight file, an index, a folder with one model, or an address"
    )
    parser.add_argument(
        "reference",
        metavar="REFERENCE",
        help="the model it was made from, of any format; a folder that has it beside others will do",
    )
    parser.add_argument("--imatrix", metavar="FILE", help="an importance matrix: errors weighted by it as well")
    parser.add_argument(
        "--report", metavar="OUT", help="write a report to attach or keep: a file ending in .html or .md"
    )
    add_reading(parser)
    parser.add_argument("--no-guesses", action="store_true", help="pair only tensors whose names are known to match")
    parser.add_argument("--all", action="store_true", help=f"show every row, not only the first {_MOST}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a row per pair, the largest damage first, then what has no pair and why."""
    if arguments.report is not None:
        _check_report(arguments.report)
    with opened_pairs(arguments.path, arguments.reference) as both:
        quantized, reference = both.quantized, both.reference
        read_as(arguments.reading, quantized, reference)
        with ProgressLine(f"comparing {arguments.path}") as line:
            options = {"guesses": not arguments.no_guesses, "imatrix": arguments.imatrix}
            found = weightmap.compare(quantized, reference, progress=line, **options)
        if arguments.report is not None:
            with (
                unwritable(arguments.report),
                _pairs(quantized, reference, arguments) as pairs,
                ProgressLine("writing the report") as line,
            ):
                weightmap.write_report(found, arguments.report, pairs=pairs, progress=line)
        statuses = [quantized.status, reference.status]
        sizes = _Size.of(quantized), _Size.of(reference)
    if arguments.json:
        output.document(found.to_json())
    else:
        written = "" if arguments.report is None else f"\nReport: {printable(arguments.report)}\n"
        output.write(_page(found, sizes, None if arguments.all else _MOST) + written)
    return verdict.exit_status(statuses)


def _pairs(
    quantized: weightmap.WeightFile, reference: weightmap.WeightFile, given: argparse.Namespace
) -> weightmap.Pairs:
    """The pairs once more, to draw the worst of them."""
    return weightmap.pair_models(quantized, reference, guesses=not given.no_guesses)


def _check_report(path: str) -> None:
    """Refuse a report that could not be written, before the work is done."""
    from weightmap.report.write import checked_ending  # rarely asked for

    try:
        checked_ending(path)
    except ValueError as problem:
        raise Refusal("report_format", str(problem), path=path, status=2) from None
    refuse_place(path)


class _Size(NamedTuple):
    """Bytes and number of a model's weights."""

    nbytes: int
    weights: int

    @classmethod
    def of(cls, model: weightmap.WeightFile) -> _Size:
        """That of all weights of a model, each counted once."""
        every = model.weights.values()
        return cls(sum(weight.nbytes for weight in every), sum(weight.count for weight in every))

    @property
    def bits(self) -> float:
        """Bits per weight."""
        return self.nbytes * 8 / self.weights if self.weights else 0.0


def _page(found: weightmap.Comparison, sizes: tuple[_Size, _Size], most: int | None) -> str:
    ranked = found.ranked()
    shown = ranked[:most]
    page = f"{printable(found.quantized)} against {printable(found.reference)}\n{_summary(found)}\n"
    own, other = sizes
    page += f"{text.size(own.nbytes)}, {own.bits:.2f} bits per weight, against {text.size(other.nbytes)}, {other.bits:.2f}\n"
    page += _hint(found, exchanged=own.bits > _FAR * other.bits) + "\n"
    weighted = found.imatrix is not None
    heads = (*_HEADS, *(("weighted",) if weighted else ()), "transform")
    page += text.table(heads, [_row(pair, weighted) for pair in shown], right=_RIGHT[: len(heads) - 4])
    if len(ranked) > len(shown):
        page += f"… and {len(ranked) - len(shown):,} more; --all shows them\n"
    noted = [pair for pair in shown if pair.note is not None]
    if noted:
        page += "\n" + "".join(f"{printable(pair.tensor)}: {printable(pair.note or '')}\n" for pair in noted)
    if weighted:
        page += _importance(found)
    for side, left in zip(("quantized", "reference"), found.left_over, strict=True):
        page += _left(side, left, most)
    return page


def _summary(found: weightmap.Comparison) -> str:
    verdicts = Counter("identical" if pair.identical else pair.verdict or "not judged" for pair in found.pairs)
    parts = [
        f"{verdicts[name]:,} {name}"
        for name in ("identical", "normal", "worse", "wrong", "not judged")
        if verdicts[name]
    ]
    sides = zip(("quantized", "reference"), map(len, found.left_over), strict=True)
    left = " and ".join(f"{count:,} in the {side} model" for side, count in sides if count)
    rest = f"without a counterpart: {left}" if left else "no tensor is left over"
    return f"{text.plural(len(found.pairs), 'pair')}: {', '.join(parts) or 'none'}; {rest}"


def _hint(found: weightmap.Comparison, *, exchanged: bool) -> str:
    """A line where what was given is hardly what was meant; else nothing. `exchanged`: the reference has clearly fewer
    bits.
    """
    if found.quantized == found.reference or _same(found.quantized, found.reference):
        return (
            "Both are the same file, so nothing can differ. The reference is the model that this one was made from.\n"
        )
    if exchanged and not all(pair.identical for pair in found.pairs):
        return (
            "The reference has fewer bits per weight than what is compared with it. If it is the quantized model, exchange "
            "the two.\n"
        )
    if found.pairs:
        return ""
    return (
        "These two have nothing in common: neither names nor values make a pair. Take as reference the model that this one "
        "was made from.\n"
    )


def _same(first: str, second: str) -> bool:
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):
        return False


def _importance(found: weightmap.Comparison) -> str:
    """For how many pairs the importance matrix has weights, and why not for the others: a line per reason."""
    reasons = Counter(pair.weighted_note for pair in found.pairs if pair.weighted_relative_rmse is None)
    weighted = len(found.pairs) - reasons.total()
    page = f"\nWeighted by {printable(found.imatrix or '')}: {weighted:,} of {text.plural(len(found.pairs), 'pair')}\n"
    for reason, count in reasons.most_common():
        why = reason or "There is no error to weigh, or nothing to weigh it against."
        page += f"  {text.plural(count, 'pair')} not: {printable(why)}\n"
    noted = [pair for pair in found.pairs if pair.weighted_note and pair.weighted_relative_rmse is not None]
    return page + "".join(f"  {text.clipped(pair.tensor, 80)}: {pair.weighted_note}\n" for pair in noted)


def _row(pair: weightmap.PairError, weighted: bool) -> tuple[str, ...]:
    mark = "=" if pair.identical else text.mark(_MARKS[pair.verdict]) if pair.verdict else " "
    usual = None if pair.usual is None or pair.usual < 1e-6 else pair.usual
    numbers = [pair.relative_rmse, usual, pair.sqnr_db, pair.rmse, pair.max_abs_error, pair.p99]
    numbers += [pair.weighted_relative_rmse] if weighted else []
    shown = ["-" if number is None else f"{number:.4g}" for number in numbers]
    transform = f"{pair.transform} (guessed)" if pair.guessed else pair.transform
    return (mark, text.clipped(pair.tensor, 60), pair.type, text.size(pair.nbytes), *shown, transform)


def _left(side: str, left: Sequence[weightmap.Unpaired], most: int | None) -> str:
    if not left:
        return ""
    page = f"\nWithout a counterpart, in the {side} model\n"
    page += "".join(f"  {text.clipped(entry.tensor, 80)}: {printable(entry.reason)}\n" for entry in left[:most])
    if most is not None and len(left) > most:
        page += f"  … and {len(left) - most:,} more; --all shows them\n"
    return page
