"""Tries a tensor in one type after the other, in the background, and keeps what was found for the tensors seen last."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

import weightmap
from tensorloupe.task import Progress
from tensorloupe.tasks import TaskRunner

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

    Tried = Weight | weightmap.PairValues

AT_ONCE = 1 << 24  # values up to which all of a tensor is tried without being asked for, ...
SLOW_AT_ONCE = 1 << 21  # ... and in types whose search takes ten times as long: some seconds each
KEPT = 16  # tensors whose rows are remembered
TAKE_MS = 100
State = Literal["nothing", "asking", "running", "done", "sampled", "cancelled", "failed"]

Found = dict[str, weightmap.WhatIf]


class Trying(QObject):
    """The rows of one tensor as they come: of a large one a sample first. It is `sampled` where more than that is to be asked for.

    changed  something new is known, or the state is another
    failed   (the exception) the tensor cannot be read
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, tasks: TaskRunner, slot: str, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._slot = tasks, slot
        self._kept: OrderedDict[int, tuple[Tried, Found]] = OrderedDict()
        self._arrived: deque[weightmap.WhatIf] = deque()
        self._take = QTimer(self, interval=TAKE_MS)
        self._take.timeout.connect(self._taken)
        self.tensor: Tried | None = None
        self.kinds: tuple[weightmap.StoredType, ...] = ()
        self.state: State = "nothing"
        self.seconds = 0.0
        self._asked = False  # whether all values are being tried because the user wants it

    def forget(self) -> None:
        """Forget what is remembered: another model is open."""
        self._kept.clear()

    @property
    def found(self) -> Found:
        """What is known of the tensor by now, by type."""
        if self.tensor is None:
            return {}
        kept = self._kept.get(id(self.tensor))
        if kept is None or kept[0] is not self.tensor:
            kept = self._kept[id(self.tensor)] = self.tensor, {}
        self._kept.move_to_end(id(self.tensor))
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return kept[1]

    @property
    def missing(self) -> list[str]:
        """The chosen types of which nothing is known yet."""
        found = self.found
        return [kind.name for kind in self.kinds if kind.name not in found]

    @property
    def rough(self) -> list[str]:
        """The chosen types of which no more than a sample is known; those that cannot be had, of which nothing more is to be known,
        are none.
        """
        known = [self.found[kind.name] for kind in self.kinds if kind.name in self.found]
        return [row.type for row in known if row.sampled is not None and row.problem is None]

    @property
    def known(self) -> int:
        """How many of the chosen types were tried."""
        return len(self.kinds) - len(self.missing)

    @property
    def exact(self) -> int:
        """How many of them were tried on all values, or cannot be had."""
        return self.known - len(self.rough)

    @property
    def refining(self) -> bool:
        """Whether what is running, or was cancelled, is what the user asked for: all values where a sample is known."""
        return self._asked and self.known > self.exact and self.state in ("running", "cancelled")

    def show(self, tensor: Tried | None, kinds: Sequence[weightmap.StoredType]) -> None:
        """Turn to a tensor and these types, and try what lacks. Of one that is too large and has no rows to take a sample of,
        it is asked first.
        """
        self.stop()
        another = tensor is not self.tensor
        self.tensor, self.kinds = tensor, tuple(kinds)
        self._asked = False
        if another:
            self.seconds = 0.0
        if tensor is None:
            self.state = "nothing"
        elif any(self._lacking(tensor)):
            self._begin(*self._lacking(tensor))
            return
        else:
            self.state = self._rest()
        self.changed.emit()

    def start(self) -> None:
        """Go on where it was cancelled; else try all values in all types, as the user asks for."""
        if self.tensor is None:
            return
        if self.state == "cancelled" and not self._asked and any(lacking := self._lacking(self.tensor)):
            self._begin(*lacking)
        else:
            self._asked = True
            self._begin((), [*self.missing, *self.rough])

    def _lacking(self, tensor: Tried) -> tuple[list[str], list[str]]:
        """The types to try on a sample, and those to try on all values, without being asked."""
        missing, rough = self.missing, self.rough
        if tensor.count <= SLOW_AT_ONCE:
            return [], [*missing, *rough]
        sample = missing if len(tensor.shape) > 1 and tensor.shape[-2] > 1 else []
        if tensor.count > AT_ONCE:
            return sample, []
        quick = {kind.name for kind in weightmap.whatif_types(quick=True)}
        return sample, [name for name in (*missing, *rough) if name in quick]

    def _begin(self, sample: Sequence[str], whole: Sequence[str]) -> None:
        tensor = self.tensor
        assert tensor is not None
        arrived: deque[weightmap.WhatIf] = deque()
        self._arrived = arrived
        title = f"Trying types for {weightmap.printable(tensor.name)}"
        self.state = "running"
        work = _work(tensor, sample, whole, arrived)
        self._tasks.start(self._slot, title, work, self._done, self._failed, self._cancelled)
        self._take.start()
        self.changed.emit()

    def _rest(self) -> State:
        """What is left once nothing runs any more."""
        return "asking" if self.missing else "sampled" if self.rough else "done"

    def stop(self) -> None:
        """Stop what runs; the rows that are there stay."""
        if self.state == "running":
            self._tasks.drop(self._slot)
            self._end("cancelled")

    def cancel(self) -> None:
        """Stop as the user asks it to."""
        self._tasks.cancel(self._slot)

    def _taken(self) -> None:
        found, any_came = self.found, bool(self._arrived)
        while self._arrived:
            row = self._arrived.popleft()
            found[row.type] = row
        if any_came:
            self.changed.emit()

    def _end(self, state: State) -> None:
        self._take.stop()
        self._taken()
        self._arrived = deque()
        self.state = state

    def _done(self, seconds: float) -> None:
        self._end("done")
        self.state = self._rest()
        self.seconds += seconds
        self.changed.emit()

    def _cancelled(self) -> None:
        self._end("cancelled")
        self.changed.emit()

    def _failed(self, reason: BaseException) -> None:
        self._end("failed")
        self.failed.emit(reason)


def _work(
    tensor: Tried, sample: Sequence[str], whole: Sequence[str], arrived: deque[weightmap.WhatIf]
) -> Callable[[Progress], float]:
    def work(progress: Progress) -> float:
        began = time.monotonic()
        if sample:
            weightmap.whatif(tensor, sample, each=arrived.append, sample="fast", progress=progress)
        if whole:
            weightmap.whatif(tensor, whole, each=arrived.append, progress=progress)
        return time.monotonic() - began

    return work
