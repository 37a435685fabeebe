"""What the tree shows of a comparison: how many times the usual error each tensor has, and the worst of each group."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from tensorloupe.items import roles
from tensorloupe.items.errors import MARKS, VERDICTS, WORDS, Errors
from tensorloupe.items.measures import times
from tensorloupe.items.outline import RANKS, Outline
from tensorloupe.style import text

_UNPAIRED = -1


class TreeErrors:
    """The errors of a comparison by the numbers of an outline.

    ratio  of each tensor, NaN where there is none; `worst` of each group, and of the whole file as the last entry
    """

    head = f"{text.TIMES} expected"

    def __init__(self, outline: Outline, errors: Errors) -> None:
        self.outline, self.errors = outline, errors
        self._row = np.array([errors.row_of.get(tensor.name, _UNPAIRED) for tensor in outline.tensors], dtype=np.int64)
        self.refresh()

    def refresh(self) -> None:
        """Take in what was measured since."""
        outline, errors = self.outline, self.errors
        paired = self._row >= 0
        self.ratio = np.full(len(self._row), np.nan)
        self.rank = np.full(len(self._row), -1, dtype=np.int64)
        self.ratio[paired] = errors.values["ratio"][self._row[paired]]
        self.rank[paired] = errors.rank[self._row[paired]]
        groups = len(outline.groups)
        group = np.where(outline.group >= 0, outline.group, groups)
        self.worst = np.full(groups + 2, np.nan)
        self.loudest = np.full(groups + 2, -1, dtype=np.int64)
        np.fmax.at(self.worst, group, self.ratio)
        np.maximum.at(self.loudest, group, self.rank)
        if len(self.ratio):
            self.worst[-1], self.loudest[-1] = np.fmax.reduce(self.ratio), self.rank.max()

    def text(self, number: int | None, group: int | None = None) -> str:
        """The cell of a tensor; of a group; with neither, of the whole file."""
        ratio, rank = self._of(number, group)
        if rank < 0:
            return "no pair"
        if np.isnan(ratio):
            return WORDS[VERDICTS[rank]] if VERDICTS[rank] in ("wrong", "unjudged") else ""
        return times(float(ratio))

    def status(self, shown: str, number: int | None, group: int | None = None) -> str:
        """The status to mark a row with: what was found in the file, or the verdict where that is louder."""
        rank = self._of(number, group)[1]
        mark = MARKS[VERDICTS[rank]] if rank >= 0 else ""
        louder = mark in ("warning", "error") and RANKS[mark] > RANKS.get(shown, 0)
        return mark if louder else shown

    def look(self, number: int | None, group: int | None = None) -> roles.Look:
        """What a delegate paints in the column."""
        ratio, _ = self._of(number, group)
        shown = self.text(number, group)
        quiet = bool(np.isnan(ratio)) or ratio == 0
        return roles.Look(shown, "", "secondary" if quiet else "text", True)

    def answer(self, role: int, number: int | None, group: int | None = None) -> Any:
        """The column's answer to a role of Qt's or ours."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, roles.RAW):
            return self.text(number, group)
        if role == Qt.ItemDataRole.ToolTipRole:
            rank = self._of(number, group)[1]
            return "No counterpart in the reference" if rank < 0 else WORDS[VERDICTS[rank]]
        return self.look(number, group).tone == "secondary" if role == roles.QUIET else None

    def _of(self, number: int | None, group: int | None) -> tuple[float, int]:
        if number is not None:
            return float(self.ratio[number]), int(self.rank[number])
        at = -1 if group is None else group
        return float(self.worst[at]), int(self.loudest[at])
