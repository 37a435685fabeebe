"""Reads in the background: one block at a time, and what is true of all blocks of the tensor; keeps the latter."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

import weightmap
from tensorloupe.tasks import TaskRunner
from tensorloupe.views.blocks.scaling import ScalePicture, Survey, Which, scale_picture, survey

T = TypeVar("T")

KEPT = 16  # tensors of which the health is remembered


@dataclass(slots=True)
class Known:
    """What is known of one tensor by now."""

    tensor: weightmap.Tensor
    health: weightmap.BlockHealth | None = None
    survey: Survey | None = None
    scales: dict[tuple[tuple[int, ...], Which], ScalePicture] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """A block, and what the reference has in the places of its values, where there is one: float64 (elements,)."""

    block: weightmap.Block
    reference: NDArray[np.float64] | None = None


def seen(tensor: weightmap.Tensor, number: int, pair: weightmap.TensorPair | None) -> Seen:
    """Read one block, and its values in the reference. A pair that stands in another order than the file is left out."""
    block = tensor.block(number)
    if pair is None or not block.position or pair.shape != tensor.shape:
        return Seen(block)
    *leading, first = block.position
    index: tuple[int | slice, ...] = (*leading, slice(first, first + tensor.type.elements))
    stored = weightmap.PairValues(pair, "quantized").read(index)
    if not np.array_equal(stored, block.values, equal_nan=True):
        return Seen(block)
    return Seen(block, np.asarray(weightmap.PairValues(pair, "reference").read(index), np.float64))


class Knowing(QObject):
    """Works for one view. Signals:

    block_read  (Seen) the block that was asked for
    learned     more is known of the tensor
    surveyed    (Survey) the blocks that stand out are known
    failed      (the exception) the block cannot be read
    stopped     (the exception or None) looking at the tensor failed, or was cancelled
    """

    block_read = Signal(object)
    learned = Signal()
    surveyed = Signal(object)
    failed = Signal(object)
    stopped = Signal(object)

    def __init__(self, tasks: TaskRunner, slot: str, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._slot = tasks, slot
        self._kept: OrderedDict[int, Known] = OrderedDict()
        self.known: Known | None = None

    def forget(self) -> None:
        """Another model is open."""
        self._kept.clear()
        self.known = None

    def show(self, tensor: weightmap.Tensor | None) -> None:
        """Turn to a tensor."""
        self.stop()
        if tensor is None:
            self.known = None
            return
        known = self._kept.get(id(tensor))
        if known is None or known.tensor is not tensor:
            known = self._kept[id(tensor)] = Known(tensor)
        self._kept.move_to_end(id(tensor))
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self.known = known

    def stop(self) -> None:
        """Read nothing more."""
        for part in ("", ".scales", ".health", ".survey"):
            self._tasks.drop(self._slot + part)

    def read_block(self, number: int, pair: weightmap.TensorPair | None) -> None:
        """Read one block, and what it has in the reference."""
        if self.known is not None:
            tensor = self.known.tensor
            self._tasks.start(
                self._slot,
                "Reading a block",
                lambda _: seen(tensor, number, pair),
                self.block_read.emit,
                self.failed.emit,
                quiet=True,
            )

    def look(self, index: tuple[int, ...], which: Which) -> None:
        """Read the scales at one place of the leading axes, then how sound all blocks are; what is known is not read again."""
        known = self.known
        if known is None:
            return
        name = weightmap.printable(known.tensor.name)
        if (index, which) in known.scales:
            self._check()
            return

        def done(picture: ScalePicture) -> None:
            known.scales[index, which] = picture
            self.learned.emit()
            self._check()

        tensor = known.tensor
        self._start(".scales", f"Reading the scales of {name}", lambda p: scale_picture(tensor, index, which, p), done)

    def _check(self) -> None:
        known = self.known
        if known is None or known.health is not None or self._tasks.running(f"{self._slot}.health"):
            return
        tensor = known.tensor

        def done(health: weightmap.BlockHealth) -> None:
            known.health = health
            self.learned.emit()

        title = f"Counting the codes of {weightmap.printable(tensor.name)}"
        self._start(".health", title, lambda p: tensor.block_health(progress=p), done)

    def survey(self) -> None:
        """Find the blocks that stand out."""
        known = self.known
        if known is None:
            return
        if known.survey is not None:
            self.surveyed.emit(known.survey)
            return
        tensor = known.tensor

        def done(found: Survey) -> None:
            known.survey = found
            self.surveyed.emit(found)

        title = f"Looking for blocks of {weightmap.printable(tensor.name)}"
        self._start(".survey", title, lambda p: survey(tensor, p), done)

    def _start(self, part: str, title: str, work: Callable[..., T], done: Callable[[T], None]) -> None:
        self._tasks.start(self._slot + part, title, work, done, self.stopped.emit, lambda: self.stopped.emit(None))
