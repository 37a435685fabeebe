"""Makes the views of a window, each once: when its tab is first opened, or before that, while nothing else is to be done.

A view is a hundred widgets, and takes the window's thread as long to make as to show for the first time. Made beforehand,
large ones in steps, each in a turn of the event loop, and put into the window in another, each is half the wait when its tab
is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

import weightmap
from tensorloupe.views import VIEWS, View, ViewContext, ViewKind

if TYPE_CHECKING:
    from tensorloupe.weights import Weight

_PAUSE = 100  # milliseconds between two steps that nobody waits for


class ViewMaker(QObject):
    """Keeps the views. `put` connects a new one and takes it into the window."""

    def __init__(self, context: ViewContext, put: Callable[[View], None], parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._put = context, put
        self._views: dict[str, View] = {}
        self._loose: tuple[str, View] | None = None  # what is being made, not in the window yet
        self._pause = QTimer(self, interval=_PAUSE)
        self._pause.timeout.connect(self._prepare_one)

    def __iter__(self) -> Iterator[View]:
        """The views that were made until now."""
        return iter(tuple(self._views.values()))

    def view(self, kind: ViewKind, weight: Weight) -> View:
        """The view of this kind that shows this weight; made where it was not."""
        stored = isinstance(weight, weightmap.Tensor)
        return self._made(kind, kind.make if stored else kind.make_composed or kind.make)

    def prepare(self) -> None:
        """From now on make what is missing, while nothing runs, the scan of values included. What views import must be loaded."""
        self._pause.start()

    def _made(self, kind: ViewKind, make: Callable[[ViewContext], View]) -> View:
        key = f"{kind.key} {make.__name__}"
        self._put_loose()
        if key not in self._views:
            self._loose = key, make(self._context)
            self._put_loose()
        return self._views[key]

    def _put_loose(self) -> None:
        loose, self._loose = self._loose, None
        if loose is not None:
            key, view = loose
            view.finish()
            self._views[key] = view
            self._put(view)

    def _prepare_one(self) -> None:
        if not self._context.tasks.idle:  # a thread at work makes each of the many calls to Qt wait
            return
        if self._loose is not None:
            if not self._loose[1].build_on():
                self._put_loose()
            return
        for kind in VIEWS:
            key = f"{kind.key} {kind.make.__name__}"
            if key not in self._views:
                self._context.unhurried = True
                try:
                    self._loose = key, kind.make(self._context)
                finally:
                    self._context.unhurried = False
                return
        self._pause.stop()
