"""What the window shows of a comparison: corner, tree, subject, menus, and in a strip what cannot be said in the view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

import weightmap
from tensorloupe.comparing.comparing import Comparing
from tensorloupe.files import places
from tensorloupe.items.errors import MARKS, VERDICTS, Errors
from tensorloupe.items.treeerrors import TreeErrors
from tensorloupe.opening.reasons import explain
from tensorloupe.style import text
from tensorloupe.views import VIEWS

if TYPE_CHECKING:
    from tensorloupe.window.window import Window

REFERENCES = "references"  # setting: paths attached before, latest first
KEPT = 10
ERROR_TAB = [kind.key for kind in VIEWS].index("error")


class Attaching(QObject):
    """Made when a reference is first attached to a window's model; there is one per window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        document = window.document
        self.comparing = Comparing(document, window.tasks, self)
        self._tree: TreeErrors | None = None
        document.reference_changed.connect(self._changed)
        document.compared.connect(self._compared)
        window.closed.connect(self._closed)

    def attach(self, path: str, show: bool = True) -> None:
        """Compare with the model at a path; `show` turns to the errors."""
        window = self._window
        kept = [known for known in references(window) if known != places.kept(path)]
        window.settings.set(REFERENCES, [places.kept(path), *kept][:KEPT])
        window.strip.hide()
        self.comparing.attach(path)
        if show:
            show_errors(window)

    def _changed(self) -> None:
        window, comparing = self._window, self.comparing
        outline = window.contents.outline if window.contents is not None else None
        errors = comparing.errors
        if errors is None or outline is None:
            self._tree = None
        elif self._tree is None or self._tree.errors is not errors or self._tree.outline is not outline:
            self._tree = TreeErrors(outline, errors)
        else:
            self._tree.refresh()
        window.explorer.tree.show_errors(self._tree)
        self._tell()
        self._show_verdict()
        self._show_trouble()
        window.refresh_actions()

    def _compared(self, rows: list[int]) -> None:
        if self._tree is not None:
            self._tree.refresh()
            self._window.explorer.tree.show_errors(self._tree, rearrange=False)
        self._tell()
        row = self.comparing.row_of(self._window.document.selected)
        if row in rows:
            self._show_verdict()

    def _tell(self) -> None:
        """The corner."""
        self._window.summary_line.show_comparison(*standing(self.comparing))

    def _show_verdict(self) -> None:
        """The subject line says so where the selected tensor is not as it should be."""
        self._window.explorer.area.refresh_subject()

    def _show_trouble(self) -> None:
        """A reference that could not be opened is said in the Error view; elsewhere the strip says it."""
        window, comparing = self._window, self.comparing
        if comparing.stage != "failed" or comparing.reason is None or error_view_in_front(window):
            return
        if isinstance(comparing.reason, weightmap.FileChangedError):
            return  # the watch says so, with Reload
        sentence, advice = trouble(comparing)
        window.strip.say("error", sentence, advice, (("Try again", comparing.resume),))

    def _closed(self, _: object) -> None:
        if self._window.tasks.home:
            self.comparing.close()


def standing(comparing: Comparing) -> tuple[str, str]:
    """How a comparison stands: a status, and a word or two; no words where there is none."""
    errors, stage = comparing.errors, comparing.stage
    if stage == "none":
        return "ok", ""
    if errors is None:
        return {"pairing": ("running", "pairing"), "cancelled": ("unchecked", "cancelled")}.get(
            stage, ("error", "not opened")
        )
    if not errors.pairs:
        return "error", "nothing pairs"
    return worst_of(errors, stage == "measuring")


def worst_of(errors: Errors, running: bool = False) -> tuple[str, str]:
    """The loudest verdict with how many pairs have it, else how far the comparison is."""
    counts = errors.counts()
    for verdict, word in (("wrong", "wrong"), ("worse", "worse than expected")):
        if counts[verdict]:
            return MARKS[verdict], f"{text.count(counts[verdict])} {word}"
    if counts["waiting"]:
        share = f"{text.count(errors.measured)} of {text.count(len(errors.pairs))}"
        return ("running" if running else "unchecked"), share
    loudest = next(verdict for verdict in reversed(VERDICTS) if counts[verdict])
    return MARKS[loudest], {"identical": "identical", "unread": "not all measured"}.get(loudest, "normal")


def trouble(comparing: Comparing) -> tuple[str, str]:
    """(what is wrong, what to do) about a reference that could not be opened or read."""
    assert comparing.reason is not None
    return explain(comparing.path or "", comparing.reason)


def references(window: Window) -> list[str]:
    """The references attached before, latest first."""
    listed = window.settings.get(REFERENCES, [])
    return [path for path in listed if isinstance(path, str) and path and "\0" not in path]


def error_view_in_front(window: Window) -> bool:
    """Whether the errors are what is shown."""
    area = window.explorer.area
    in_front = window.stack.currentWidget() is window.explorer
    return in_front and area.view is not None and area.tabs.currentIndex() == ERROR_TAB


def show_errors(window: Window) -> None:
    """Turn to the errors; where no tensor is selected, a telling one is."""
    window.stack.setCurrentWidget(window.explorer)
    window.explorer.area.open_tab(ERROR_TAB)
    outline = window.contents.outline if window.contents is not None else None
    if window.document.selected is None and outline is not None and outline.tensors:
        readable = [tensor for tensor in outline.tensors if tensor.problem is None] or list(outline.tensors)
        window.explorer.tree.select(max(readable, key=lambda tensor: (len(tensor.shape) > 1, tensor.nbytes)))
