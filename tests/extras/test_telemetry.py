"""Telemetry with OpenTelemetry itself: in memory, and over OTLP/HTTP to a server that decodes what it gets."""

from __future__ import annotations

import http.server
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.shared import ROOT

import weightmap
from weightmap import telemetry

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry import trace
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

SAMPLE = ROOT / "app" / "tensorloupe" / "sample" / "minilm-sample.gguf"
OPERATIONS = {"mmap_open", "header_parse", "tensor_view_create", "dequantize", "validate"}
COMMAND = "import sys; from weightmap.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(autouse=True)
def off_again() -> Iterator[None]:
    yield
    telemetry.disable()


class Memory:
    """Providers that keep everything."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracing, self.metering = TracerProvider(), MeterProvider([self.reader])
        self.tracing.add_span_processor(SimpleSpanProcessor(self.exporter))

    def points(self) -> dict[str, list[Any]]:
        data = self.reader.get_metrics_data()
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics]
        return {metric.name: list(metric.data.data_points) for scope in scopes for metric in scope.metrics}


def use(path: Path) -> None:
    with weightmap.open(path) as model:
        model.tensors["token_embd.weight"].array()
        model.tensors["token_types.weight"].array()
        weightmap.validate(model)


def test_spans_and_metrics_in_memory() -> None:
    memory = Memory()
    telemetry.enable(memory.tracing, memory.metering)
    with memory.tracing.get_tracer("app").start_as_current_span("request") as outer:
        use(SAMPLE)
    spans = {span.name: span for span in memory.exporter.get_finished_spans()}
    assert spans.keys() == OPERATIONS | {"request"}
    for name in OPERATIONS:
        assert spans[name].parent.span_id == outer.get_span_context().span_id
        assert spans[name].instrumentation_scope.name == "weightmap"
    assert dict(spans["dequantize"].attributes) == {
        "weightmap.tensor": "token_embd.weight",
        "weightmap.type": "Q8_0",
        "weightmap.shape": (1024, 128),
        "weightmap.elements": 131072,
        "weightmap.bytes": 524288,
    }
    points = memory.points()
    assert [point.value for point in points["weightmap.mapped"]] == [SAMPLE.stat().st_size]
    assert [(dict(point.attributes), point.value) for point in points["weightmap.decoded"]] == [
        ({"type": "Q8_0"}, 524288)
    ]
    durations = {point.attributes["operation"]: point for point in points["weightmap.operation.duration"]}
    assert durations.keys() == OPERATIONS
    assert all(point.count == 1 and 0 < point.sum < 60 for point in durations.values())
    assert durations["validate"].explicit_bounds[0] == 1e-5


def test_errors_findings_and_caches_are_counted(tmp_path: Path) -> None:
    memory = Memory()
    telemetry.enable(memory.tracing, memory.metering)
    hostile = tmp_path / os.fsdecode(b"\xff\xfe.gguf")
    hostile.write_bytes(b"GGUF" + bytes(40))
    weightmap.validate(hostile)
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open(tmp_path / "none")
    telemetry.cache_used("structure", True)
    spans = {span.name: span for span in memory.exporter.get_finished_spans()}
    assert spans["validate"].attributes["weightmap.path"].endswith("\\udcff\\udcfe.gguf")
    assert spans["validate"].attributes["weightmap.status"] == "error"
    assert spans["mmap_open"].status.status_code is trace.StatusCode.ERROR
    assert spans["mmap_open"].attributes["error.type"] == "not_found"
    points = memory.points()
    assert {"code": "not_found"} in [dict(point.attributes) for point in points["weightmap.errors"]]
    assert points["weightmap.findings"][0].attributes["severity"] == "error"
    assert dict(points["weightmap.cache.lookups"][0].attributes) == {"kind": "structure", "result": "hit"}


def test_a_provider_that_fails_breaks_nothing() -> None:
    class Broken(SpanProcessor):
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            raise RuntimeError("no")

        def on_end(self, span: Any) -> None:
            raise RuntimeError("no")

    tracing = TracerProvider()
    tracing.add_span_processor(Broken())
    telemetry.enable(tracing, MeterProvider())
    use(SAMPLE)
    assert weightmap.validate(SAMPLE).status == "ok"


class Collector(http.server.BaseHTTPRequestHandler):
    """An OTLP/HTTP collector that keeps what it decodes."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = ExportTraceServiceRequest() if self.path == "/v1/traces" else ExportMetricsServiceRequest()
        request.ParseFromString(body)
        self.server.kept.append(request)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[http.server.ThreadingHTTPServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.kept = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(10)


def run(endpoint: str, *arguments: str) -> tuple[subprocess.CompletedProcess[str], float]:
    environment = os.environ | {"WEIGHTMAP_OTEL": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    start = time.monotonic()
    command = [sys.executable, "-c", COMMAND, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done, time.monotonic() - start


def test_a_collector_gets_everything_over_http(collector: Any, tmp_path: Path) -> None:
    endpoint = f"http://127.0.0.1:{collector.server_port}"
    done, _ = run(endpoint, "export", str(SAMPLE), "token_embd.weight", str(tmp_path / "out.npy"))
    assert (done.returncode, done.stderr) == (0, "")
    done, _ = run(endpoint, "validate", str(SAMPLE), str(tmp_path / "none"))
    assert (done.returncode, done.stderr) == (1, "")
    resources = [resource for request in collector.kept for resource in getattr(request, "resource_spans", ())]
    names = Counter(span.name for resource in resources for scope in resource.scope_spans for span in scope.spans)
    assert names.keys() == {"mmap_open", "header_parse", "dequantize", "validate"}
    service = {entry.key: entry.value.string_value for entry in resources[0].resource.attributes}
    assert service["service.name"] == "weightmap"
    metrics = {
        metric.name: metric
        for request in collector.kept
        for resource in getattr(request, "resource_metrics", ())
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert metrics.keys() >= {
        "weightmap.decoded",
        "weightmap.operation.duration",
        "weightmap.errors",
        "weightmap.findings",
    }
    decoded = metrics["weightmap.decoded"].sum.data_points
    assert sum(point.as_int for point in decoded) == (131072 + 1) * 4  # one value is looked at first, for its dtype
    assert metrics["weightmap.operation.duration"].unit == "s"


def test_a_collector_that_is_down_neither_slows_nor_breaks() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        done, took = run(f"http://127.0.0.1:{taken.getsockname()[1]}", "validate", "--values", str(SAMPLE))
    assert (done.returncode, done.stdout[:1]) == (0, "✓")
    assert done.stderr.startswith("Telemetry is not getting through, and is dropped: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith(" …\n") or len(done.stderr) < 300  # cut after a word, if at all
    assert took < 30


def test_a_collector_that_never_answers_is_given_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()  # takes connections, and says nothing
        done, took = run(f"http://127.0.0.1:{silent.getsockname()[1]}", "validate", str(SAMPLE))
    assert (done.returncode, done.stdout[:1]) == (0, "✓")
    assert "Traceback" not in done.stderr
    assert took < 30
