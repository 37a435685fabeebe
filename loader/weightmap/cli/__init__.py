"""The `weightmap` command: one module per command, `program` puts them together."""

from __future__ import annotations

from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (default: that of the process) and return its exit status: 0, 1, 2 or 130."""
    try:
        from weightmap.cli.interrupt import asked, interruptible

        with interruptible():
            from weightmap.cli.program import run  # brings numpy, which takes a while

            return INTERRUPTED if asked() else run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


__all__ = ["main"]
