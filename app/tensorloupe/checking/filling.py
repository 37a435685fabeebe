"""Fills the rows of the list in from what the threads tell, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorloupe.checking.judge import Facts, Judged
from tensorloupe.checking.sweep import BEGUN, FOUND, JUDGED, OPENED, SHARE, Event
from tensorloupe.items.sheet import SheetRow, SheetTable, new_row


class Filling:
    """Knows which row a path has, and which row stands for a set of files whatever part of it was given.

    numbers  of the rows, by path
    sets     the row of each model of several files, by their resolved paths
    """

    def __init__(self, table: SheetTable, root: str) -> None:
        self._table, self._root = table, root
        self.numbers: dict[str, int] = {}
        self.sets: dict[tuple[str, ...], SheetRow] = {}

    def take(self, events: Sequence[Event]) -> bool:
        """Take events in; says whether the rows turned out to lie in several folders."""
        several, rows = False, self._table.rows
        for kind, number, what in events:
            if kind == FOUND:
                path, nbytes = what
                self.numbers[path] = len(rows)
                rows.append(new_row(path, nbytes, self._root))
                several = several or rows[-1].folder != rows[0].folder
            else:
                _STEPS[kind](self, rows[number], what)
        return several

    def _begun(self, row: SheetRow, _: None) -> None:
        row.state, row.doing = "running", "opening"

    def _opened(self, row: SheetRow, facts: Facts) -> None:
        row.form, row.types, row.tensors, row.nbytes = facts.form, facts.types, facts.tensors, facts.nbytes
        row.doing = "checking"
        if facts.files:
            row.hidden = self.sets.setdefault(facts.files, row) is not row

    def _shared(self, row: SheetRow, share: float) -> None:
        row.doing = f"checking values, {round(share * 100)} %"

    def _judged(self, row: SheetRow, verdict: Judged) -> None:
        facts = verdict.facts
        row.form, row.types, row.tensors, row.nbytes = facts.form, facts.types, facts.tensors, facts.nbytes
        row.state, row.doing, row.findings = verdict.status, "", verdict.findings
        row.openable, row.values, row.entry = verdict.openable, verdict.values, verdict.entry


_STEPS: dict[int, Callable[[Filling, SheetRow, Any], None]] = {
    BEGUN: Filling._begun,
    OPENED: Filling._opened,
    SHARE: Filling._shared,
    JUDGED: Filling._judged,
}
