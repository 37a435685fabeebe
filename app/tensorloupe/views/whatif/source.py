"""What is tried in other types: the weight as this file has it, or its counterpart in the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import weightmap
from tensorloupe.document import Document
from tensorloupe.views.whatif.words import against

if TYPE_CHECKING:
    from tensorloupe.views.whatif.trying import Tried
    from tensorloupe.weights import Weight


class Source:
    """The weight in front and what its errors are measured against. Counterparts are kept: what was found is found again."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._kept: dict[int, tuple[weightmap.TensorPair, weightmap.PairValues]] = {}
        self.weight: Weight | None = None
        self.reference: weightmap.PairValues | None = None

    def forget(self) -> None:
        """Another model is open."""
        self._kept.clear()

    def turn(self, weight: Weight | None, with_reference: bool) -> bool:
        """Turn to a weight, against the reference where that is wanted; says whether it has a counterpart there."""
        self.weight = weight
        found = None if weight is None or weight.problem is not None else self._counterpart(weight)
        self.reference = found if with_reference else None
        return found is not None

    @property
    def tried(self) -> Tried | None:
        """What is encoded and decoded."""
        return self.weight if self.reference is None else self.reference

    @property
    def own(self) -> weightmap.PairError | None:
        """The error that the weight has itself, once it was measured; None where it is not shown against the reference."""
        comparing = self._document.comparing
        return None if comparing is None or self.reference is None else comparing.error_of(self.weight)

    @property
    def sentence(self) -> str:
        """What the errors are measured against; empty for no weight."""
        comparing = self._document.comparing
        if self.weight is None:
            return ""
        name = comparing.name if comparing is not None and self.reference is not None else ""
        return against(self.weight, name, self.own)

    def _counterpart(self, weight: Weight) -> weightmap.PairValues | None:
        """Its counterpart, value for value; None where there is none of the same shape."""
        comparing = self._document.comparing
        pair = None if comparing is None else comparing.pair_of(weight)
        if pair is None or pair.shape != weight.shape:
            return None
        kept = self._kept.get(id(pair))
        if kept is None or kept[0] is not pair:
            kept = self._kept[id(pair)] = pair, weightmap.PairValues(pair, "reference")
        return kept[1]
