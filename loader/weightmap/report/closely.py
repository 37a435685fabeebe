"""One tensor looked at closely, in HTML: how its error is to be judged, how the errors spread, and where they are."""

from __future__ import annotations

import numpy as np

from weightmap.measure.heatmap import Heatmap
from weightmap.report import tables
from weightmap.report.charts import Counts, histogram_svg, normal
from weightmap.report.marks import name, number, sign, text
from weightmap.report.png import picture
from weightmap.report.record import Worst
from weightmap.wording import plural

_SHOWN = 0.995  # quantile of the cells that has the darkest colour


def closely(worst: Worst) -> str:
    """The box of one tensor."""
    pair, status = worst.pair, tables.status_of(worst.pair)
    strip = f"{sign(status) if status else ''}<span>{text(tables.verdict(worst))}</span>"
    facts = " · ".join(text(fact) for fact in tables.worst_facts(worst))
    pictures = [made for made in (_spread(worst), _where(worst)) if made]
    rows = _rows(worst)
    problem = "" if worst.problem is None else f"<p>{text(worst.problem)}</p>"
    experts = text(tables.experts(worst))
    return (
        f'<article class="box"><div class="subject"><h3>{name(pair.tensor)}</h3><span class="type">{text(pair.type)}</span>'
        f'<span class="quiet">{facts}</span></div><div class="strip {status}">{strip}</div>{problem}'
        f"{experts and f'<p>{experts}</p>'}"
        f'<div class="two">{"".join(pictures)}</div>{rows}</article>'
    )


def _spread(worst: Worst) -> str:
    histogram = worst.histogram
    if histogram is None or histogram.edges is None:
        return ""
    said = text(f"Histogram of the errors of {worst.pair.tensor[:80]}")
    keys = '<span><i class="key"></i>this file</span>'
    curve: Counts | None = None
    if worst.fresh is not None:
        curve = worst.fresh.histogram.counts
        keys += f'<span><i class="key line"></i>fresh {text(worst.pair.type)} of the reference</span>'
    elif worst.spread is not None:
        curve = normal(histogram, worst.spread)
        keys += f'<span><i class="key line"></i>what {text(worst.pair.type)} usually leaves</span>'
    outside = histogram.below + histogram.above
    note = (
        f'<p class="quiet">{plural(outside, "error")} beyond the limits, up to {number(worst.pair.max_abs_error)}.</p>'
    )
    return (
        f"<figure><figcaption><strong>Error of each value</strong>{keys}</figcaption>"
        f"{histogram_svg(histogram, curve, said)}{note if outside else ''}</figure>"
    )


def _where(worst: Worst) -> str:
    heat = worst.heatmap
    if heat is None or not heat.cells.size:
        return ""
    limit, most = _limit(heat)
    light, dark = (picture(heat, limit, dark) for dark in (False, True))
    alt = text(f"Heatmap of the errors of {worst.pair.tensor[:80]}")
    index = f" at {', '.join(map(str, worst.index))}" if worst.index else ""
    bad = '<span><i class="key bad"></i>NaN or Inf</span>' if heat.bad.any() else ""
    top = f"{number(limit)}" + (" and more" if most > limit * 1.001 else "")
    rows, columns = heat.row_edges, heat.column_edges
    return (
        f"<figure><figcaption><strong>Where the error is{index}</strong><span>{_cell(heat)}</span>{bad}</figcaption>"
        f'<div class="heat"><span></span><span class="ends"><span>{columns[0]:,}</span><span>{columns[-1]:,}</span></span>'
        f'<span class="ends down"><span>{rows[0]:,}</span><span>{rows[-1]:,}</span></span>'
        f'<picture><source media="(prefers-color-scheme:dark)" srcset="{dark}"><img src="{light}" alt="{alt}"></picture>'
        f'<span></span><span>0<span class="ramp"></span>{top}</span></div></figure>'
    )


def _limit(heat: Heatmap) -> tuple[float, float]:
    """(where the colours end, the largest cell)."""
    finite = heat.cells[np.isfinite(heat.cells)]
    if not finite.size:
        return 0.0, 0.0
    return float(np.quantile(finite, _SHOWN)), float(finite.max())


def _cell(heat: Heatmap) -> str:
    """What one pixel stands for."""
    tall, wide = (int(np.diff(edges).max(initial=1)) for edges in (heat.row_edges, heat.column_edges))
    return "one pixel: one value" if tall == wide == 1 else f"one pixel: {tall:,} × {wide:,} values, RMS"


def _rows(worst: Worst) -> str:
    rows = tables.worst_rows(worst)
    if len(rows) < 2:
        return ""
    heads = "".join(f'<th class="n">{head}</th>' for head in tables.WORST_HEADS)
    body = "".join("<tr>" + "".join(f'<td class="n">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    return (
        '<details><summary>The rows with the largest errors</summary><div class="wide"><table style="max-width:560px">'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )
