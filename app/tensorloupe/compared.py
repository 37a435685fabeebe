"""What a document is compared with, as everybody sees it who shows it: views, menus, the session.

Who opens, pairs and measures is `comparing`, which knows the document; the document knows no more of it than this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import weightmap
    from tensorloupe.items.errors import Errors
    from tensorloupe.readable import Shown

Stage = Literal["none", "pairing", "measuring", "cancelled", "done", "failed"]


class Compared(Protocol):
    """A reference beside the open model.

    stage   none; opening and pairing; measuring the pairs; cancelled at either; done; could not be opened
    path    the path of the reference, None where there is none
    reason  why the reference could not be opened or measured
    """

    stage: Stage
    path: str | None
    reason: BaseException | None

    @property
    def name(self) -> str:
        """The reference's name, escaped; empty where there is none."""

    @property
    def attached(self) -> bool:
        """Whether there is a reference, or one is coming."""

    @property
    def errors(self) -> Errors | None:
        """The rows, as far as they are measured; None before the tensors are paired."""

    @property
    def pairs(self) -> weightmap.Pairs | None:
        """The pairs of both open models."""

    def row_of(self, tensor: Shown | None) -> int | None:
        """The row of a tensor of the open model; None where it has no pair, or nothing is paired yet."""

    def pair_of(self, tensor: Shown | None) -> weightmap.TensorPair | None:
        """The pair of a tensor, where it stands for that tensor alone."""

    def error_of(self, tensor: Shown | None) -> weightmap.PairError | None:
        """What was measured of a tensor by now."""

    def verdict_of(self, tensor: Shown | None) -> str:
        """The verdict on a tensor's pair; empty where it has none."""

    def comparison(self) -> weightmap.Comparison | None:
        """What was measured by now, as `weightmap.compare` gives it."""

    def attach(self, path: str) -> None:
        """Compare the open model with the one at a path, in place of what it is compared with."""

    def detach(self) -> None:
        """Leave the model without a reference."""

    def resume(self) -> None:
        """Go on where it was cancelled, or try again what failed."""

    def accept(self, rows: list[int]) -> None:
        """Take guessed pairs for true ones from now on."""
