"""The few dialogs: keys, about, and the one for an unexpected error. All text in them is plain, and can be copied."""

from __future__ import annotations

import platform
from importlib import metadata

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from tensorloupe.style.theme import SUBJECT, Theme
from tensorloupe.widgets.controls import PlainLabel
from tensorloupe.window.actions import key_list

_IN_VIEWS = (
    ("Up, Down, Left, Right", "Move in the tree; the view follows"),
    ("letters", "In the tree: jump to a name"),
    ("arrows, Page Up, Page Down", "In a picture: move by an element, by a block"),
    ("+, -, Home", "In a picture: zoom, show all"),
    ("Enter, double click", "In the heatmap: take the block apart; Enter there leads back"),
    ("N, Shift+N", "In a picture: the next NaN or Inf; among blocks also the one before"),
    ("Enter, double click", "In the list of models: open the model"),
    ("Esc", "Cancel what runs, then clear the filter"),
)


def keys_dialog(theme: Theme, parent: QWidget) -> QDialog:
    """The list of keys."""
    dialog = QDialog(parent)
    dialog.setWindowTitle("Keys")
    page = QWidget()
    grid = QGridLayout(page)
    grid.setHorizontalSpacing(24)
    for title, entries in (*key_list(), ("In tree, pictures and lists", _IN_VIEWS)):
        if row := grid.rowCount() if grid.count() else 0:
            grid.setRowMinimumHeight(row, 10)
        head = PlainLabel(theme, "secondary")
        head.set_text(title)
        grid.addWidget(head, row + 1, 0, 1, 2)
        for at, (keys, word) in enumerate(entries, row + 2):
            left, right = PlainLabel(theme, bold=True), PlainLabel(theme)
            left.set_text(keys)
            right.set_text(word)
            grid.addWidget(left, at, 0)
            grid.addWidget(right, at, 1)
    area = QScrollArea()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    grid.setColumnStretch(1, 1)
    bar = area.verticalScrollBar().sizeHint().width()
    return _finish(dialog, area, page.sizeHint().width() + bar + 24, 520)


def about_dialog(theme: Theme, parent: QWidget) -> QDialog:
    """What this program is, in which versions."""
    dialog = QDialog(parent)
    dialog.setWindowTitle("About Tensorloupe")
    page = QWidget()
    column = QVBoxLayout(page)
    title, said = PlainLabel(theme, ratio=SUBJECT, bold=True), PlainLabel(theme)
    title.set_text("Tensorloupe")
    said.set_text(f"Looks into GGUF and safetensors files. Nothing in it can change a file.\n\n{versions()}")
    said.setWordWrap(True)
    said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    column.addWidget(title)
    column.addWidget(said)
    column.addStretch(1)
    width = theme.scaled(420)
    return _finish(dialog, page, width, column.heightForWidth(width - 24) + theme.scaled(72))


def versions() -> str:
    """The versions of what takes part, one per line."""
    lines = [f"{name} {_version(name)}" for name in ("tensorloupe", "weightmap", "numpy", "matplotlib")]
    return "\n".join([*lines, f"Qt {qVersion()}", f"Python {platform.python_version()}, {platform.platform()}"])


class ErrorDialog(QDialog):
    """An unexpected error: the program goes on, and the text can be copied. More errors are added to the same dialog."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Unexpected error")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("The error in full")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setPlainText("Something failed that should not have. The window goes on.\n\n" + versions() + "\n\n")
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        buttons.rejected.connect(self.close)
        column.addWidget(buttons)
        self.resize(720, 380)

    def add(self, report: str) -> None:
        """Add one error."""
        if self.text.blockCount() < 2000:
            self.text.appendPlainText(report)


def _finish(dialog: QDialog, page: QWidget, width: int, height: int) -> QDialog:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.close)
    column = QVBoxLayout(dialog)
    column.addWidget(page, 1)
    column.addWidget(buttons)
    dialog.resize(QSize(width, height).boundedTo(dialog.screen().availableSize()))
    return dialog


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"
