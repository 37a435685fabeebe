"""The providers behind WEIGHTMAP_OTEL=1: the process's own where it has set some, else OTLP over HTTP to a collector.

OpenTelemetry's own variables say where to (OTEL_EXPORTER_OTLP_ENDPOINT, by default http://localhost:4318), under which name
(OTEL_SERVICE_NAME) and how often. Everything is sent from background threads. Of a collector that does not answer there is
one line on the log; what was meant for it is dropped, and the end of the process waits for it for at most a few seconds.
"""

from __future__ import annotations

import atexit
import logging
import os
import textwrap
import threading
from typing import Any

from opentelemetry import metrics, trace

_PATIENCE = 3.0  # seconds that the end of the process waits
_LONGEST = 300  # characters of what OpenTelemetry says, whole words
_TIMEOUT = 2.0  # seconds for one request, unless a variable says otherwise


def providers() -> tuple[Any, Any]:
    """(tracer provider, meter provider); None for those that the process has set itself. Raises ImportError."""
    tracing = None if _was_set(trace.get_tracer_provider()) else _tracer_provider()
    metering = None if _was_set(metrics.get_meter_provider()) else _meter_provider()
    ours = [provider for provider in (tracing, metering) if provider is not None]
    if ours:
        _keep_quiet()
        _finish_at_exit(ours)
    return tracing, metering


def _was_set(provider: Any) -> bool:
    """Whether a provider is anything but the placeholder that stands for none."""
    return not type(provider).__name__.startswith(("Proxy", "_Proxy", "NoOp"))


def _tracer_provider() -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_timeout("TRACES"))))
    return provider


def _meter_provider() -> Any:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    reader = PeriodicExportingMetricReader(OTLPMetricExporter(timeout=_timeout("METRICS")))
    return MeterProvider([reader], resource=_resource(), shutdown_on_exit=False)


def _timeout(signal: str) -> float | None:
    """Seconds for one request; None where a variable of OpenTelemetry says how long."""
    named = ("OTEL_EXPORTER_OTLP_TIMEOUT", f"OTEL_EXPORTER_OTLP_{signal}_TIMEOUT")
    return None if any(name in os.environ for name in named) else _TIMEOUT


def _resource() -> Any:
    from opentelemetry.sdk.resources import Resource

    named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return Resource.create({} if named else {"service.name": "weightmap"})


class _OneLine(logging.Handler):
    """Says once what OpenTelemetry would say over and over, with tracebacks."""

    said = False

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING and not self.said:
            self.said = True
            text = "Telemetry is not getting through, and is dropped: %s"
            why = textwrap.shorten(record.getMessage().partition("\n")[0], _LONGEST, placeholder=" …")
            logging.getLogger("weightmap.telemetry").warning(text, why)


def _keep_quiet() -> None:
    """Where the process has set up no log of its own, one line is enough."""
    theirs = logging.getLogger("opentelemetry")
    if not logging.getLogger().handlers and not theirs.handlers:
        theirs.addHandler(_OneLine())
        theirs.propagate = False


def _finish_at_exit(ours: list[Any]) -> None:
    """Send what is left when the process ends, and give up after a while. The thread is there before: an end starts none."""
    ending, done = threading.Event(), threading.Event()

    def finish() -> None:
        ending.wait()
        for provider in ours:
            try:
                provider.shutdown()
            except Exception as problem:
                logging.getLogger("opentelemetry").warning("%s", problem)
        done.set()

    threading.Thread(target=finish, name="weightmap telemetry", daemon=True).start()

    def end() -> None:
        ending.set()
        done.wait(_PATIENCE)

    atexit.register(end)
