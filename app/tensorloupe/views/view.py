"""What every view of a tensor is to the window: a widget that is told what to show and says how sure it is.

The window knows views only through this class, so that a new view is one line in the table of views. A view starts its
work through the task runner in a slot of its own; a second tensor therefore always replaces the first one's result.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QWidget

from tensorloupe.style.text import shape

if TYPE_CHECKING:
    from tensorloupe.document import Document
    from tensorloupe.files.settings import Settings
    from tensorloupe.readable import Shown
    from tensorloupe.style.theme import Theme
    from tensorloupe.task import Progress
    from tensorloupe.tasks import TaskRunner
    from tensorloupe.views.summary import Summaries
    from tensorloupe.weights import Weight


SURE = ("exact", "sample", "assumed")
"""How the line about what a view found begins; all other lines are about the view itself."""

NONE_SELECTED = "No tensor selected. Pick one on the left, or press Ctrl+P."


def nothing_of(tensor: Shown | None) -> str:
    """Why there is nothing of a tensor to show: none is selected, or it has no values."""
    return NONE_SELECTED if tensor is None else f"This tensor has no values: its shape is {shape(tensor.shape)}."


class ViewContext:
    """What a view works with; the same for all views of one window.

    unhurried  whether a view that is made now may leave steps of its building for later: nobody waits for it
    """

    def __init__(self, document: Document, tasks: TaskRunner, theme: Theme, settings: Settings) -> None:
        self.document, self.tasks, self.theme, self.settings = document, tasks, theme, settings
        self.unhurried = False

    @cached_property
    def summaries(self) -> Summaries:
        """What the views found out, shared; made by the first of them."""
        from tensorloupe.views.summary import Summaries

        summaries = Summaries()
        self.document.model_changed.connect(summaries.clear)
        return summaries


class View(QWidget):
    """A picture of the selected tensor, its controls and its numbers.

    status_text  one line for the left of the status bar, such as "exact · 655,360 values in 3 ms", which begins with one of
                 SURE; another where nothing was found yet, and empty when nothing is shown
    hint         one line for the right of the status bar: what mouse and keys do here
    picture_changed  whether there is a picture to save may have changed
    action_wanted  the name of a menu's action that a button of the view stands for
    go_wanted  (key of a view, index of an element) the user wants to see that element in another view
    written  (path, None or the exception) once a file was written, or could not be
    """

    status_text = Signal(str)
    picture_changed = Signal()
    go_wanted = Signal(str, object)
    written = Signal(str, object)
    action_wanted = Signal(str)
    hint = ""
    least_height = 0  # px of the window's inside below which the dock makes room

    def __init__(self, context: ViewContext, slot: str) -> None:
        super().__init__()
        self.context = context
        self.slot = slot
        self.tensor: Shown | None = None
        self._steps: Iterator[None] = iter(())
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)

    def _build_by(self, steps: Iterator[None]) -> None:
        """Build in steps, each felt as little as a turn of the event loop: all now, unless nobody waits for the view."""
        self._steps = steps
        if not self.context.unhurried:
            self.finish()

    def build_on(self) -> bool:
        """Take the next step of building; whether there was one."""
        return next(self._steps, self) is None

    def finish(self) -> None:
        """Take all steps that are left: the view is wanted."""
        while self.build_on():
            pass

    @abstractmethod  # mypy refuses a view without: Qt's metaclass and ABCMeta do not join
    def show_tensor(self, tensor: Shown | None) -> None:
        """Show this tensor, or the sentence for none. Returns at once; the work is done in the background."""

    @abstractmethod
    def refresh_theme(self) -> None:
        """Redraw in the theme's colours, with zoom, limits and selection as they are."""

    def cancel(self) -> None:
        """Stop what runs for this view; what was computed stays."""
        self.context.tasks.drop(self.slot)

    @property
    def has_picture(self) -> bool:
        """Whether there is something to save or copy."""
        return False

    def save_picture(self, path: str) -> None:
        """Write the picture in the background, as its ending says: .png or .svg. `written` tells how it went.

        Raises ValueError where there is no picture.
        """
        raise ValueError("This view has no picture to save.")

    def _save(self, path: str, write: Callable[[str], None], title: str = "Saving the picture") -> None:
        """Run `write` with a path of the same ending on the plot thread, and tell how it went.

        The file is there whole, or not at all; it never takes the place of a model that is open.
        """
        files = self.context.document.files()

        def work(_: Progress) -> None:
            from tensorloupe.files.writing import keep_off, whole_path  # the start does without

            keep_off(path, files)
            with whole_path(path) as beside:
                write(beside)

        self.context.tasks.start(
            f"{self.slot}.save",
            title,
            work,
            lambda _: self.written.emit(path, None),
            lambda reason: self.written.emit(path, reason),
            pool="plot",
        )

    def _copy(self, make: Callable[[], str], failed: Callable[[BaseException], None]) -> None:
        """Put a text that takes a while on the clipboard, once it is made."""
        clipboard = QGuiApplication.clipboard()
        title = "Copying the values in view"
        self.context.tasks.start(f"{self.slot}.copy", title, lambda _: make(), clipboard.setText, failed)

    def copy_picture(self) -> None:
        """Put the picture on the clipboard."""

    def copies(self, focus: QWidget) -> bool:
        """Whether Copy takes from the view while this widget has the focus, not from the tree."""
        return False

    def copy_text(self, whole_row: bool) -> str:
        """What Copy takes then: a name or cell, or whole rows."""
        return ""

    def copy_values(self) -> None:
        """Put the values in view, or the numbers beside the picture, on the clipboard as tab-separated text."""

    def go_to_element(self, index: Sequence[int]) -> None:
        """Show one element of the tensor in front, where the view shows single ones: `index` has a number for each axis."""

    @property
    def has_table(self) -> bool:
        """Whether there is a table to export."""
        return False

    def export_table(self) -> None:
        """Ask where to, and write the table into a file in the background. `written` tells how it went."""

    def ask_position(self) -> None:
        """Move the focus to the field that takes a row and a column, where the view has one."""


class ViewKind(NamedTuple):
    """A line of the table of views. `make` imports what the view needs, so that nothing is paid before the first use.

    supports  whether the view can show this tensor; the tab stays either way
    why_not   the sentence to show where it cannot
    layers    whether the layers of a composed weight can be shown as well; else the weight is, whatever was chosen
    make_composed  makes the view that stands in its place for weights that lie in several tensors, where there is one
    needs     what its menu entry needs: a selected tensor, or no more than a model
    """

    key: str
    title: str
    supports: Callable[[Weight], bool]
    why_not: Callable[[Weight], str]
    make: Callable[[ViewContext], View]
    needs: Literal["tensor", "model"] = "tensor"
    layers: bool = False
    make_composed: Callable[[ViewContext], View] | None = None
