"""What people do to a window: drop things on it, press keys, turn the wheel, take what its strip offers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from tensorloupe.window.window import Window

BOTH = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
HELD = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drop(target: QWidget, *paths: Path | str) -> QDropEvent:
    """Drag files over a widget and let go, as a file manager does that would rather move them."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return drop_mime(target, mime)


def drop_mime(target: QWidget, mime: QMimeData) -> QDropEvent:
    """The same with anything; the event says whether it was taken, and how."""
    hover(target, mime)
    event = QDropEvent(QPointF(target.rect().center()), BOTH, mime, *HELD)
    event.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(target, event)
    return event


def hover(target: QWidget, mime: QMimeData) -> QDragEnterEvent:
    """Drag something over a widget without letting go."""
    event = QDragEnterEvent(target.rect().center(), BOTH, mime, *HELD)
    QApplication.sendEvent(target, event)
    return event


def take(window: Window, word: str) -> None:
    """Take the offer of the strip that says this."""
    [offer] = [one for one in window.strip.findChildren(QPushButton) if one.text() == word and not one.isHidden()]
    offer.click()


def press(window: Window, keys: str) -> None:
    """Trigger the action of that key, which must be usable, whether or not a window manager made the window active."""
    wanted = QKeySequence(keys)
    action = next(action for action in window.actions_.by_name.values() if wanted in action.shortcuts())
    assert action.isEnabled(), keys
    action.trigger()


def wheel(widget: QWidget, notches: int, at: QPointF | None = None) -> None:
    """Turn the wheel over a place of a widget, its middle if none is given, a notch at a time; up is positive."""
    where = QPointF(widget.rect().center()) if at is None else at
    anywhere = QPointF(widget.mapToGlobal(where.toPoint()))
    turned = QPoint(0, 120 if notches > 0 else -120)
    no = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    for _ in range(abs(notches)):
        QApplication.sendEvent(widget, QWheelEvent(where, anywhere, QPoint(), turned, *no, False))
