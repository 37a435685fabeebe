"""What a drag brings: the local paths in it, byte for byte, and the rule that a drop anywhere in a window is the window's."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QLineEdit, QWidget

from tensorloupe.files.places import is_address

if TYPE_CHECKING:  # until something is dropped, none of this is loaded
    from PySide6.QtCore import QMimeData, QUrl
    from PySide6.QtGui import QDragMoveEvent, QDropEvent


def local_paths(mime: QMimeData) -> list[str]:
    """Paths of the local files and folders in a drag, in order, bytes that are no UTF-8 kept as surrogate escapes."""
    return [path for path in (local_path(url) for url in mime.urls()) if path]


def local_path(url: QUrl) -> str:
    """The path of a file URL; empty for any other. QUrl's own way would lose bytes that are no UTF-8."""
    if not url.isLocalFile():
        return ""
    if os.name == "nt" or url.host():
        return url.toLocalFile()
    from PySide6.QtCore import QByteArray, QUrl

    encoded = url.toEncoded(QUrl.ComponentFormattingOption.FullyEncoded | QUrl.UrlFormattingOption.RemoveScheme)
    path = bytes(QByteArray.fromPercentEncoding(encoded).data())
    return os.fsdecode(path.removeprefix(b"//"))


def addresses(mime: QMimeData) -> list[str]:
    """Web addresses in a drag, as they were written: QUrl's own way would put an owner's name into small letters."""
    listed = bytes(mime.data("text/uri-list").data()).decode("utf-8", "replace") if mime.hasUrls() else mime.text()
    lines = [line.strip() for line in listed[:_LONGEST].splitlines() if not line.startswith("#")]
    written = {line.strip().lower(): line.strip() for line in mime.text()[:_LONGEST].splitlines()}
    lines = [written.get(line.lower(), line) for line in lines if line]
    return lines if all(is_address(line) and not line.lower().startswith("file:") for line in lines) else []


_LONGEST = 1 << 16  # characters of a drag that are looked at for addresses

_PART = re.compile(r"(?P<stem>.*)-\d{5}-of-(?P<count>\d{5})\.(?P<ending>gguf|safetensors)", re.IGNORECASE)


def one_per_set(paths: Sequence[str]) -> list[str]:
    """The paths without those that the others open anyway: further parts of a split GGUF, shards beside their index.

    Goes by names alone: the disk is not asked.
    """
    folders: dict[str, set[str]] = {}
    for path in paths:
        folder, name = os.path.split(path)
        folders.setdefault(folder, set()).add(name)
    kept, seen = [], set()
    for path in dict.fromkeys(paths):
        folder, name = os.path.split(path)
        part = _PART.fullmatch(name)
        if part is not None:
            family = (folder, part["stem"], part["count"], part["ending"].lower())
            indexed = f"{part['stem']}.safetensors.index.json" in folders[folder]
            if indexed or (family[3] == "gguf" and family in seen):
                continue
            seen.add(family)
        kept.append(path)
    return kept


def answer(event: QDragMoveEvent | QDropEvent) -> bool:
    """Accept a drag that holds local files or web addresses, as a copy and never as a move; says whether it does."""
    if not (local_paths(event.mimeData()) or addresses(event.mimeData())):
        event.ignore()
        return False
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
    return True


def leave_to_window(widget: QWidget) -> None:
    """Let fields, tables and readers inside pass drops on to the window instead of inserting paths as text."""
    for kind in (QLineEdit, QAbstractScrollArea):  # asked for at each change of view: the others are many
        for child in widget.findChildren(kind):
            if child.acceptDrops():
                child.setAcceptDrops(False)  # the viewport of a scroll area follows it
