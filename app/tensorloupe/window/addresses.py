"""Web addresses: asked for in a small dialog, or dropped, and contacted only after the user has agreed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

import weightmap
from tensorloupe.files import places
from tensorloupe.opening import drops
from tensorloupe.style.theme import Theme
from tensorloupe.widgets.controls import PlainLabel
from tensorloupe.window import choosing

if TYPE_CHECKING:
    from tensorloupe.window.window import Window

_LONGEST = 4096  # characters of an address that is taken from the clipboard
_EXAMPLE = "https://…/model.gguf, hf://OWNER/NAME/model.safetensors, s3://BUCKET/model.gguf"
_FETCHED = "Its header is fetched, and of tensors what you look at."


class AddressDialog(QDialog):
    """A field for an address. Emits it once the user agrees; until then nothing is contacted. Esc leaves."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Open address")
        title, self.said = PlainLabel(theme), PlainLabel(theme, "secondary")
        title.set_text("Address of a model, of an index, or of any part of a split one:")
        self.field = QLineEdit()
        self.field.setAccessibleName("Address")
        self.field.setPlaceholderText(_EXAMPLE)
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._typed)
        self.said.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Open | QDialogButtonBox.StandardButton.Cancel)
        self.agree = buttons.button(QDialogButtonBox.StandardButton.Open)
        self.agree.setProperty("primary", True)
        buttons.accepted.connect(self._agreed)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addWidget(title)
        column.addWidget(self.field)
        column.addWidget(self.said)
        column.addStretch(1)
        column.addWidget(buttons)
        self.resize(620, 170)

    def ask(self, address: str) -> None:
        """Ask for an address; `address` stands in the field already, to be replaced by typing."""
        self.field.setText(address)
        self.field.setSelection(len(address), -len(address))  # the cursor, and what is seen, at its beginning
        self._typed()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self.open()

    @property
    def address(self) -> str:
        """What was typed."""
        return self.field.text().strip()

    def _typed(self, _: str = "") -> None:
        good = places.is_address(self.address)
        self.agree.setEnabled(good)
        if good:
            self.said.set_text(weightmap.printable(f"Open contacts {places.host(self.address)}. {_FETCHED}"))
        else:
            self.said.set_text("This is no address: it begins with https://, hf://, s3:// …" if self.address else "")

    def _agreed(self) -> None:
        if self.agree.isEnabled():
            self.accept()
            self.chosen.emit(self.address)


def ask_for_address(window: Window) -> None:
    """Ask for an address, with the clipboard's in the field where it holds one."""
    dialog = window.findChild(AddressDialog)
    if dialog is None:
        dialog = AddressDialog(window.theme, window)
        dialog.chosen.connect(lambda address: window.open_paths([address]))
    copied = QGuiApplication.clipboard().text().strip()
    usable = len(copied) <= _LONGEST and len(copied.split()) == 1 and places.is_address(copied)
    dialog.ask(copied if usable else "")


def take_drop(window: Window, mime: QMimeData) -> None:
    """Open the files that were dropped, or ask whether to compare; ask before a web address is contacted."""
    if paths := drops.local_paths(mime):
        if len(paths) == 1 and window.document.model is not None and not window.sheets.in_front:
            choosing.offer(window, paths[0])
        else:
            window.open_paths(paths)
    elif found := drops.addresses(mime):
        offer(window, found)


def offer(window: Window, addresses: Sequence[str]) -> None:
    """Ask in the strip whether addresses that were dropped may be contacted."""
    hosts = list(dict.fromkeys(map(places.host, addresses)))
    named = ", ".join(hosts[:3]) + (f" and {len(hosts) - 3} more" if len(hosts) > 3 else "")
    what = places.name(addresses[0]) if len(addresses) == 1 else f"{len(addresses)} addresses"

    def agreed() -> None:
        window.strip.hide()
        window.open_paths(addresses)

    def as_reference() -> None:
        from tensorloupe.window.compare_commands import attach

        attach(window, addresses[0])

    compare = len(addresses) == 1 and window.document.model is not None
    buttons = (("Open", agreed), *([("Compare", as_reference)] if compare else []), ("Do not open", window.strip.hide))
    window.strip.say(
        "info",
        weightmap.printable(f"Open {what} from {named}?"),
        f"Nothing was contacted yet. {_FETCHED}",
        buttons,
    )
