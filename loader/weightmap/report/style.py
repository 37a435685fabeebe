"""How a report looks: one style sheet, light and dark as the reader's system asks, and on paper."""

from __future__ import annotations

from weightmap.report.grid_svg import STEPS
from weightmap.report.png import colour

_COLOURS = {
    # name: light, dark
    "window": ("F2F3F5", "1E2126"),
    "base": ("FFFFFF", "17191D"),
    "alternate": ("F8F9FA", "1B1E23"),
    "thin": ("E1E4E8", "2C3138"),
    "strong": ("C3C8D0", "474E58"),
    "text": ("1C2026", "E4E7EB"),
    "quiet": ("59616D", "A6AEB9"),
    "ok": ("086F4D", "3FC79A"),
    "info": ("1D5FA8", "6CB0F5"),
    "warning": ("B86E00", "F0B040"),
    "warning-text": ("8A5200", "F0B040"),
    "error": ("B92B40", "FF8592"),
    "error-strip": ("FCEEF0", "33202A"),
    "warning-strip": ("FDF4E3", "332A1B"),
    "bar": ("9DBEE3", "31557E"),
    "bar-worse": ("EBC27F", "735826"),
    "bar-wrong": ("E79AA5", "7D3945"),
    "hist": ("5585B9", "5B93CF"),
    "second": ("C25A10", "F0A060"),
}

_RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--window);color:var(--text);font:15px/1.5 system-ui,"Segoe UI","Noto Sans",sans-serif;
  font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:1180px;margin:0 auto;padding:28px 24px 48px}
h1{font-size:1.85em;line-height:1.25;margin:0 0 4px}
h2{font-size:1.3em;margin:40px 0 10px}
h3{font-size:1.08em;margin:0}
p{margin:6px 0;max-width:105ch}
.quiet,th,figcaption,footer{color:var(--quiet);font-size:.92em}
svg text{font:13px system-ui,"Segoe UI","Noto Sans",sans-serif;fill:var(--quiet)}
.sign{width:15px;height:15px;vertical-align:-2px;flex:none}
.s-ok,.s-quiet,.s-base{fill:none;stroke-width:1.8}
.s-ok{stroke:var(--ok)}.s-quiet{stroke:var(--quiet)}.s-base{stroke:var(--base)}
.f-info{fill:var(--info)}.f-warning{fill:var(--warning)}.f-error{fill:var(--error)}
.box{background:var(--base);border:1px solid var(--thin);border-radius:3px;padding:16px;margin:12px 0}
.lead{display:flex;gap:12px;align-items:flex-start;font-size:1.2em;font-weight:bold;margin:14px 0 6px}
.lead .sign{width:24px;height:24px;margin-top:2px}
.chips{display:flex;flex-wrap:wrap;gap:8px;margin:14px 0}
.chip{display:inline-flex;gap:7px;align-items:center;border:1px solid var(--strong);border-radius:3px;
  padding:2px 10px;background:var(--base)}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:12px}
