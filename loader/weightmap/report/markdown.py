"""The report as Markdown, for issues and chats: the same sentences and tables, without pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from weightmap.errors import printable
from weightmap.report import tables
from weightmap.report.grid import Grid
from weightmap.report.grid_svg import said
from weightmap.report.marks import NAME
from weightmap.report.record import Report, Side, Worst
from weightmap.wording import clipped

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
_SIGNS = {"error": "✕", "warning": "▲", "ok": "✓", "same": "=", "info": "i", "": ""}
MOST_ROWS = 300


def text(words: object) -> str:
    """Any text, from files too, so that Markdown shows it letter by letter on one line: no links, no mention of anybody."""
    plain = _SPECIAL.sub(r"\\\1", printable(str(words)))
    return plain.replace("://", "\\://").replace("www.", "www\\.").replace("@", "`@`")


def name(words: str) -> str:
    """A name from a file, as code; where a backslash before a bar would end the cell of a table, as text."""
    clean = clipped(words, NAME)
    if "\\|" in clean:
        return text(clean)
    shown = clean.replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    space = " " if len(fence) > 1 or not shown.strip() else ""
    return f"{fence}{space}{shown}{space}{fence}"


def document(report: Report) -> str:
    """The whole document."""
    found = report.comparison
    lines = [f"# {text(report.title)}", f"{_SIGNS[report.status]} **{text(report.headline)}**"]
    lines.append(" ".join(text(sentence) for sentence in report.summary))
    lines.append(" · ".join(f"{_SIGNS[status]} {many:,} {word}".strip() for status, word, many in tables.counts(found)))
    lines += ["## The files", _sides(report.quantized, report.reference)]
    for title, side in (("this file", report.quantized), ("the reference", report.reference)):
        if side.findings:
            lines += [f"Findings in {title}:", _findings(side)]
    lines += _grid(report.grid)
    if report.ranked:
        lines += ["## Every tensor, the largest damage first", *_ranked(report)]
    if report.worst:
        lines += ["## Looked at closely", *(part for worst in report.worst for part in _closely(worst))]
    for title, left in zip(("this file", "the reference"), found.left_over, strict=True):
        if left:
            rows = [(name(entry.tensor), text(entry.reason)) for entry in left[:MOST_ROWS]]
            lines += [f"## Without a counterpart, in {title}", _table(("Tensor", "Likely reason"), rows)]
            lines += _more(len(left) - len(rows))
    terms = [*tables.TERMS, *([tables.WEIGHTED] if found.imatrix is not None else [])]
    lines += ["## What the numbers mean", "\n".join(f"- **{term}.** {text(meaning)}" for term, meaning in terms)]
    return "\n\n".join([*(line for line in lines if line), f"{text(report.made)}."]) + "\n"


def _sides(quantized: Side, reference: Side) -> str:
    mine, other = (dict(tables.facts(side)) for side in (quantized, reference))
    labels = dict.fromkeys((*mine, *other))
    rows = [(label, *(_fact(label, side.get(label)) for side in (mine, other))) for label in labels]
    return _table(("", "This file", "Reference"), rows)


def _fact(label: str, said: str | None) -> str:
    return "–" if said is None else name(said) if label == "Path" else text(said)


def _findings(side: Side) -> str:
    shown = side.findings[: tables.MOST_FINDINGS]
    lines = [
        f"- {_SIGNS.get(str(f.severity), '')} {'' if f.tensor is None else name(f.tensor) + ': '}{text(f.message)}"
        for f in shown
    ]
    return "\n".join(lines + [f"- {line}" for line in _more(len(side.findings) - len(shown))])


def _grid(grid: Grid) -> list[str]:
    if not grid.cells:
        return []
    rows = [
        (name(layer), *(_cell(grid, row, column) for column in range(len(grid.roles))))
        for row, layer in enumerate(grid.layers)
    ]
    return [
        "## Layers × roles, × expected error",
        _table(("", *map(name, grid.roles)), rows, right=range(1, len(grid.roles) + 1)),
    ]


def _cell(grid: Grid, row: int, column: int) -> str:
    pair = grid.cells.get((row, column))
    if pair is None:
        return ""
    loud = tables.status_of(pair) in ("error", "warning")
    return f"{_SIGNS[tables.status_of(pair)]} **{said(pair)}**" if loud else said(pair)


def _ranked(report: Report) -> list[str]:
    weighted = report.comparison.imatrix is not None
    heads = tables.heads(report)
    rows = [
        (_SIGNS[tables.status_of(pair)], name(pair.tensor), *(text(cell) for cell in tables.row(pair, weighted)))
        for pair in report.ranked[:MOST_ROWS]
    ]
    right = range(4, len(heads) + 1)
    notes = [f"- {name(pair.tensor)}: {text(pair.note)}" for pair in report.ranked[:MOST_ROWS] if pair.note is not None]
    table = _table(("", "Tensor", *heads), rows, right=right)
    return [table, *_more(len(report.ranked) - len(rows)), "\n".join(notes)]


def _closely(worst: Worst) -> list[str]:
    facts = " · ".join(text(fact) for fact in tables.worst_facts(worst))
    rows = tables.worst_rows(worst)
    parts = [f"### {name(worst.pair.tensor)} ({text(worst.pair.type)})", f"{text(tables.verdict(worst))} {facts}"]
    parts += [text(worst.problem)] if worst.problem is not None else []
    parts += [text(said)] if (said := tables.experts(worst)) else []
    return [*parts, _table(tables.WORST_HEADS, rows, right=range(4)) if len(rows) > 1 else ""]


def _more(count: int) -> list[str]:
    return [f"… and {count:,} more."] if count > 0 else []


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    flush = set(right)
    rule = ["---:" if column in flush else "---" for column in range(len(heads))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, rule, *rows))
