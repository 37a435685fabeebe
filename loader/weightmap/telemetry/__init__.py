"""What weightmap tells OpenTelemetry, where that is wanted; where it is not, a look at one attribute is all that it costs.

Off until `enable()` is called, or WEIGHTMAP_OTEL=1 is set before the first file is opened; nothing of OpenTelemetry is
imported before. Needs `pip install 'weightmap[otel]'`.

spans      mmap_open, header_parse, tensor_view_create, dequantize, validate
metrics    weightmap.mapped and weightmap.decoded (bytes), weightmap.operation.duration (a histogram of seconds, by operation),
           weightmap.errors (by code), weightmap.findings (of validate, by code and severity), weightmap.cache.lookups (by kind,
           hit or miss)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weightmap.telemetry.recorder import Recorder, Span

Value = str | int | float | bool | Sequence[str] | Sequence[int]

active: Recorder | None = None  # what hot code looks at

_ON = {"1", "true", "yes", "on"}


class _Nothing:
    """The span where telemetry is off."""

    __slots__ = ()

    def __enter__(self) -> _Nothing:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def set(self, **attributes: Value) -> None:
        """Nothing is kept."""


_NOTHING = _Nothing()


def enable(tracer_provider: Any = None, meter_provider: Any = None) -> None:
    """Tell these providers of OpenTelemetry; None takes those that the process has set.

    Raises ImportError, with the name of the extra, where OpenTelemetry is not installed. Files that are open already are told
    of from now on.
    """
    global active
    try:
        from weightmap.telemetry.recorder import Recorder
    except ImportError as problem:
        message = f"Telemetry needs OpenTelemetry ({problem}). Install it: pip install 'weightmap[otel]'"
        raise ImportError(message, name=problem.name) from problem
    active = Recorder(tracer_provider, meter_provider)


def disable() -> None:
    """Tell nobody from now on."""
    global active
    active = None


def span(name: str, **attributes: Value) -> Span | _Nothing:
    """A context manager around one operation; `set` adds what is known only later. An error that leaves it is told as well."""
    return _NOTHING if active is None else active.span(name, attributes)


def error_made(code: str) -> None:
    """Count an error by its code."""
    if active is not None:
        active.count("errors", 1, {"code": code})


def finding_made(code: str, severity: str) -> None:
    """Count a finding of a validation."""
    if active is not None:
        active.count("findings", 1, {"code": code, "severity": severity})


def cache_used(kind: str, hit: bool) -> None:
    """Count a look-up in a cache: `kind` is what was looked for, such as "structure" or "statistics"."""
    if active is not None:
        active.count("cache", 1, {"kind": kind, "result": "hit" if hit else "miss"})


def bytes_mapped(number: int) -> None:
    """Count bytes of a file that was mapped."""
    if active is not None:
        active.count("mapped", number, {})


def bytes_decoded(number: int, kind: str) -> None:
    """Count bytes of values that were decoded from stored blocks of a type."""
    if active is not None:
        active.count("decoded", number, {"type": kind})


def _from_environment() -> None:
    """What WEIGHTMAP_OTEL asks for. Whatever is missing, files are read."""
    if os.environ.get("WEIGHTMAP_OTEL", "").strip().lower() not in _ON:
        return
    try:
        from weightmap.telemetry.pipeline import providers

        enable(*providers())
    except ImportError as problem:
        import logging  # which opening a file need not wait for

        logging.getLogger(__name__).warning("WEIGHTMAP_OTEL is set, but nothing will be told: %s", problem)


_from_environment()
