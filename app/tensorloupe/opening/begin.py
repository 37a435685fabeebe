"""What a window is about, before there is one: a file can be opened while Qt's widgets are still being loaded."""

from __future__ import annotations

from tensorloupe.document import Document
from tensorloupe.opening.opener import Opener
from tensorloupe.tasks import TaskRunner

Begun = tuple[TaskRunner, Document, Opener]


def begin() -> Begun:
    """What runs tasks, the document, and what opens models in it."""
    tasks, document = TaskRunner(), Document()
    return tasks, document, Opener(tasks, document)
