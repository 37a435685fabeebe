"""What the actions of a window do, by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPlainTextEdit

import weightmap
from tensorloupe.items.findings import report
from tensorloupe.items.summary import summarize
from tensorloupe.opening import Contents
from tensorloupe.panels.dock import FINDINGS
from tensorloupe.theme import MODES
from tensorloupe.views import VIEWS

if TYPE_CHECKING:
    from tensorloupe.window import Window

SAMPLE = Path(__file__).parent / "sample" / "minilm-sample.gguf"
_ENDINGS = "*.gguf *.GGUF *.safetensors *.SAFETENSORS *.safetensors.index.json *.sft *.ggml *.bin"


def run(window: Window, name: str) -> None:
    """Do what the action of that name says."""
    kind, _, rest = name.partition(" ")
    if kind == "view":
        window.explorer.area.open_tab([view.key for view in VIEWS].index(rest))
    elif kind == "theme" and rest in MODES:
        window.settings.set("theme", rest)
        window.theme.set_mode(rest)
    else:
        _COMMANDS[name](window)


def copy(text: str) -> None:
    """Put a text on the clipboard."""
    if text:
        QGuiApplication.clipboard().setText(text)


def select_named(window: Window, name: str) -> None:
    """Select a tensor by its name, or say that there is none of that name."""
    model = window.document.model
    tensor = model.tensors.get(name) if model is not None else None
    if tensor is None:
        window.strip.say("error", f"No tensor is called {weightmap.printable(name)}.", "Pick one in the tree.")
    else:
        window.explorer.tree.select(tensor)


def explain(path: str, reason: BaseException) -> tuple[str, str]:
    """(what is wrong, what to do) about a path that could not be opened; escaped."""
    name = os.path.basename(os.path.normpath(path)) or path
    if isinstance(reason, weightmap.WeightFileError):
        finding = reason.finding
        said, advice = finding.message, finding.advice or ""
    else:
        said, advice = f"{type(reason).__name__}: {reason}", "This is a mistake in the program, not in the file."
    return weightmap.printable(f"{name}: {said}"), weightmap.printable(advice)


def remember(window: Window, contents: Contents) -> None:
    """Put an opened file at the head of the recent list."""
    if os.path.abspath(contents.path) != os.path.abspath(SAMPLE):
        window.settings.add_recent(contents.path, contents.summary.size, contents.summary.status)
        window.refresh_recent()


def refresh_findings(window: Window, contents: Contents) -> None:
    """Show what scans of values added to the findings, if they did."""
    tensor, model = window.document.selected, contents.model
    findings = model.findings
    if len(findings) != len(contents.findings):
        summary = summarize(model, contents.outline, len(contents.metadata))
        window.contents = replace(contents, findings=findings, summary=summary)
        window.summary_line.show_summary(summary)
        window.explorer.area.take_summary(window.contents)
        window.explorer.dock.show_findings(findings)
    if tensor is not None:
        window.explorer.tree.refresh_status(tensor, str(model.status))
        window.explorer.area.refresh_subject()


def _open(window: Window) -> None:
    folder = str(window.settings.get("folder", ""))
    filters = f"Weight files ({_ENDINGS});;All files (*)"
    path, _ = QFileDialog.getOpenFileName(window, "Open a model", folder, filters)
    if path:
        window.settings.set("folder", os.path.dirname(path))
        window.open_paths([path])


def _open_folder(window: Window) -> None:
    path = QFileDialog.getExistingDirectory(
        window, "Open the model in a folder", str(window.settings.get("folder", ""))
    )
    if path:
        window.settings.set("folder", path)
        window.open_paths([path])


def _close(window: Window) -> None:
    window.opener.close_model()
    window.contents = None
    window.explorer.forget()
    window.summary_line.show_summary(None)
    window.strip.hide()
    window.setWindowTitle("Tensorloupe")
    window.refresh_recent()
    window.stack.setCurrentWidget(window.welcome)
    window.status.say("Ready", None)
    window.refresh_actions()


def _copy(window: Window, whole_row: bool = False) -> None:
    focus = QApplication.focusWidget()
    if isinstance(focus, QLineEdit | QPlainTextEdit) and not whole_row:
        focus.copy()
    elif focus is not None and window.explorer.dock.isAncestorOf(focus):
        copy(window.explorer.dock.copy_text(whole_row))
    else:
        copy(window.explorer.tree.copy_text(whole_row))


def _copy_report(window: Window) -> None:
    if window.contents is not None:
        copy(report(window.contents.path, window.contents.model.findings))
        window.status.say("The findings are on the clipboard.", None)


def _save_picture(window: Window) -> None:
    view, tensor = window.explorer.area.view, window.document.selected
    if view is None or tensor is None:
        return
    usual = safe_name(f"{tensor.name}-{VIEWS[window.explorer.area.tabs.currentIndex()].key}.png")
    start = os.path.join(str(window.settings.get("pictures", "")), usual)
    path, _ = QFileDialog.getSaveFileName(window, "Save the picture", start, "PNG (*.png);;SVG (*.svg)")
    if not path:
        return
    window.settings.set("pictures", os.path.dirname(path))
    try:
        view.save_picture(path)
    except (OSError, ValueError) as reason:
        window.strip.say("error", "The picture was not saved.", weightmap.printable(str(reason)))
    else:
        window.status.say(f"Saved {weightmap.printable(os.path.basename(path))}", "ok")


def safe_name(name: str) -> str:
    """A name from a file made fit to be a file's own: no separators, no leading dots, nothing that does not print."""
    kept = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in weightmap.printable(name))
    return kept.lstrip(".")[-180:] or "tensor"


