"""What a bench found: one row per figure and peer, and the machine it was found on."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import weightmap
from weightmap.bench.race import PRODUCT, Times
from weightmap.reading.sweep import thread_limit


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    what, type     what was measured, and on which stored type; None where the type does not matter
    file           the path of the file it was measured on; None for a generated one
    peer           the package it was measured beside; None where there is none to be had
    product, best  weightmap's figure by the median of the rounds and by the best one, in `unit`
    peer_product   the peer's median in the same unit
    ratio          how many times as fast as the peer, by the median of the ratios of all rounds; above 1, weightmap is faster
    note           what there is to say beside it: that the peer failed, or that its values differ (then there is no ratio)
    """

    what: str
    type: str | None
    file: str | None
    peer: str | None
    product: float | None
    best: float | None
    peer_product: float | None
    unit: str
    ratio: float | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """How a time is told: as itself (`amount` None), or as `amount` things per second."""

    name: str
    amount: float | None = None
    scale: float = 1.0

    def of(self, seconds: float) -> float:
        """The figure of one run."""
        return seconds * self.scale if self.amount is None else self.amount * self.scale / seconds


MILLISECONDS = Unit("ms", scale=1e3)


@dataclass(frozen=True, slots=True)
class Report:
    """The machine, all rows, and the peers that are not installed."""

    machine: dict[str, Any]
    rows: tuple[Row, ...]
    absent: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The document of `weightmap bench --json`, in plain Python values."""
        names = Row.__dataclass_fields__
        rows = [{name: getattr(row, name) for name in names} for row in self.rows]
        return {"machine": self.machine, "rows": rows, "absent": list(self.absent)}


def rows_of(
    what: str,
    kind: str | None,
    file: str | None,
    unit: Unit,
    times: Mapping[str, Times],
    notes: Mapping[str, str],
) -> Iterator[Row]:
    """One row per peer, and one without where there is none. A peer with a note has no ratio."""
    ours = times[PRODUCT]
    product, best = unit.of(ours.median), unit.of(ours.best)
    peers = [name for name in times if name != PRODUCT]
    for peer in peers:
        theirs = times[peer]
        ratio = None if peer in notes else ours.ratio(theirs)
        yield Row(what, kind, file, peer, product, best, unit.of(theirs.median), unit.name, ratio, notes.get(peer))
    for peer, note in notes.items():
        if peer not in times:
            yield Row(what, kind, file, peer, product, best, None, unit.name, None, note)
    if not peers and not notes:
        yield Row(what, kind, file, None, product, best, None, unit.name, None)


def machine(versions: Mapping[str, str]) -> dict[str, Any]:
    """What the figures depend on; `versions` of the peers that are there."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": thread_limit(),
        "python": platform.python_version(),
        "versions": {PRODUCT: weightmap.__version__, "numpy": np.__version__, **versions},
    }


def _processor() -> str:
    """The processor's own name where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
