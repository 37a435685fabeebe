"""What a quantization cost: the errors of the whole file ranked, and those of the selected tensor in pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

import weightmap
from tensorloupe.compared import Compared
from tensorloupe.items.errors import Errors
from tensorloupe.items.errortable import copied
from tensorloupe.style import tips
from tensorloupe.views.compare.body import Body
from tensorloupe.views.compare.empty import Empty
from tensorloupe.views.compare.grid import GridPanel
from tensorloupe.views.compare.head import ErrorHead
from tensorloupe.views.compare.pictures import Pictures
from tensorloupe.views.compare.ranking import Ranking
from tensorloupe.views.compare.words import about, halted, how_far
from tensorloupe.views.stage import Stage
from tensorloupe.views.view import View, ViewContext
from tensorloupe.weights import weight_called
from tensorloupe.widgets.table import Table

if TYPE_CHECKING:
    from tensorloupe.readable import Shown

_LEAST = 700  # px of the window's inside that table and pictures want


class ErrorView(View):
    """Table, grid and pictures of the document's comparison. Only shows: the document keeps what was measured."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context, "error")
        self._errors: Errors | None = None
        self._build_by(self._build())

    def _build(self) -> Iterator[None]:
        theme = self.context.theme
        head, grid = ErrorHead(theme), GridPanel(theme)
        yield
        self.ranking = Ranking(theme, self.context.settings, head, grid)
        yield
        self.pictures = Pictures(self.context, self.slot)
        yield
        self.body = Body(theme, self.ranking, self.pictures)
        self.strip, self.halted = self.body.strip, self.body.halted
        self.empty = Empty(theme)
        self.stage = Stage(theme, self.body)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.stage)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.pages)
        self._connect()
        self._refresh()

    def _connect(self) -> None:
        document, head = self.context.document, self.ranking.head
        document.reference_changed.connect(self._refresh)
        document.compared.connect(self._compared)
        self.ranking.chosen.connect(self._go_to_row)
        self.pictures.drawn.connect(self.picture_changed)
        self.body.lowered.connect(self._lowered)
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
    def comparing(self) -> Compared | None:
        """The document's comparison, None before a reference was attached for the first time."""
        return self.context.document.comparing

    # what to show

    def show_tensor(self, tensor: Shown | None) -> None:
        """Show the errors of this tensor; the table of the whole file stays."""
        self.tensor = tensor
        comparing = self.comparing
        self.ranking.go_to(comparing.row_of(tensor) if comparing is not None else None)
        self._show_pictures()
        self._tell()

    def _show_pictures(self) -> None:
        """The pair that the selected tensor is in."""
        row = self.comparing.row_of(self.tensor) if self.comparing is not None else None
        pair = None if row is None or self._errors is None else self._errors.pairs[row]
        self.body.show_below(pair is not None)
        self.pictures.show_pair(pair)

    def _refresh(self) -> None:
        """Another reference, or another stage of it."""
        comparing = self.comparing
        nothing = comparing is None or comparing.stage == "none"
        self.least_height = 0 if nothing else _LEAST  # no table, no pictures: the dock may stay
        if comparing is None or nothing:
            self._take(None)
            self.hint = ""
            self.pages.setCurrentWidget(self.empty)
            self._tell()
            return
        self.hint = "Click a head to rank by it · F6 next region"
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
        why = halted(comparing)
        if why is None:
            self.halted.hide()
        else:
            word = "Resume" if why.status == "info" else "Try again"
            self.halted.say(*why, ((word, self._resume),))
        self.ranking.settle()
        self._tell()

    def _take(self, errors: Errors | None) -> None:
        if errors is not self._errors:
            self._errors = errors
            self.ranking.show_errors(errors)
            self.ranking.go_to(self.comparing.row_of(self.tensor) if self.comparing is not None else None)
            self._show_pictures()
            self.picture_changed.emit()

    def _lowered(self, low: bool) -> None:
        self.pictures.set_compact(low)
        self._tell()

    def _compared(self, rows: list[int]) -> None:
        self.ranking.news()
        comparing = self.comparing
        if comparing is not None and comparing.row_of(self.tensor) in rows:
            self._tell()
        else:
            self._say()

    # what is said

    def _tell(self) -> None:
        """The selected tensor in a sentence, with what can be done."""
        comparing = self.comparing
        what = None if comparing is None else about(comparing, self.tensor)
        if comparing is None or what is None:
            self.strip.hide()
        else:
            self.strip.say(
                what.status, what.sentence, "" if self.body.low else what.more, tuple(self._buttons(comparing))
            )
            self.strip.setToolTip(tips.plain(what.more))
        self.body.fit()
        self._say()

    def _buttons(self, comparing: Compared) -> Iterator[tuple[str, Callable[[], None]]]:
        errors, row = comparing.errors, comparing.row_of(self.tensor)
        if errors is None or not errors.pairs:
            yield "Choose another", lambda: self.action_wanted.emit("attach")
        elif row is not None and errors.guess(row):
            yield "Accept this pair", lambda: self._accept([row])
        elif row is not None and errors.verdict(row) in ("normal", "worse"):
            yield "Try other types", lambda: self.action_wanted.emit("try_types")

    def _say(self) -> None:
        self.status_text.emit("" if self.comparing is None else how_far(self.comparing))

    # what is wished

    def _go_to_row(self, row: int) -> None:
        """Select the tensor of a row everywhere."""
        model, errors = self.context.document.model, self._errors
        if model is None or errors is None:
            return
        found = (weight_called(model, name) for name in errors.tensors_of(row))
        if (tensor := next((one for one in found if one is not None), None)) is not None:
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
        self.pictures.rest()

    def refresh_theme(self) -> None:
        """Draw anew in the colours in force."""
        self.pictures.refresh_theme()
        self.update()

    @property
    def has_picture(self) -> bool:
        """Whether a histogram or a heatmap of the selected pair is shown."""
        return self.pictures.pair is not None and self.pictures.has_picture

    def save_picture(self, path: str) -> None:
        """Write the histogram, or the heatmap where that has the focus, in light colours, as PNG or SVG."""
        from tensorloupe.views.compare.saving import writer

        write = writer(self.pictures)
        if write is None:
            raise ValueError("There is no picture to save.")
        self._save(path, write)

    def copy_picture(self) -> None:
        """Put the pictures on the clipboard as they are on screen."""
        if self.has_picture:
            QGuiApplication.clipboard().setPixmap(self.pictures.grab())

    def copies(self, focus: QWidget) -> bool:
        """Rows of the table, of what has no pair, and of the worst."""
        return self._copied_table(focus) is not None

    def copy_text(self, whole_row: bool) -> str:
        """The name, or whole rows in full."""
        table = self._copied_table(self.focusWidget())
        return "" if table is None else table.selected_text(whole_row)

    def _copied_table(self, focus: QWidget | None) -> Table | None:
        return focus if isinstance(focus, Table) and self.isAncestorOf(focus) else None

    def copy_values(self) -> None:
        """Put the selected rows on the clipboard, of one row and of none the whole table."""
        errors = self._errors
        if errors is not None:
            rows = self.ranking.table.selected_rows()
            QGuiApplication.clipboard().setText(copied(errors, rows if len(rows) > 1 else range(len(errors.pairs))))
