"""The report as one HTML page: no scripts, nothing fetched from anywhere, every text from files escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weightmap.comparison import PairError
from weightmap.findings import Finding
from weightmap.pairing.tensor_pair import Unpaired
from weightmap.report import tables
from weightmap.report.closely import closely
from weightmap.report.grid_svg import STEPS, cell, grid_svg
from weightmap.report.marks import SYMBOLS, name, sign, text
from weightmap.report.ranking import FIRST, ranking
from weightmap.report.record import Report, Side
from weightmap.report.style import sheet
from weightmap.wording import plural

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def document(report: Report) -> str:
    """The whole page."""
    head = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(report.title)}</title>\n<style>\n{sheet()}</style></head>\n<body>{SYMBOLS}<main>\n"
    )
    sections = (
        _top(report),
        _sides(report),
        _grid(report),
        _table(report),
        _worst(report),
        _unpaired(report),
        _terms(report),
    )
    foot = f"<footer>{text(report.made)}. Every number is exact: all values were compared, none sampled.</footer>"
    return head + "\n".join(section for section in sections if section) + f"\n{foot}\n</main></body></html>\n"


def _top(report: Report) -> str:
    chips = "".join(
        f'<span class="chip">{sign(status, word) if status else ""}{many:,} {word}</span>'
        for status, word, many in tables.counts(report.comparison)
    )
    return (
        '<header><p class="quiet">What a quantization cost, tensor by tensor</p>'
        f"<h1>{text(report.quantized.name)}</h1>"
        f'<p class="quiet">measured against {text(report.reference.name)}</p>'
        f'<div class="lead">{sign(report.status)}<span>{text(report.headline)}</span></div>'
        + f"<p>{' '.join(text(sentence) for sentence in report.summary)}</p>"
        + f'<div class="chips">{chips}</div></header>'
    )


def _sides(report: Report) -> str:
    both = _side("This file", report.quantized) + _side("Reference", report.reference)
    return f'<section><h2>The files</h2><div class="two">{both}</div></section>'


def _side(title: str, side: Side) -> str:
    rows = "".join(f"<tr><th>{label}</th><td>{text(said)}</td></tr>" for label, said in tables.facts(side))
    return f'<div class="box"><h3>{title}</h3><table class="facts">{rows}{_findings(side)}</table></div>'


def _findings(side: Side) -> str:
    shown = [_finding(found) for found in side.findings[: tables.MOST_FINDINGS]]
    if not shown:
        shown.append(f"{sign('ok', 'no problems')} no problems")
    elif len(side.findings) > len(shown):
        shown.append(f"… and {len(side.findings) - len(shown):,} more")
    return f"<tr><th>Findings</th><td>{'<br>'.join(shown)}</td></tr>"


def _finding(found: Finding) -> str:
    where = "" if found.tensor is None else f"<code>{name(found.tensor)}</code>: "
    return f"{sign(str(found.severity), str(found.severity))} {where}{text(found.message)}"


def _grid(report: Report) -> str:
    grid, picture = report.grid, grid_svg(report.grid)
    if not picture and not grid.single:
        return ""
    shades = "".join(f'<i class="c{step}"></i>' for step in range(STEPS))
    notes = []
    if grid.single:
        notes.append('<div class="chips">' + "".join(_single(pair) for pair in grid.single) + "</div>")
    if grid.quiet:
        notes.append(
            f'<p class="quiet">Identical in all layers: {", ".join(name(role) for role in grid.quiet[:30])}.</p>'
        )
    if grid.left_out:
        notes.append(f'<p class="quiet">{plural(grid.left_out, "tensor")} found no room here; the table has them.</p>')
    legend = f'normal<span class="shades">{shades}</span>5 × and more'
    return (
        '<section><h2>Layers × roles</h2><div class="box">'
        f'<p class="quiet">Error of each tensor over what its type usually leaves: {legend}</p>'
        f'<div class="wide">{picture}</div>{"".join(notes)}</div></section>'
    )


def _single(pair: PairError) -> str:
    return (
        f'<span class="chip">{name(pair.tensor.removesuffix(".weight"))} '
        f'<svg class="grid" width="74" height="24" viewBox="0 0 74 24">{cell(pair, 0, 1, 74)}</svg></span>'
    )


def _table(report: Report) -> str:
    rows = report.ranked[: tables.MOST_ROWS]
    if not rows:
        return ""
    more = len(report.ranked) - len(rows)
    note = f'<p class="quiet">… and {plural(more, "tensor")} more.</p>' if more else ""
    return f"<section><h2>Every tensor, the largest damage first</h2>{ranking(report, rows)}{note}</section>"


def _worst(report: Report) -> str:
    if not report.worst:
        return ""
    title = "Looked at closely" if len(report.worst) > 1 else "The tensor that differs"
    return f"<section><h2>{title}</h2>{''.join(closely(worst) for worst in report.worst)}</section>"


def _unpaired(report: Report) -> str:
    found = report.comparison
    sides = zip(("In this file", "In the reference"), found.left_over, strict=True)
    lists = "".join(_left(title, left) for title, left in sides if left)
    return f"<section><h2>Without a counterpart</h2>{lists}</section>" if lists else ""


def _left(title: str, left: Sequence[Unpaired]) -> str:
    rows = [f"<tr><td>{name(e.tensor)}</td><td>{text(e.reason)}</td></tr>" for e in left[: tables.MOST_ROWS]]
    more = len(left) - len(rows)
    note = f'<p class="quiet">… and {more:,} more.</p>' if more else ""
    table = "<table><thead><tr><th>Tensor</th><th>Likely reason</th></tr></thead><tbody>{}</tbody></table>"
    page = table.format("".join(rows[:FIRST]))
    if rest := rows[FIRST:]:
        page += f"<details><summary>{len(rest):,} more</summary>{table.format(''.join(rest))}{note}</details>"
    return f'<div class="box"><h3>{title} ({len(left):,})</h3>{page}</div>'


def _terms(report: Report) -> str:
    terms: Iterable[tuple[str, str]] = tables.TERMS
    if report.comparison.imatrix is not None:
        terms = (*tables.TERMS, tables.WEIGHTED)
    said = "".join(f"<dt>{term}</dt><dd>{text(meaning)}</dd>" for term, meaning in terms)
    return f"<section><h2>What the numbers mean</h2><dl>{said}</dl></section>"
