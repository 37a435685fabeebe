"""The part of the start that needs the window: the application, the first window, and how the program ends."""

from __future__ import annotations

import argparse
import os
import sys

from PySide6.QtCore import QEvent, QObject, QSize, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from tensorloupe.application import Application
from tensorloupe.files.settings import Settings
from tensorloupe.garbage import Garbage
from tensorloupe.opening.begin import Begun
from tensorloupe.widgets.viewport import viewport_of
from tensorloupe.window.window import Window

_TURN = 0.00002  # seconds until a thread at work gives the window its turn: each call to Qt may wait that long


def run(options: argparse.Namespace, begun: Begun) -> int:
    """Show the window of what has begun to be opened, and stay until the last one is closed."""
    app = QApplication([*sys.argv[:1], "-style", "fusion"])  # `setStyle` would load all of QStyle
    QTimer.singleShot(0, app, lambda: _settle(app))
    size = QSize(*options.size) if options.size is not None else None
    if options.screenshot is not None:
        from tensorloupe.screenshot import draw

        return draw(app, options, size)
    application = Application(app, Settings(), options.theme, size)
    window = application.new_window(begun)
    one = options.paths[0] if len(options.paths) == 1 else None
    window.wait_for_opening(one, options.tensor)
    if options.exit_after_first_paint:
        watch = _FirstPaint(window, one is not None)
        watch.setParent(window)
    window.show()
    if len(options.paths) > 1:
        window.open_paths(options.paths)
    if not options.exit_after_first_paint:
        QTimer.singleShot(0, application, lambda: application.restore(None if options.paths else window))
    code = app.exec()
    _leave(application, code)
    return code


def _settle(app: QApplication) -> None:
    """From throughput, which the start needs, to short waits for the window."""
    Garbage(app)
    sys.setswitchinterval(_TURN)


def _leave(application: Application, code: int) -> None:
    """End at once where a thread did not come home in time: a read that hangs must not hold the program."""
    for window in list(application.windows):
        window.close()
    if not application.all_home:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


class _FirstPaint(QObject):
    """Closes the window once the opened file's tree has been painted, or the window where no file was given."""

    def __init__(self, window: Window, wait_for_tree: bool) -> None:
        super().__init__()
        self._window, self._wait = window, wait_for_tree
        self._watched: QWidget = viewport_of(window.explorer.tree.view) if wait_for_tree else window.welcome.zone
        self._watched.installEventFilter(self)
        window.opener.failed.connect(self._end)
        window.opener.choices.connect(self._end)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and (not self._wait or self._window.explorer.tree.model.rowCount()):
            self._end()
        return False

    def _end(self, *_: object) -> None:
        self._watched.removeEventFilter(self)
        QTimer.singleShot(0, self._window.close)
