"""The ranked table in HTML: a row for each pair, with a bar for its error and a tick for the usual one."""

from __future__ import annotations

from collections.abc import Sequence

from weightmap.comparison import PairError
from weightmap.report import tables
from weightmap.report.marks import name, sign, text
from weightmap.report.record import Report
from weightmap.report.sentences import EXACT

FIRST = 40  # rows in sight; the others unfold
_NUMBERS = {"Weighted", "× expected", "SQNR", "Largest", "Bytes"}


def ranking(report: Report, rows: Sequence[PairError]) -> str:
    """The table, folded after the first of the rows that differ."""
    if not rows:
        return ""
    longest = _longest(rows)
    differing = [pair for pair in rows if not pair.identical]
    first, rest = differing[:FIRST], [*differing[FIRST:], *(pair for pair in rows if pair.identical)]
    page = _table(report, first, longest) if first else ""
    if rest:
        same = all(pair.identical for pair in rest)
        words = f"{len(rest):,} identical" if same else f"{len(rest):,} more"
        page += f"<details><summary>{words}</summary>{_table(report, rest, longest)}</details>"
    return page


def _table(report: Report, rows: Sequence[PairError], longest: float) -> str:
    cells = "".join(
        f'<th class="n">{head}</th>' if head in _NUMBERS else f"<th>{head}</th>" for head in tables.heads(report)
    ).replace("<th>Relative error</th>", '<th class="n">Relative error</th><th><b></b> expected</th>')
    body = "".join(_row(report, pair, longest) for pair in rows)
    head = f"<thead><tr><th></th><th>Tensor</th>{cells}</tr></thead>"
    return f'<div class="box wide"><table>{head}<tbody>{body}</tbody></table></div>'


def _row(report: Report, pair: PairError, longest: float) -> str:
    heads = tables.heads(report)
    cells = []
    for head, cell in zip(heads, tables.row(pair, report.comparison.imatrix is not None), strict=True):
        if head == "Relative error":
            cells.append(f'<td class="n">{text(cell)}</td><td>{_meter(pair, longest)}</td>')
        else:
            cells.append(f'<td class="n">{text(cell)}</td>' if head in _NUMBERS else f"<td>{text(cell)}</td>")
    status = tables.status_of(pair)
    said = name(pair.tensor)
    if pair.note is not None and status in ("ok", "same", ""):
        said += f'<div class="quiet">{text(pair.note)}</div>'
    return f"<tr><td>{sign(status) if status else ''}</td><td>{said}</td>{''.join(cells)}</tr>"


def _longest(rows: Sequence[PairError]) -> float:
    """The error that fills a bar: room for what is usual and for most of what is not."""
    usual = [pair.usual for pair in rows if pair.usual is not None and not pair.identical]
    errors = sorted(pair.relative_rmse for pair in rows if pair.relative_rmse is not None and not pair.identical)
    if not errors:
        return 1.0
    return max(2.5 * max(usual, default=0.0), errors[int(0.9 * (len(errors) - 1))], 1e-12)


def _meter(pair: PairError, longest: float) -> str:
    """A bar as long as the error, with a tick where it usually ends; one that is longer than the scale ends in a point."""
    if pair.identical or pair.relative_rmse is None:
        return ""
    kind = pair.verdict if pair.verdict in ("worse", "wrong") else ""
    beyond = " beyond" if pair.relative_rmse > longest else ""
    share = min(pair.relative_rmse / longest, 1.0) * 100
    tick = ""
    if pair.usual is not None and pair.usual >= EXACT:
        tick = f'<b style="left:{min(pair.usual / longest, 1.0) * 100:.1f}%"></b>'
    return f'<div class="meter"><i class="{kind}{beyond}" style="width:{share:.1f}%"></i>{tick}</div>'
