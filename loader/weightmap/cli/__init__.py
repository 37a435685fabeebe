"""The `weightmap` command: one module per command, `program` puts them together."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (default: that of the process) and return its exit status: 0, 1, 2 or 130."""
    try:
        from weightmap.cli.program import run
    except KeyboardInterrupt:  # while numpy is still being imported
        return 130
    return run(arguments)


__all__ = ["main"]
