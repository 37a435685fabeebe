"""Which types are tried: a menu that stays open while types are checked, with a few choices of many at once."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

import weightmap
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import Chip


class TypesMenu(QMenu):
    """`chosen` comes when it closes with another choice, or at once where many are chosen together."""

    chosen = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        writable = weightmap.whatif_types(writable=True)
        self._writable = [kind.name for kind in writable]
        self.types: dict[str, QAction] = {}
        for word, names in (
            ("All that can be written", self._writable),
            ("Up to 4.5 bits", [k.name for k in writable if k.bits_per_weight <= 4.5]),
            ("All, those that cannot be written too", [k.name for k in weightmap.whatif_types()]),
        ):
            self.addAction(word).triggered.connect(lambda _=False, names=names: self._choose(names))
        self.addSeparator()
        for kind in writable:
            self._add(kind)
        self.addSeparator()
        without = self.addMenu("That cannot be written here")
        for kind in weightmap.whatif_types():
            if kind.name not in self._writable:
                self._add(kind, without)
        self._before: frozenset[str] = frozenset()
        self.choose(self.usual)
        self.aboutToShow.connect(self._remember)
        self.aboutToHide.connect(self._tell)

    @property
    def usual(self) -> list[str]:
        """What is tried at first: everything that can be written."""
        return list(self._writable)

    def _add(self, kind: weightmap.StoredType, menu: QMenu | None = None) -> None:
        action = (menu or self).addAction(f"{kind.name}\t{kind.bits_per_weight:.2f} bits")
        action.setCheckable(True)
        if menu is not None:
            action.triggered.connect(lambda _: self.chosen.emit())
        self.types[kind.name] = action

    @property
    def names(self) -> list[str]:
        """The types that are checked."""
        return [name for name, action in self.types.items() if action.isChecked()]

    def choose(self, names: Collection[str]) -> None:
        """Check these types and no others; where none of them is known, the usual ones."""
        wanted = set(names) & self.types.keys() or set(self._writable)
        for name, action in self.types.items():
            action.setChecked(name in wanted)

    def _choose(self, names: Collection[str]) -> None:
        self.choose(names)
        self._remember()
        self.chosen.emit()

    def _remember(self) -> None:
        self._before = frozenset(self.names)

    def _tell(self) -> None:
        if frozenset(self.names) != self._before:
            self._remember()
            self.chosen.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Check a type without closing."""
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isCheckable():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The same by the space bar."""
        action = self.activeAction()
        if event.key() == Qt.Key.Key_Space and action is not None and action.isCheckable():
            action.trigger()
        else:
            super().keyPressEvent(event)


class TypesButton(Chip):
    """Says how many types are chosen, and opens the menu of them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "", "Types to try", icon="down")
        self.setProperty("chip", False)
        self.setProperty("outlined", True)
        self.setFont(theme.font())
        self.setPopupMode(Chip.ToolButtonPopupMode.InstantPopup)
        self.choice = TypesMenu(self)
        self.setMenu(self.choice)
        self.choice.chosen.connect(self.tell)
        self.tell()

    def tell(self) -> None:
        """Say how many are chosen."""
        names = self.choice.names
        self.setText(names[0] if len(names) == 1 else f"{len(names)} types")
