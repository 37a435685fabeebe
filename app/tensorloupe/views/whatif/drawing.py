"""Keeps the picture of the curve in step with the rows, the chosen error, the size and the theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

import weightmap
from tensorloupe.items.trials import Trial
from tensorloupe.plots.curve import Curve, CurveImage, Point
from tensorloupe.plots.curve_picture import CurvePicture
from tensorloupe.plots.scene import Look
from tensorloupe.task import Progress
from tensorloupe.views.drawing import look_of
from tensorloupe.views.view import ViewContext
from tensorloupe.views.whatif.controls import NAMES
from tensorloupe.views.whatif.words import sample_of
from tensorloupe.weights import kind_name

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

REDRAW_MS = 60


class Drawing(QObject):
    """Draws in the background, one picture at a time.

    drawn   (whether there was no picture before) the picture is there
    failed  (the exception) it could not be drawn
    """

    drawn = Signal(bool)
    failed = Signal(object)

    def __init__(self, context: ViewContext, slot: str, picture: CurvePicture, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._theme, self._slot, self._picture = context.tasks, context.theme, slot, picture
        self.curve: Curve | None = None
        self._wait = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._wait.timeout.connect(self.draw)
        picture.resized.connect(self._wait.start)

    def show(self, curve: Curve | None) -> None:
        """Draw this one soon; None takes the picture away."""
        self.curve = curve
        if curve is None:
            self.stop()
            self._picture.show_image(None)
        else:
            self._wait.start()

    def stop(self) -> None:
        """Draw nothing more."""
        self._wait.stop()
        self._tasks.drop(f"{self._slot}.plot")

    def draw(self) -> None:
        """Draw now, as large as the picture is."""
        curve, picture = self.curve, self._picture
        if curve is None or picture.width() < 50 or picture.height() < 50:
            return
        look = look_of(picture, self._theme.colors)

        def work(progress: Progress) -> CurveImage:
            from tensorloupe.plots.tradeoff import draw

            return draw(curve, look, progress)

        self._tasks.start(
            f"{self._slot}.plot", "Drawing the curve", work, self._done, self.failed.emit, pool="plot", quiet=True
        )

    def _done(self, image: CurveImage) -> None:
        fresh = self._picture.drawn is None
        self._picture.show_image(image)
        self.drawn.emit(fresh)

    def saving(self, title: str, words: str, look: Look) -> Callable[[str], None]:
        """The work that writes the picture to a path. Raises ValueError where there is none."""
        curve = self.curve
        if curve is None:
            raise ValueError("There is no curve to save.")

        def write(path: str) -> None:
            from tensorloupe.plots.tradeoff import save

            save(curve, title, words, look, path)

        return write


def curve_of(
    rows: Sequence[Trial], tensor: Weight, measure: str, own: weightmap.PairError | None = None
) -> Curve | None:
    """The curve of one measure of the rows; None where none of them has a number. `own` is the error of the tensor itself."""
    points = []
    for row in rows:
        error = None if row.found is None else getattr(row.found, measure)
        if error is not None and row.found is not None:
            points.append(Point(row.type, row.bits, error, row.front, row.stored))
    if not points:
        return None
    now = kind_name(tensor), tensor.bits_per_weight
    part = sample_of(rows)
    name = f"{NAMES[measure]} · {part}" if part else NAMES[measure]
    error = None if own is None else getattr(own, measure)
    return Curve(tuple(points), name, now, error, measure == "relative_rmse")
