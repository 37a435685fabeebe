"""Asks where a file is to go: from the folder where the last one went, to a name with an ending of its kind."""

from __future__ import annotations

import os
import re

from PySide6.QtWidgets import QFileDialog, QWidget

from tensorloupe.files.settings import Settings
from tensorloupe.files.writing import with_ending


def ask(parent: QWidget, settings: Settings, title: str, usual: str, kinds: str, kept: str = "exports") -> str:
    """The path, with an ending; empty where the user would rather not.

    usual  the name that is offered
    kinds  what it can be, as the dialog lists it, the usual kind first: "PNG (*.png);;SVG (*.svg)"
    kept   the setting that remembers the folder
    """
    start = os.path.join(str(settings.get(kept, "")), usual)
    path, chosen = QFileDialog.getSaveFileName(parent, title, start, kinds)
    if not path:
        return ""
    settings.set(kept, os.path.dirname(path))
    return with_ending(path, chosen, re.findall(r"\*(\.\w+)", kinds))
