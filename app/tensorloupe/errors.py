"""What happens to an exception that nobody caught: it is shown where it can be copied, and the window goes on."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from tensorloupe.window.dialogs import ErrorDialog


class ErrorHook:
    """Takes the place of sys.excepthook: shows what nobody caught, prints it as well, and lets the window go on."""

    def __init__(self) -> None:
        self._dialog: ErrorDialog | None = None

    def __call__(self, kind: type[BaseException], reason: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, reason, trace)
        if issubclass(kind, KeyboardInterrupt):
            QGuiApplication.quit()
            return
        from tensorloupe.window.dialogs import ErrorDialog

        if self._dialog is None:
            self._dialog = ErrorDialog(None)
            self._dialog.destroyed.connect(self._forget)
            self._dialog.show()
        self._dialog.add("".join(traceback.format_exception(kind, reason, trace)))

    def _forget(self, *_: object) -> None:
        self._dialog = None
