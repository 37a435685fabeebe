"""What a quantization cost: the errors of the whole file ranked, and those of the selected tensor in pictures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

import weightmap
from tensorloupe import text
from tensorloupe.comparing.comparing import Comparing
from tensorloupe.comparing.wording import Told, nothing_pairs, told, told_unpaired
from tensorloupe.items.errors import Errors
from tensorloupe.items.errortable import copied
from tensorloupe.panels.strip import Strip
from tensorloupe.views.compare.empty import Empty
from tensorloupe.views.compare.ranking import Ranking
from tensorloupe.views.stage import Stage, explained
from tensorloupe.views.view import View, ViewContext


class ErrorView(View):
    """Table, grid and pictures of the document's comparison. Only shows: the document keeps what was measured."""

    hint = "Click a head to rank by it · F6 next region"

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "error")
        theme = context.theme
        self.empty = Empty(theme)
        self.ranking = Ranking(theme, context.settings)
        self.strip, self.halted = Strip(theme, closable=False), Strip(theme, closable=False)
        self._errors: Errors | None = None
        self._build()
        self._connect()
        self._refresh()

    def _build(self) -> None:
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.ranking)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.halted)
        column.addWidget(self.split, 1)
        column.addWidget(self.strip)
        self.stage = Stage(self.context.theme, body)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.stage)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.pages)

    def _connect(self) -> None:
        document, head = self.context.document, self.ranking.head
        document.reference_changed.connect(self._refresh)
        document.compared.connect(self._compared)
        self.ranking.chosen.connect(self._go_to_row)
        self.ranking.table.accept_wanted.connect(self._accept)
        self.stage.cancel.connect(lambda: self.context.tasks.cancel("reference"))
        self.stage.again.connect(self._resume)
        for signal, action in (
            (self.empty.attach.clicked, "attach"),
            (head.change_wanted, "attach"),
            (head.export_wanted, "export_errors"),
        ):
            signal.connect(lambda *_, name=action: self.action_wanted.emit(name))

    @property
    def comparing(self) -> Comparing | None:
        """The document's comparison, None before a reference was attached for the first time."""
        return self.context.document.comparing

    # what to show

    def show_tensor(self, tensor: weightmap.Tensor | None) -> None:
        """Show the errors of this tensor; the table of the whole file stays."""
        self.tensor = tensor
        comparing = self.comparing
        self.ranking.go_to(comparing.row_of(tensor) if comparing is not None else None)
        self._tell()

    def _refresh(self) -> None:
        """Another reference, or another stage of it."""
        comparing = self.comparing
        if comparing is None or comparing.stage == "none":
            self._take(None)
            self.pages.setCurrentWidget(self.empty)
            self._tell()
            return
        self.pages.setCurrentWidget(self.stage)
        self.ranking.head.show_reference(comparing.name, weightmap.printable(comparing.path or ""))
        self._take(comparing.errors)
        if comparing.errors is not None:
            self.stage.show_picture()
        elif comparing.stage == "pairing":
            self.stage.show_running(f"Pairing with {comparing.name}")
        elif comparing.stage == "cancelled":
            self.stage.show_cancelled("Cancelled while the tensors were being paired.")
        elif comparing.reason is not None:
            self.stage.show_failed(comparing.reason)
        self._tell_halted(comparing)
        self.ranking.settle()
        self._tell()

    def _tell_halted(self, comparing: Comparing) -> None:
        """Measuring that ended before all was measured, and the way on."""
        errors = comparing.errors
        if errors is None or comparing.stage not in ("cancelled", "failed"):
            self.halted.hide()
        elif comparing.reason is None:
            at = f"{text.count(errors.measured)} of {text.counted(len(errors.pairs), 'pair')}"
            self.halted.say("info", f"Cancelled at {at}.", "", (("Resume", self._resume),))
        else:
            what, advice = explained(comparing.reason)
            self.halted.say("error", what, advice, (("Try again", self._resume),))

    def _take(self, errors: Errors | None) -> None:
        if errors is not self._errors:
            self._errors = errors
            self.ranking.show_errors(errors)
            self.ranking.go_to(self.comparing.row_of(self.tensor) if self.comparing is not None else None)
            self.picture_changed.emit()

    def _compared(self, rows: list[int]) -> None:
        self.ranking.news()
        comparing = self.comparing
        if comparing is not None and comparing.row_of(self.tensor) in rows:
            self._tell()
        else:
            self._say()

    # what is said

    def _tell(self) -> None:
        """The selected tensor in a sentence."""
        comparing, errors = self.comparing, self._errors
        if comparing is None or errors is None:
            self.strip.hide()
            self.status_text.emit("")
            return
        row = comparing.row_of(self.tensor)
        buttons = []
        if not errors.pairs:
            what: Told | None = nothing_pairs(errors, comparing.name)
            buttons.append(("Choose another", lambda: self.action_wanted.emit("attach")))
        elif row is not None:
            what = told(errors, row)
            if errors.guess(row):
                buttons.append(("Accept this pair", lambda: self._accept([row])))
        else:
            what = None if self.tensor is None else told_unpaired(errors, self.tensor.name, comparing.name)
        if what is None:
            self.strip.hide()
        else:
            self.strip.say(what.status, what.sentence, what.more, tuple(buttons))
        self._say()

    def _say(self) -> None:
        """How far it is, for the status bar; what was cancelled or failed on the way, with the way on."""
        comparing, errors = self.comparing, self._errors
        if comparing is None or errors is None:
            return
        done, total = errors.measured, len(errors.pairs)
        if comparing.stage == "done":
            values = sum(error.count for error in errors.errors if error is not None)
            said = f"exact · {text.counted(total, 'pair')}, {text.counted(values, 'value')} compared"
        else:
            word = {"cancelled": "cancelled at ", "failed": "stopped at "}.get(comparing.stage, "")
            said = f"{word}{text.count(done)} of {text.counted(total, 'pair')}"
        self.status_text.emit(said)

    # what is wished

    def _go_to_row(self, row: int) -> None:
        """Select the tensor of a row everywhere."""
        model, errors = self.context.document.model, self._errors
        if model is None or errors is None:
            return
        name = errors.pairs[row].tensor
        tensor = model.tensors.get(name) or model.tensors.get(name.partition(" + ")[0])
        if tensor is not None:
            self.context.document.select(tensor)

    def _accept(self, rows: list[int]) -> None:
        if self.comparing is not None:
            self.comparing.accept(rows)
            self.ranking.settle()
            self._tell()

    def _resume(self) -> None:
        if self.comparing is not None:
            self.comparing.resume()

    # the rest of a view

    def cancel(self) -> None:
        """Stop what runs for the pictures; measuring goes on, whatever is in front."""

    def refresh_theme(self) -> None:
        """Draw anew in the colours in force."""
        self.update()

    def copy_values(self) -> None:
        """Put the selected rows on the clipboard, of one row and of none the whole table."""
        errors = self._errors
        if errors is not None:
            rows = self.ranking.table.selected_rows()
            QGuiApplication.clipboard().setText(copied(errors, rows if len(rows) > 1 else range(len(errors.pairs))))
