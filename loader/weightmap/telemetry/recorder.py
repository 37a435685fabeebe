"""The side of telemetry that talks to OpenTelemetry's API. Whatever a provider does, reading goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from opentelemetry import context, metrics, trace
from opentelemetry.trace import Status, StatusCode

from weightmap.telemetry import Value
from weightmap.version import __version__

_LONGEST = 1000  # characters of a text; names come from files
_BOUNDS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # seconds
_COUNTERS = {
    "mapped": ("weightmap.mapped", "By", "Bytes of files that were mapped"),
    "decoded": ("weightmap.decoded", "By", "Bytes of values decoded from stored blocks"),
    "errors": ("weightmap.errors", "{error}", "Errors that files caused, by code"),
    "findings": ("weightmap.findings", "{finding}", "Findings of validations, by code and severity"),
    "cache": ("weightmap.cache.lookups", "{lookup}", "Look-ups in the cache, by kind and result"),
}


class Recorder:
    """Makes spans and counts, through the providers that were given or the process's own."""

    def __init__(self, tracer_provider: Any, meter_provider: Any) -> None:
        self._tracer = trace.get_tracer("weightmap", __version__, tracer_provider)
        meter = metrics.get_meter("weightmap", __version__, meter_provider)
        self._counters = {
            key: meter.create_counter(name, unit, description) for key, (name, unit, description) in _COUNTERS.items()
        }
        self._durations = meter.create_histogram(
            "weightmap.operation.duration",
            "s",
            "How long operations took",
            explicit_bucket_boundaries_advisory=_BOUNDS,
        )

    def span(self, name: str, attributes: Mapping[str, Value]) -> Span:
        """A context manager around an operation."""
        return Span(self, name, attributes)

    def count(self, counter: str, number: int, attributes: Mapping[str, str]) -> None:
        """Add to one of the counters."""
        with suppress(Exception):
            self._counters[counter].add(number, attributes)

    def start(self, name: str, attributes: Mapping[str, Value]) -> trace.Span:
        """Begin a span under the one of the caller."""
        return self._tracer.start_span(name, attributes=_named(attributes))

    def took(self, seconds: float, operation: str, code: str | None) -> None:
        """Record the duration of an operation, and how it failed."""
        labels = {"operation": operation} if code is None else {"operation": operation, "error.type": code}
        with suppress(Exception):
            self._durations.record(seconds, labels)


class Span:
    """One operation while it lasts. Made by `Recorder.span`."""

    __slots__ = ("_attributes", "_began", "_name", "_recorder", "_span", "_token")

    def __init__(self, recorder: Recorder, name: str, attributes: Mapping[str, Value]) -> None:
        self._recorder, self._name, self._attributes = recorder, name, attributes
        self._span: trace.Span | None = None
        self._token: Any = None

    def __enter__(self) -> Span:
        with suppress(Exception):
            self._span = self._recorder.start(self._name, self._attributes)
            self._token = context.attach(trace.set_span_in_context(self._span))
        self._began = time.perf_counter()
        return self

    def set(self, **attributes: Value) -> None:
        """Add attributes that were not known at the beginning."""
        if self._span is not None:
            with suppress(Exception):
                self._span.set_attributes(_named(attributes))

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, _: TracebackType | None
    ) -> None:
        took = time.perf_counter() - self._began
        # a pass that was cancelled has not failed
        failed = isinstance(problem, Exception) and type(problem).__name__ != "Cancelled"
        code = str(getattr(problem, "code", type(problem).__name__)) if failed else None
        if self._token is not None:
            with suppress(Exception):
                context.detach(self._token)
        if self._span is not None:
            with suppress(Exception):
                if code is not None:
                    self._span.set_attribute("error.type", code)
                    self._span.set_status(Status(StatusCode.ERROR, _text(str(problem))))
                self._span.end()
        self._recorder.took(took, self._name, code)


def _named(attributes: Mapping[str, Value]) -> dict[str, Any]:
    """Attributes under their full names; text that no protocol could carry is escaped."""
    return {f"weightmap.{key}": _text(value) if isinstance(value, str) else value for key, value in attributes.items()}


def _text(value: str) -> str:
    shown = str(value) if len(value) <= _LONGEST else value[:_LONGEST] + "…"
    return shown if shown.isascii() else shown.encode("utf-8", "backslashreplace").decode("utf-8")
