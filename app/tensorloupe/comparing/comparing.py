"""A reference beside the open model: opened and paired in the background, then measured pair by pair, and kept.

Everything that is shown of it is read from here. A result that belongs to another model or another reference than those
in front is dropped by the task runner, and its files are closed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

import weightmap
from tensorloupe.comparing.measuring import Measuring
from tensorloupe.document import Document
from tensorloupe.files import places
from tensorloupe.items.errors import Errors, Left
from tensorloupe.items.layergrid import Grid
from tensorloupe.task import Progress
from tensorloupe.tasks import TaskRunner
from tensorloupe.weights import composed_of

if TYPE_CHECKING:
    from tensorloupe.compared import Stage
    from tensorloupe.readable import Shown

SLOT = "reference"


@dataclass(frozen=True, slots=True)
class Paired:
    """A reference that was opened, and the pairs found in it. Who takes it closes it."""

    reference: weightmap.WeightFile
    pairs: weightmap.Pairs
    errors: Errors

    def close(self) -> None:
        """Let go of the reference's files."""
        self.pairs.close()
        self.reference.close()


class Comparing(QObject):
    """The reference of a document, as `Compared` says. The document's signals tell of every change."""

    def __init__(self, document: Document, tasks: TaskRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._document, self._tasks = document, tasks
        self.stage: Stage = "none"
        self.path: str | None = None
        self.reason: BaseException | None = None
        self._paired: Paired | None = None
        self._of: str | None = None  # the path of the model that the reference is attached to
        self.measuring = Measuring(tasks, self)
        self.measuring.measured.connect(document.compared)
        self.measuring.ended.connect(self._measured)
        document.comparing = self
        document.model_changed.connect(self._model_changed)
        document.selected_changed.connect(self._prefer)

    # what is known

    @property
    def name(self) -> str:
        """The reference's name, escaped; empty where there is none."""
        return "" if self.path is None else weightmap.printable(places.name(self.path))

    @property
    def errors(self) -> Errors | None:
        """The rows."""
        return None if self._paired is None else self._paired.errors

    @property
    def pairs(self) -> weightmap.Pairs | None:
        """The pairs of both open models."""
        return None if self._paired is None else self._paired.pairs

    @property
    def attached(self) -> bool:
        """Whether there is a reference, or one is coming."""
        return self.path is not None

    def row_of(self, tensor: Shown | None) -> int | None:
        """The row of a tensor of the open model; None where it has no pair, or nothing is paired yet."""
        errors, model = self.errors, self._document.model
        if errors is None or tensor is None or model is None:
            return None
        if isinstance(tensor, weightmap.Tensor) and tensor.name in composed_of(model):
            return None  # codes: the weight that they are a part of has the pair
        return errors.row_of.get(tensor.name)

    def pair_of(self, tensor: Shown | None) -> weightmap.TensorPair | None:
        """The pair of a tensor, where it stands for that tensor alone."""
        row, errors = self.row_of(tensor), self.errors
        if row is None or errors is None or tensor is None or errors.pairs[row].tensor != tensor.name:
            return None
        return errors.pairs[row]

    def error_of(self, tensor: Shown | None) -> weightmap.PairError | None:
        """What was measured of a tensor by now."""
        row, errors = self.row_of(tensor), self.errors
        return None if row is None or errors is None else errors.errors[row]

    def verdict_of(self, tensor: Shown | None) -> str:
        """The verdict on a tensor's pair; empty where it has none."""
        row, errors = self.row_of(tensor), self.errors
        return "" if row is None or errors is None else errors.verdict(row)

    def comparison(self) -> weightmap.Comparison | None:
        """What was measured by now, as `weightmap.compare` gives it."""
        if self._paired is None:
            return None
        pairs = self._paired.pairs
        done = tuple(error for error in self._paired.errors.errors if error is not None)
        paths = os.fspath(pairs.quantized.path), os.fspath(pairs.reference.path)
        return weightmap.Comparison(*paths, done, pairs.unpaired_quantized, pairs.unpaired_reference)

    # what is wished

    def attach(self, path: str) -> None:
        """Compare the open model with the one at a path, in place of what it is compared with."""
        model = self._document.model
        if model is None:
            return
        self._let_go()
        self.path, self.reason, self._of = path, None, self._document.path
        accepted = self._document.accepted.setdefault((self._document.path, places.kept(path)), set())
        self._set("pairing")
        self._tasks.start(
            SLOT,
            f"Pairing with {self.name}",
            lambda progress: paired(model, path, accepted, progress),
            self._take,
            self._fail,
            lambda: self._set("cancelled"),
            discard=Paired.close,
        )

    def detach(self) -> None:
        """Leave the model without a reference."""
        if self.stage != "none":
            self._let_go()
            self.path = self.reason = None
            self._set("none")

    def resume(self) -> None:
        """Go on where it was cancelled, or try again what failed."""
        changed = isinstance(self.reason, weightmap.FileChangedError)
        if self._paired is None or changed:  # what changed on disk has to be opened anew
            if self.path is not None and self.stage in ("cancelled", "failed"):
                self.attach(self.path)
        elif self.stage in ("cancelled", "failed"):
            self.reason = None
            self._measure()

    def accept(self, rows: list[int]) -> None:
        """Take guessed pairs for true ones from now on."""
        errors = self.errors
        if errors is not None:
            errors.accepted |= {errors.pairs[row].tensor for row in rows if errors.pairs[row].guessed}
            self._document.compared.emit(rows)

    def close(self) -> None:
        """Let go of the reference's files, waiting for reads under way."""
        self.measuring.stop()
        if self._paired is not None:
            held, self._paired = self._paired, None
            held.close()

    # what came of it

    def _model_changed(self) -> None:
        """The same model read anew keeps its reference, which is paired again; any other has none."""
        if self.path is not None and self._document.model is not None and self._document.path == self._of:
            self._document.wanted_reference = self.path
        self.detach()

    def _let_go(self) -> None:
        self._tasks.drop(SLOT)
        self.measuring.stop()
        held, self._paired = self._paired, None
        if held is not None:
            self._tasks.start(f"close {id(held)}", "", lambda _: held.close(), lambda _: None, quiet=True)

    def _take(self, found: Paired) -> None:
        self._paired = found
        self._measure()

    def _measure(self) -> None:
        assert self._paired is not None
        if not self._paired.errors.waiting:
            self._set("done")
            return
        self._set("measuring")
        self.measuring.start(self._paired.pairs, self._paired.errors)
        self._prefer(self._document.selected)

    def _prefer(self, tensor: Shown | None) -> None:
        self.measuring.prefer(self.row_of(tensor))

    def _measured(self, reason: BaseException | None, whole: bool) -> None:
        self.reason = reason
        self._set("failed" if reason is not None else "done" if whole else "cancelled")

    def _fail(self, reason: BaseException) -> None:
        self.reason = reason
        self._set("failed")

    def _set(self, stage: Stage) -> None:
        self.stage = stage
        self._document.reference_changed.emit()


def paired(model: weightmap.WeightFile, path: str, accepted: set[str], progress: Progress) -> Paired:
    """Open a reference and pair its tensors with the model's. Raises WeightFileError, and Cancelled."""
    _ = weightmap.measure_pair, weightmap.PairValues  # loaded here, and not on the window's thread
    reference = weightmap.open(path, progress=lambda *_: progress(0, 1))
    try:
        if not progress(0, 1):
            raise weightmap.Cancelled
        pairs = weightmap.pair_models(model, reference, progress=progress)
        left = [Left("this file", *_told(entry)) for entry in pairs.unpaired_quantized]
        left += [Left("reference", *_told(entry)) for entry in pairs.unpaired_reference]
        sources = {name: weight.sources for name, weight in composed_of(model).items()}
        errors = Errors(pairs, left, accepted, sources)
        errors.layout(Grid)  # here, and not on the window's thread
        return Paired(reference, pairs, errors)
    except BaseException:
        reference.close()
        raise


def _told(entry: weightmap.Unpaired) -> tuple[str, str]:
    return weightmap.printable(entry.tensor), weightmap.printable(entry.reason)