def _goto_tensor(window: Window) -> None:
    from tensorloupe.panels.goto import GoTo

    if window.contents is None:
        return
    outline = window.contents.outline
    dialog = GoTo(window.theme, outline, window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.chosen.connect(lambda number: window.explorer.tree.select(outline.tensors[number]))
    dialog.open()


def _cancel(window: Window) -> None:
    """Esc: what runs, else the filter, else nothing. It never closes anything."""
    if not window.tasks.cancel_all():
        window.explorer.tree.filter.clear()


def _step(window: Window, by: int) -> None:
    window.explorer.dock.open_tab(FINDINGS)
    window.explorer.dock.findings.step(by)


def _filter(window: Window) -> None:
    window.explorer.tree.show()
    window.explorer.tree.focus_filter()


def _with_view(act: str) -> Callable[[Window], None]:
    def do(window: Window) -> None:
        view = window.explorer.area.view
        if view is not None:
            getattr(view, act)()

    return do


def _clear_recent(window: Window) -> None:
    window.settings.clear_recent()
    window.refresh_recent()


def _keys(window: Window) -> None:
    from tensorloupe.dialogs import keys_dialog

    keys_dialog(window.theme, window).show()


def _about(window: Window) -> None:
    from tensorloupe.dialogs import about_dialog

    about_dialog(window.theme, window).show()


_COMMANDS: dict[str, Callable[[Window], object]] = {
    "open": _open,
    "open_folder": _open_folder,
    "sample": lambda window: window.open_paths([str(SAMPLE)]),
    "reload": lambda window: window.opener.reload(),
    "save_picture": _save_picture,
    "new_window": lambda window: window.window_wanted.emit(),
    "close": _close,
    "quit": lambda window: QApplication.closeAllWindows(),
    "copy": _copy,
    "copy_row": lambda window: _copy(window, whole_row=True),
    "copy_picture": _with_view("copy_picture"),
    "copy_values": _with_view("copy_values"),
    "copy_report": _copy_report,
    "filter": _filter,
    "clear_filter": lambda window: window.explorer.tree.filter.clear(),
    "cancel": _cancel,
    "whole_file": lambda window: window.explorer.tree.select(None),
    "goto_tensor": _goto_tensor,
    "goto_position": _with_view("ask_position"),
    "next_finding": lambda window: _step(window, 1),
    "previous_finding": lambda window: _step(window, -1),
    "next_region": lambda window: window.explorer.next_region(),
    "tree": lambda window: window.explorer.toggle_tree(),
    "dock": lambda window: window.explorer.toggle_dock(),
    "clear_recent": _clear_recent,
    "keys": _keys,
    "about": _about,
}
