"""What to ask while a server is waited for: whether anybody still wants the answer.

Opening is a straight run through parsers that know nothing of networks, so the question does not go through them: it is kept
for the thread that waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from weightmap.errors import Cancelled

EVERY = 0.1  # seconds

_here = threading.local()


@contextmanager
def asking(progress: Callable[[int, int], object] | None) -> Iterator[None]:
    """Within, waits of this thread call `progress(bytes that came so far, 0)`; Cancelled where it returns False."""
    before = getattr(_here, "progress", None), getattr(_here, "came", 0)
    _here.progress, _here.came = progress, 0
    try:
        yield
    finally:
        _here.progress, _here.came = before


def asked() -> bool:
    """Whether this thread has somebody to ask."""
    return getattr(_here, "progress", None) is not None


def go_on(came: int = 0) -> None:
    """Ask, after `came` more bytes. Raises Cancelled."""
    progress = getattr(_here, "progress", None)
    if progress is not None:
        _here.came += came
        if progress(_here.came, 0) is False:
            raise Cancelled
