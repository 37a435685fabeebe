"""The version, asked for only where it is shown."""

from __future__ import annotations


def version() -> str:
    """Version of the installed distribution."""
    from importlib import metadata

    try:
        return metadata.version("tensorloupe")
    except metadata.PackageNotFoundError:
        return "unknown"
