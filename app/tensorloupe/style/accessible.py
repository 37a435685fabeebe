"""What screen readers are told of widgets that Qt does not know: that a picture is a picture.

Names and descriptions are set on the widgets themselves; only the role cannot be, and Qt would call each a client area.
"""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_ROLE = "spoken_role"


def speak_as(widget: QWidget, role: QAccessible.Role, name: str) -> None:
    """Let a widget that is painted by hand be announced in this role, under this name.

    The role comes first: Qt asks for it when a name is set while somebody listens, and keeps the answer.
    """
    widget.setProperty(_ROLE, role.value)
    widget.setAccessibleName(name)


def install() -> None:
    """Answer for the widgets that `speak_as` has named; Qt answers for all others. Once per program is enough."""
    QAccessible.installFactory(_answer)


def _answer(kind: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, QWidget) or (role := thing.property(_ROLE)) is None:
        return None
    return QAccessibleWidget(thing, QAccessible.Role(role))