article .two{gap:8px 32px}
.two>*{margin:0}
table{border-collapse:collapse;width:100%}
th,td{padding:4px 10px 4px 0;text-align:left;vertical-align:top}
thead th{border-bottom:1px solid var(--strong);font-weight:normal;white-space:nowrap}
tbody tr+tr>*{border-top:1px solid var(--thin)}
.n{text-align:right;white-space:nowrap}
.wide{overflow-x:auto}
.facts th{width:8.5em;font-weight:normal}
td:last-child,th:last-child{padding-right:0}
td:nth-child(2){min-width:11em}.wide td{white-space:nowrap}.wide td:nth-child(2),.wide td:last-child{white-space:normal}
.n+td:last-child,.n+th:last-child{padding-left:8px}
th b{display:inline-block;width:2px;height:14px;background:var(--text);vertical-align:-2px;margin-right:4px}
.meter{position:relative;height:14px;width:150px;margin-top:4px}
.meter i{position:absolute;left:0;top:0;bottom:0;background:var(--bar)}
.meter .worse{background:var(--bar-worse)}.meter .wrong{background:var(--bar-wrong)}
.meter .beyond{clip-path:polygon(0 0,calc(100% - 7px) 0,100% 50%,calc(100% - 7px) 100%,0 100%)}
.meter b{position:absolute;top:-2px;bottom:-2px;width:2px;background:var(--text)}
.strip{display:flex;gap:10px;align-items:flex-start;margin:12px -16px;padding:8px 16px}
.strip .sign{margin-top:4px}
.strip.error{background:var(--error-strip)}.strip.warning{background:var(--warning-strip)}
.type{border:1px solid var(--strong);border-radius:3px;padding:0 7px;font-weight:bold;font-size:.92em;white-space:nowrap}
.subject{display:flex;flex-wrap:wrap;gap:4px 14px;align-items:baseline}
figure{margin:0}
figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 14px;margin:8px 0 4px}
figcaption strong{color:var(--text)}
.key{display:inline-block;width:11px;height:11px;background:var(--hist);margin-right:5px;vertical-align:-1px}
.key.line{height:0;border-top:2px solid var(--second);background:none;width:16px;vertical-align:4px}
.key.bad{background:#60FF00}
.chart{width:100%;height:auto;display:block}
.bars{fill:var(--hist)}.curve{fill:none;stroke:var(--second);stroke-width:1.6}
.line{stroke:var(--thin);fill:none}.axis{stroke:var(--strong);fill:none}
.heat{display:grid;grid-template-columns:auto 1fr;gap:3px 8px;font-size:.87em;color:var(--quiet)}
.heat img{width:100%;height:172px;display:block;image-rendering:pixelated;border:1px solid var(--strong)}
.ramp{display:inline-block;width:120px;height:11px;border:1px solid var(--strong);margin:0 8px;vertical-align:-1px;
  background:linear-gradient(to right,var(--r0),var(--r1),var(--r2),var(--r3),var(--r4))}
.ends{display:flex;justify-content:space-between}.ends.down{flex-direction:column;text-align:right}
.grid .plate{fill:var(--base)}
.shades{display:inline-flex;gap:0;vertical-align:-2px;margin:0 8px}.shades i{width:18px;height:13px}
code{font-family:ui-monospace,"Noto Sans Mono",monospace;font-size:.9em}
dt{font-weight:bold;margin-top:8px}dd{margin:0 0 0 1.2em;max-width:78ch}
details>summary{cursor:pointer;padding:6px 0;color:var(--info)}
footer{margin-top:40px;border-top:1px solid var(--thin);padding-top:10px}
@media print{body{background:none}main{max-width:none;padding:0}.box{break-inside:avoid}}
"""


def sheet() -> str:
    """The whole style sheet."""
    return (
        f":root{{color-scheme:light dark;{_variables(False)}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{_variables(True)}}}}}\n{_RULES}{_shades()}"
    )


def _variables(dark: bool) -> str:
    named = [f"--{name}:#{both[dark]};" for name, both in _COLOURS.items()]
    named += [f"--r{step}:#{colour(step / 4, dark)};" for step in range(5)]
    for step in range(STEPS):
        back = colour(step / (STEPS - 1), dark)
        named += [f"--c{step}:#{back};", f"--t{step}:#{'1C2026' if _bright(back) else 'FFFFFF'};"]
    return "".join(named)


def _shades() -> str:
    return "".join(
        f".c{step}{{fill:var(--c{step});background:var(--c{step})}}svg text.t{step}{{fill:var(--t{step})}}"
        for step in range(STEPS)
    )


def _bright(back: str) -> bool:
    """Whether dark text reads better on this colour than white text does."""
    red, green, blue = (int(back[at : at + 2], 16) / 255 for at in (0, 2, 4))
    light: float = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return light > 0.18
