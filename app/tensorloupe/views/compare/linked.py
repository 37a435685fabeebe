"""Where the error is: a heatmap of the errors, or quantized, reference and error side by side, moving together."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

import weightmap
from tensorloupe.style import text
from tensorloupe.style.theme import SECONDARY
from tensorloupe.task import Progress
from tensorloupe.views.compare.face import Face
from tensorloupe.views.heat.cells import rule_words
from tensorloupe.views.heat.matrix import first_index
from tensorloupe.views.heat.slices import Slices
from tensorloupe.views.heat.viewport import Viewport
from tensorloupe.views.view import ViewContext
from tensorloupe.widgets.controls import PlainLabel

FACES = (("quantized", "this file"), ("reference", "reference"), ("error", "error"))
_POINTED = 30  # milliseconds that the pointer rests before the values under it are read
NO_VALUES = "Point at a value."


class LinkedHeats(QWidget):
    """One pair. `said` gives what a pixel is, for the head."""

    said = Signal(str)
    drawn = Signal()

    def __init__(self, context: ViewContext, slot: str) -> None:
        super().__init__()
        self._context, self._slot = context, slot
        self.pair: weightmap.TensorPair | None = None
        self.beside = False  # all three, instead of the errors alone
        self.own_scale = False  # of the errors, where they stand beside the others
        self.index: tuple[int, ...] = ()
        self.faces: dict[str, Face] = {}  # those of both sides are made when they are first looked at
        self.slices = Slices()
        self.readout = PlainLabel(context.theme, "secondary", SECONDARY, elide=True)
        self._row = QHBoxLayout()
        self._row.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.slices)
        column.addLayout(self._row, 1)
        below = QHBoxLayout()
        below.setContentsMargins(16, 0, 8, 4)
        below.addWidget(self.readout)
        below.addStretch(1)
        column.addLayout(below)
        self._pointed = QTimer(self, singleShot=True, interval=_POINTED)
        self._pointed.timeout.connect(self._read)
        self.slices.chosen.connect(self._choose_index)
        self._make("error")
        self._arrange()

    def _make(self, key: str) -> None:
        if key in self.faces:
            return
        face = Face(self._context, f"{self._slot}.{key}", dict(FACES)[key])
        face.went.connect(lambda view: self._follow(face, view))
        face.pointed.connect(lambda place: self._point(face, place))
        face.changed.connect(lambda: self._face_changed(face))
        at = [name for name, _ in FACES if name in self.faces or name == key].index(key)
        self.faces[key] = face
        self._row.insertWidget(at, face, 1)

    @property
    def error(self) -> Face:
        """The face of the errors."""
        return self.faces["error"]

    @property
    def _shown(self) -> list[Face]:
        return list(self.faces.values()) if self.beside else [self.error]

    # what to show

    def show_pair(self, pair: weightmap.TensorPair | None) -> None:
        """Show another pair, whole; nothing for None."""
        if pair is self.pair and pair is not None and self.error.has_picture:
            self._load_missing()
            return
        self.pair = pair
        shape = pair.shape if pair is not None else ()
        self.index = first_index(shape)
        self.slices.set_shape(shape, self.index)
        self.readout.set_text("" if pair is None else NO_VALUES)
        for face in self.faces.values():
            face.show_values(None)
            face.loading.by_hand = None
        self._load_missing()

    def show_beside(self, beside: bool) -> None:
        """All three faces, or the errors alone: these as sizes then, each pixel their root mean square."""
        if beside != self.beside:
            self.beside = beside
            for key, _ in FACES:
                self._make(key)
            self._arrange()
            self.error.loading.by_hand = None
            if self.pair is not None:
                self.error.show_values(self._values("error"), self.index)
                self._load_missing()

    def show_own_scale(self, own: bool) -> None:
        """Errors by their own limit, or by that of the values."""
        self.own_scale = own
        self._share()

    def go_to(self, row: int, column: int) -> None:
        """Show a place of the pair, rows counted through all leading axes."""
        if self.pair is None or not self.error.has_picture:
            return
        rows = self.pair.shape[-2] if len(self.pair.shape) > 1 else 1
        leading = self.pair.shape[:-2]
        if leading:
            self._choose_index(tuple(int(i) for i in np.unravel_index(row // rows, leading)))
            self.slices.set_shape(self.pair.shape, self.index)
        self.error.picture.visit(row % rows, column)

    def rest(self) -> None:
        """Stop what runs."""
        self._context.tasks.drop(f"{self._slot}.point")
        for face in self.faces.values():
            face.rest()

    def refresh_theme(self) -> None:
        """Colour the same cells anew."""
        for face in self.faces.values():
            face.refresh_theme(self._context.theme.dark)

    def _values(self, key: str) -> weightmap.PairValues:
        assert self.pair is not None
        return weightmap.PairValues(self.pair, key)  # type: ignore[arg-type]

    def _load_missing(self) -> None:
        for key, face in self.faces.items():
            if self.pair is not None and face in self._shown and face.values is None:
                face.show_values(self._values(key), self.index)
                if face is not self.error and self.error.picture.frame is not None:
                    face.follow(self.error.picture.frame.viewport)
        self._share()

    def _arrange(self) -> None:
        for face in self.faces.values():
            face.setVisible(face in self._shown)
            face.title.setVisible(self.beside)
        loading = self.error.loading
        loading.magnitudes, loading.rule = not self.beside, "max_abs" if self.beside else "rms"
        for face in () if self.beside else self.faces.values():
            if face is not self.error:
                face.rest()
                face.show_values(None)

    # together

    def _follow(self, leader: Face, view: Viewport) -> None:
        for face in self._shown:
            if face is not leader:
                face.follow(view)

    def _point(self, leader: Face, place: tuple[int, int]) -> None:
        for face in self._shown:
            if face is not leader:
                face.point(place)
        self._pointed.start()

    def _face_changed(self, face: Face) -> None:
        if face is self.faces.get("reference"):
            self._share()
        if face is self.error:
            picture = face.loading.current
            words = "" if picture is None else rule_words(picture)
            self.said.emit(f"one pixel: {words}" if words else "")
            if face.has_picture and face.stage.state == "picture":
                self.drawn.emit()

    def _share(self) -> None:
        """All three by the limits of the reference."""
        if not self.beside:
            return
        reference = self.faces["reference"].loading
        limit = reference.limit
        if limit is not None:
            self.faces["quantized"].share_limit(limit)
            self.error.share_limit(None if self.own_scale else limit)

    def _choose_index(self, index: tuple[int, ...]) -> None:
        self.index = index
        for face in self._shown:
            face.loading.set_index(index)

    # the values under the pointer

    def _read(self) -> None:
        frame, pair, index = self.error.picture.frame, self.pair, self.index
        if frame is None or frame.pointer is None or pair is None:
            return
        row, column = frame.pointer
        sides = [self._values(key) for key in ("quantized", "reference")]

        def work(_: Progress) -> tuple[float, float]:
            first, second = (float(_value(side, index, row, column)) for side in sides)
            return first, second

        def done(found: tuple[float, float]) -> None:
            if self.pair is pair:
                self.readout.set_text(_told(pair, index, row, column, found))

        self._context.tasks.start(f"{self._slot}.point", "", work, done, lambda _: None, quiet=True)


def _value(side: weightmap.PairValues, index: tuple[int, ...], row: int, column: int) -> Any:
    where = (*index, row, column)[-len(side.shape) :] if side.shape else ()
    return np.asarray(side.read(where or ...))[()]


def _told(
    pair: weightmap.TensorPair, index: tuple[int, ...], row: int, column: int, values: tuple[float, float]
) -> str:
    quantized, reference = values
    place = [f"slice {', '.join(map(text.count, index))}"] if index else []
    place.append(f"row {text.count(row)}, column {text.count(column)}")
    size = weightmap.PairValues(pair, "quantized").block_size
    width = pair.shape[-1] if pair.shape else 1
    if size > 1:
        place.append(
            f"block {text.count((row * width + column) // size)}" if not index else f"block {column // size} of the row"
        )
    error = text.number(quantized - reference, 4)
    return f"{' · '.join(place)}: {text.number(quantized, 6)} {text.MINUS} {text.number(reference, 6)} = {error}"
