"""Jumps to blocks that stand out: the largest and the smallest scale, the next one that is NaN or Inf."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

import weightmap
from tensorloupe.style.text import count
from tensorloupe.views.blocks.controls import LISTED, BlockControls
from tensorloupe.views.blocks.knowing import Knowing
from tensorloupe.views.blocks.scaling import Survey


class Jumping(QObject):
    """Looks for such blocks when one is asked for, or once it is known that some are broken.

    found  (number) the block to go to;  nothing  (words) there is none
    """

    found = Signal(object)
    nothing = Signal(str)

    def __init__(self, knowing: Knowing, controls: BlockControls, parent: QObject) -> None:
        super().__init__(parent)
        self._knowing, self._controls = knowing, controls
        self._where, self._from = "", 0
        knowing.surveyed.connect(self._surveyed)

    def jump(self, where: str, number: int) -> None:
        """Find the block with the "largest" or "smallest" scale, the "next" or "previous" broken one seen from `number`."""
        self._where, self._from = where, number
        self._knowing.survey()

    def show_known(self) -> None:
        """Say in the menu what is known of broken blocks; where there are some, find them."""
        known = self._knowing.known
        if known is None:
            return
        many = None if known.health is None else known.health.nan + known.health.inf
        broken = () if known.survey is None else known.survey.broken[:LISTED]
        self._controls.show_broken([(number, _words(known.tensor, number)) for number in broken], many)
        if many and known.survey is None:
            self._where = ""
            self._knowing.survey()

    def _surveyed(self, found: Survey) -> None:
        where, self._where = self._where, ""
        ahead = [number for number in found.broken if number > self._from] or list(found.broken)
        behind = [number for number in found.broken if number < self._from] or list(found.broken)
        target = {
            "largest": found.largest,
            "smallest": found.smallest,
            "next": ahead[0] if ahead else None,
            "previous": behind[-1] if behind else None,
        }.get(where)
        if target is not None:
            self.found.emit(target)
        elif where in ("next", "previous"):
            self.nothing.emit("No scale is NaN or Inf")
        self.show_known()


def _words(tensor: weightmap.Tensor, number: int) -> str:
    """Where a block lies, briefly."""
    *leading, first = (int(i) for i in np.unravel_index(number * tensor.type.elements, tensor.shape))
    return ", ".join([*(count(i) for i in leading), f"from column {count(first)}"])
