"""What the window is about: the open model and the tensor that is selected. Signals, no widgets, no reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    import weightmap
    from tensorloupe.compared import Compared
    from tensorloupe.weights import Weight


class Document(QObject):
    """An open model and the selection in it. Every view and panel listens here, and nobody else tells them.

    model     the open weightmap.WeightFile, or None
    path      the path that it was opened by, or None
    selected  the selected weight, a weightmap.Tensor or Composed; None stands for the whole file
    comparing what it is compared with; None until a reference is attached for the first time
    wanted_reference  the path of a reference to attach to the next model that opens
    accepted  names of tensors whose guessed pairs were taken for true, by (path of the model, path of the reference)
    readings  by path of the model and name of a weight that lies in several tensors the other reading that was chosen for it,
              and whether the likeliest was assumed then

    reference_changed  another reference, none, or how far it is opened, paired and measured
    compared           numbers of the pairs of which more is known now
    """

    model_changed = Signal()
    selected_changed = Signal(object)
    reference_changed = Signal()
    compared = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model: weightmap.WeightFile | None = None
        self.path: str | None = None
        self.selected: Weight | None = None
        self.comparing: Compared | None = None
        self.wanted_reference: str | None = None
        self.accepted: dict[tuple[str | None, str], set[str]] = {}
        self.readings: dict[str | None, dict[str, tuple[str, bool]]] = {}

    def set_model(self, model: weightmap.WeightFile | None, path: str | None) -> weightmap.WeightFile | None:
        """Show another model, with nothing selected. Gives back the one before, for the caller to close."""
        before, self.model, self.path = self.model, model, path
        self.selected = None
        self.model_changed.emit()
        self.selected_changed.emit(None)
        return before

    def files(self) -> tuple[str, ...]:
        """Paths of all files that the model and its reference consist of: none of them is ever written."""
        pairs = None if self.comparing is None else self.comparing.pairs
        models = [model for model in (self.model, None if pairs is None else pairs.reference) if model is not None]
        given = [self.path, None if self.comparing is None else self.comparing.path, *(str(m.path) for m in models)]
        return (*(path for path in given if path), *(part.path for model in models for part in model.parts))

    def select(self, tensor: Weight | None) -> None:
        """Select a tensor of this model, or the whole file (None). Selecting the selected one changes nothing."""
        if tensor is not self.selected:
            self.selected = tensor
            self.selected_changed.emit(tensor)
