"""Types chosen in the view of other types, and the wait until all of them were tried."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tensorloupe.views.whatif.view import WhatIfView


def done(qtbot: QtBot, view: WhatIfView) -> None:
    qtbot.waitUntil(
        lambda: view.trying.state != "running" and view.context.tasks.idle and not view.drawing._wait.isActive(),
        timeout=30_000,
    )


def choose(view: WhatIfView, *names: str) -> None:
    view.controls.types.choice.choose(names)
    view.controls.types.choice.chosen.emit()
