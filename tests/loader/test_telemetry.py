"""Telemetry where OpenTelemetry is not installed: what is told and when, what it costs when off, and how it is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.shared import ROOT

import weightmap
from weightmap import telemetry

SAMPLE = ROOT / "app" / "tensorloupe" / "sample" / "minilm-sample.gguf"


class Listener:
    """Stands where the recorder stands."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, dict[str, Any]]] = []
        self.counts: list[tuple[str, int, Mapping[str, str]]] = []

    def span(self, name: str, attributes: dict[str, Any]) -> Listener:
        self.spans.append((name, dict(attributes)))
        return self

    def set(self, **attributes: Any) -> None:
        self.spans[-1][1].update(attributes)

    def count(self, counter: str, number: int, attributes: Mapping[str, str]) -> None:
        self.counts.append((counter, number, attributes))

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    listener = Listener()
    monkeypatch.setattr(telemetry, "active", listener)
    yield listener


def test_opening_and_reading_is_told_in_order(told: Listener, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    blocks = np.zeros((2, 18), np.uint8)
    path.write_bytes(gguf(tensors=[("q", (2, 32), 2, blocks.tobytes()), ("f", (4,), 0, bytes(16))]))
    with weightmap.open(path) as model:
        model.tensors["q"].raw()
        model.tensors["q"].array()
        _ = model.tensors["q"][1:, :]
        model.tensors["f"].array()
        size = path.stat().st_size
    assert told.spans == [
        ("mmap_open", {"path": str(path), "size": size}),
        ("header_parse", {"path": str(path), "format": "gguf", "tensors": 2, "keys": 1}),
        ("tensor_view_create", {"tensor": "q", "type": "Q4_0", "shape": (2, 32), "bytes": 36}),
        ("dequantize", {"tensor": "q", "type": "Q4_0", "shape": (2, 32), "elements": 64, "bytes": 256}),
        ("dequantize", {"tensor": "q", "type": "Q4_0", "shape": (2, 32), "elements": 32, "bytes": 128}),
        ("tensor_view_create", {"tensor": "f", "type": "F32", "shape": (4,), "bytes": 16}),
    ]
    assert told.counts == [
        ("mapped", size, {}),
        ("decoded", 256, {"type": "Q4_0"}),
        ("decoded", 128, {"type": "Q4_0"}),
    ]


def test_values_are_the_same_whether_told_or_not(told: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    with weightmap.open(SAMPLE) as model:
        loud = {name: (tensor.raw().copy(), tensor.array(), tensor[..., :7]) for name, tensor in model.tensors.items()}
        monkeypatch.setattr(telemetry, "active", None)
        for name, tensor in model.tensors.items():
            for one, other in zip(loud[name], (tensor.raw(), tensor.array(), tensor[..., :7]), strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_validation_is_told_with_its_findings(told: Listener, tmp_path: Path) -> None:
    path = tmp_path / "nan.safetensors"
    path.write_bytes(safetensors([("a", "F32", (2,), np.array([1, np.nan], np.float32).tobytes())]))
    found = weightmap.validate(path, values=True)
    name, attributes = told.spans[0]
    assert (name, attributes["path"], attributes["values"]) == ("validate", str(path), True)
    assert told.spans[-1][1]["status"] == found.status == "warning"
    assert [entry for entry in told.counts if entry[0] == "findings"] == [
        ("findings", 1, {"code": one.code, "severity": one.severity}) for one in found.findings
    ]


def test_errors_are_counted_by_code(told: Listener, tmp_path: Path) -> None:
    with pytest.raises(weightmap.MissingFileError):
        weightmap.open(tmp_path / "none.gguf")
    (tmp_path / "short.gguf").write_bytes(b"GGUF\x03\0\0\0")
    with pytest.raises(weightmap.TruncatedFileError):
        weightmap.open(tmp_path / "short.gguf")
    codes = [attributes["code"] for counter, _, attributes in told.counts if counter == "errors"]
    assert codes[0] == "not_found"
    assert "truncated" in codes[1]


def test_caches_have_a_word_to_say(told: Listener) -> None:
    telemetry.cache_used("structure", True)
    telemetry.cache_used("statistics", False)
    assert told.counts == [
        ("cache", 1, {"kind": "structure", "result": "hit"}),
        ("cache", 1, {"kind": "statistics", "result": "miss"}),
    ]


def test_off_there_is_one_span_for_everything_and_nothing_is_counted() -> None:
    assert telemetry.active is None
    with telemetry.span("open", path="x") as one, telemetry.span("parse") as other:
        assert one is other
        one.set(size=3)
    telemetry.bytes_mapped(1)
    telemetry.bytes_decoded(1, "F32")
    telemetry.error_made("not_found")
    telemetry.finding_made("not_found", "error")
    telemetry.cache_used("structure", True)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("opentelemetry", "weightmap.telemetry.recorder"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install 'weightmap\[otel\]'"):
        telemetry.enable()
    assert telemetry.active is None


def test_asked_for_without_the_package_files_are_read_all_the_same() -> None:
    code = (
        "import sys; sys.modules['opentelemetry'] = None; from weightmap.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "validate", str(SAMPLE)]
    environment = os.environ | {"WEIGHTMAP_OTEL": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("✓")
    assert done.stderr.startswith("WEIGHTMAP_OTEL is set, but nothing will be told: ")
    assert done.stderr.count("\n") == 1
