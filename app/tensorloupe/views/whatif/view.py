"""What if this tensor had another type: its values encoded and decoded in each, as a curve and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout

import weightmap
from tensorloupe.files.writing import safe_name
from tensorloupe.items.trials import Trial, tabbed, trials, write
from tensorloupe.items.whatif import TrialTable
from tensorloupe.plots.curve_picture import CurvePicture
from tensorloupe.readable import weight_of
from tensorloupe.style import text
from tensorloupe.views.drawing import look_to_save
from tensorloupe.views.halves import Halves
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import NONE_SELECTED, View, ViewContext, nothing_of
from tensorloupe.views.whatif.controls import Sentence, WhatIfControls
from tensorloupe.views.whatif.drawing import Drawing, curve_of
from tensorloupe.views.whatif.source import Source
from tensorloupe.views.whatif.table import TrialView
from tensorloupe.views.whatif.trying import Trying
from tensorloupe.views.whatif.words import far, read_out, status_line
from tensorloupe.weights import kind_name
from tensorloupe.widgets import destination

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

KINDS = "CSV (*.csv);;JSON (*.json);;Tab-separated (*.tsv)"
SETTING = "whatif_types"
TABLE = 0.54, 60, 110  # share of the width, letters at least and at most


class WhatIfView(View):
    """The loss in other types. Every number comes from values that were really encoded and decoded again."""

    hint = "Click on a type in the curve, or move with Left and Right · a click on a head sorts the table"

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "whatif")
        self.model = TrialTable(self)
        self.table = TrialView(context.theme, self.model)
        self.curve = CurvePicture(context.theme, self._words)
        self.stage = Stage(context.theme, self.curve)
        self.controls = WhatIfControls(context.theme)
        self.trying = Trying(context.tasks, self.slot, self)
        self.source = Source(context.document)
        self.against = Sentence(context.theme)
        self.halves = Halves(context.theme, self.stage, self.table, *TABLE)
        self.drawing = Drawing(context, self.slot, self.curve, self)
        self._build()
        self._connect()
        self.controls.types.choice.choose(context.settings.get(SETTING, []) or self.controls.types.choice.usual)
        self.controls.types.tell()
        self.show_tensor(None)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.against)
        column.addWidget(self.halves, 1)
        self.controls.leave_out(self.controls.switch, True)

    def _connect(self) -> None:
        trying, controls = self.trying, self.controls
        trying.changed.connect(self._changed)
        trying.failed.connect(self._failed)
        controls.types.choice.chosen.connect(self._types_chosen)
        controls.measure.chosen.connect(lambda _: self._draw())
        controls.against.chosen.connect(lambda _: self.show_tensor(self.tensor))
        controls.resume_asked.connect(trying.start)
        controls.export_asked.connect(self.export_table)
        controls.table_toggled.connect(self.halves.turn)
        self.halves.narrow_changed.connect(lambda narrow: controls.leave_out(controls.switch, not narrow))
        self.table.marked.connect(self.curve.mark)
        self.curve.chosen.connect(self.table.show_type)
        self.drawing.drawn.connect(self._drawn)
        self.drawing.failed.connect(self._failed)
        self.stage.cancel.connect(trying.cancel)
        self.stage.again.connect(trying.start)
        self.context.document.model_changed.connect(trying.forget)
        self.context.document.model_changed.connect(self.source.forget)
        self.context.document.reference_changed.connect(self._reference_changed)
        self.context.document.compared.connect(self._compared)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The sentence goes where it would leave no room for the curve."""
        super().resizeEvent(event)
        self._say_against()

    # what to show

    def show_tensor(self, tensor: Shown | None) -> None:
        """Try a tensor; what is known of it from before is shown at once."""
        if tensor is not self.tensor:
            self.drawing.show(None)
            self.picture_changed.emit()
        self.tensor, weight = tensor, weight_of(tensor)
        has_reference = self.source.turn(weight, self.controls.against.value)
        self.controls.leave_out(self.controls.against, not has_reference)
        self._say_against()
        if weight is not None and weight.count and weight.problem is None:
            self.trying.show(self.source.tried, self._kinds())
            return
        self.trying.show(None, ())
        if weight is not None and weight.problem is not None:
            self.stage.show_failed(weightmap.errors.error(weight.problem))
        elif weight is not None:
            self.stage.show_sentence(nothing_of(weight))

    def _say_against(self) -> None:
        self.against.setText(self.source.sentence)
        self.against.show_where(self.height(), self.source.weight is not None)

    def _reference_changed(self) -> None:
        if self.isVisible():
            self.show_tensor(self.tensor)

    def _compared(self, _: object) -> None:
        """More errors are known: this one's own may be among them."""
        curve = self.drawing.curve
        if self.isVisible() and curve is not None and curve.error is None and self.source.own is not None:
            self._say_against()
            self._changed()

    def _kinds(self) -> list[weightmap.StoredType]:
        names = set(self.controls.types.choice.names)
        return [kind for kind in weightmap.whatif_types() if kind.name in names]

    def _types_chosen(self) -> None:
        choice = self.controls.types.choice
        names = choice.names
        self.context.settings.set(SETTING, [] if names == choice.usual else names)
        if self.tensor is not None:
            self.show_tensor(self.tensor)

    @property
    def rows(self) -> tuple[Trial, ...]:
        """The rows as they are known by now, the type with the most bits first."""
        trying, weight, own = self.trying, self.source.weight, self.source.own
        if trying.tensor is None or weight is None:
            return ()
        return trials(weight, trying.kinds, trying.found, None if own is None else own.rmse)

    def _changed(self) -> None:
        trying = self.trying
        self.model.show_rows(self.rows)
        measured = any(row.error is not None for row in self.model.rows)
        self.controls.offer_rest(trying.state if measured else "")
        self.controls.export.setEnabled(trying.known > 0)
        self.controls.say(far(trying) if trying.state != "nothing" else "")
        if measured:
            self._draw()
        self._show_state(measured)
        self.status_text.emit(status_line(trying))

    def _show_state(self, measured: bool) -> None:
        """What stands at the place of the curve."""
        trying, stage = self.trying, self.stage
        if trying.tensor is None:
            stage.show_sentence(NONE_SELECTED)
        elif trying.state == "asking" and not measured:
            values = text.counted(trying.tensor.count, "value")
            stage.show_offer(f"{values}: to encode them in {len(trying.missing)} types takes a while.", "Start")
        elif not measured and trying.state == "running":
            stage.show_running(f"Trying types for {weightmap.printable(trying.tensor.name)}")
        elif not measured and trying.state == "cancelled":
            stage.show_cancelled("Cancelled.")
        elif measured and trying.state != "running" and stage.state == "running":
            stage.show_sentence("Drawing the curve.")
        elif not measured and trying.state == "done":
            stage.show_sentence("None of the chosen types can be had. The table says why.")

    def _failed(self, reason: BaseException) -> None:
        self.stage.show_failed(reason)
        self.status_text.emit("")

    # the curve

    def _draw(self) -> None:
        source = self.source
        if source.weight is not None:
            self.drawing.show(curve_of(self.model.rows, source.weight, self.controls.measure.value, source.own))

    def _drawn(self, fresh: bool) -> None:
        if self.stage.state != "picture":
            self.stage.show_picture()
        if fresh:
            self.picture_changed.emit()

    def _words(self, name: str) -> str:
        """A type read out in one line."""
        return next((read_out(row) for row in self.model.rows if row.type == name), name)

    # the rest of a view

    def cancel(self) -> None:
        """Stop what runs; what was found stays."""
        self.trying.stop()
        self.drawing.stop()

    def refresh_theme(self) -> None:
        """Draw anew in the colours in force."""
        self.drawing.draw()
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a curve is shown."""
        return self.curve.drawn is not None

    def save_picture(self, path: str) -> None:
        """Write the curve, in light colours, as PNG or SVG."""
        tensor = self.source.weight
        if tensor is None:
            raise ValueError("There is no curve to save.")
        title = weightmap.printable(tensor.name)
        words = f"{kind_name(tensor)} · {text.shape(tensor.shape)} · {self.against.text()}"
        self._save(path, self.drawing.saving(title, words, look_to_save(self)))

    def copy_picture(self) -> None:
        """Put the curve on the clipboard as it is on screen."""
        if self.has_picture:
            QGuiApplication.clipboard().setPixmap(self.curve.grab())

    def copy_values(self) -> None:
        """Put the table on the clipboard."""
        QGuiApplication.clipboard().setText(tabbed(self.rows))

    @property
    def has_table(self) -> bool:
        """Whether anything is known to be exported."""
        return self.trying.known > 0

    def export_table(self) -> None:
        """Ask where to, and write the table in the background."""
        rows = self.rows
        if self.tensor is None:
            return
        usual = safe_name(f"{self.tensor.name}-types.csv")
        if path := destination.ask(self, self.context.settings, "Export the table", usual, KINDS):
            self._save(path, lambda beside: write(rows, beside), "Exporting the table")
