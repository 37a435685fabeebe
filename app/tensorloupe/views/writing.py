"""Writes a file in the background so that it is there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from tensorloupe.tasks import Progress


def written(path: str, make: Callable[[], bytes]) -> Callable[[Progress], None]:
    """The work that puts what `make` gives into `path`. It is written beside its place first. Raises OSError."""

    def work(progress: Progress) -> None:
        beside = f"{path}.part"
        try:
            with open(beside, "wb") as out:
                out.write(make())
            os.replace(beside, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside)
            raise

    return work
