"""A bench of files and of generated ones, beside what the tests have installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.build import safetensors

import weightmap
from weightmap.bench import peers, run, samples, tasks
from weightmap.bench.race import PRODUCT, Pace
from weightmap.bench.rows import Row, Unit
from weightmap.types.registry import by_name

ONCE = Pace(0, 1, 1, 60)


@pytest.fixture(autouse=True)
def one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "QUICK", ONCE)
    monkeypatch.setattr(run, "_SIZES", {True: (16, 256, 8)})
    monkeypatch.setattr(peers, "PACKAGES", ("gguf", "safetensors", "no_such_package"))
    peers.installed.cache_clear()
    yield
    peers.installed.cache_clear()


def found(rows: tuple[Row, ...], what: str, kind: str | None = None) -> list[Row]:
    return [row for row in rows if (row.what, row.type) == (what, kind)]


def test_generated_files_of_every_type() -> None:
    steps: list[tuple[int, int]] = []
    report = run.bench(quick=True, progress=lambda done, total: steps.append((done, total)))
    for kind in samples.types():
        assert found(report.rows, "decode", kind.name), kind.name
        assert found(report.rows, "statistics", kind.name)
        assert found(report.rows, "matrix-vector, from stored", kind.name)
        assert found(report.rows, "matrix-vector, loaded", kind.name)
    speed, bandwidth = found(report.rows, "decode", "Q4_K")
    assert (speed.peer, speed.unit, speed.note) == ("gguf-py", "elements/s", None)
    assert speed.ratio and speed.peer_product and speed.product
    assert (bandwidth.peer, bandwidth.unit) == (None, "GB/s")
    assert bandwidth.product == pytest.approx(4e-9 * speed.product)
    assert [row.peer for row in found(report.rows, "open, gguf")] == ["gguf-py"]
    assert [row.peer for row in found(report.rows, "open, safetensors")] == ["safetensors"]
    assert [row.peer for row in found(report.rows, "load, as copies")] == ["safetensors.numpy.load_file"]
    assert found(report.rows, "view creation")[0].unit == "views/s"
    assert report.absent == ("no_such_package",)
    assert steps[0][0] == 0 and steps[-1][0] == steps[-1][1] - 1


def test_no_peer_gives_values_that_differ() -> None:
    report = run.bench(quick=True, types=["Q4_K", "Q6_K", "IQ3_S", "MXFP4", "BF16"])
    assert [row.note for row in report.rows if row.peer is not None] == [None] * 15


def test_a_file_of_the_user(tmp_path: Path) -> None:
    values = np.arange(64, dtype=np.float32)
    path = tmp_path / "model.safetensors"
    path.write_bytes(
        safetensors([("a", "F32", (8, 8), values.tobytes()), ("b", "F16", (64,), values.astype(np.float16).tobytes())])
    )
    report = run.bench([path], quick=True)
    assert {row.file for row in report.rows} == {str(path)}
    assert {row.type for row in report.rows} == {None, "F32", "F16"}
    assert not found(report.rows, "matrix-vector, loaded", "F16")  # a vector is no matrix
    document = report.to_json()
    assert document["machine"]["versions"][PRODUCT] == weightmap.__version__
    assert set(document["rows"][0]) >= {"what", "type", "peer", "product", "unit", "ratio"}


def test_a_missing_file_and_a_cancelled_bench(tmp_path: Path) -> None:
    with pytest.raises(weightmap.WeightFileError):
        run.bench([tmp_path / "none.gguf"], quick=True)
    with pytest.raises(weightmap.Cancelled):
        run.bench(quick=True, progress=lambda done, total: done < 1)


def test_peers_that_fail_or_differ_are_named() -> None:
    def broken() -> Any:
        raise ValueError("no such thing\nmore")

    others = [peers.Peer("broken", broken), peers.Peer("other", lambda: np.zeros(3), lambda result: result)]
    rows = list(tasks.Bench(ONCE).rows("decode", "F32", [Unit("elements/s", 3)], lambda: None, others, np.ones(3)))
    assert [(row.peer, row.ratio, row.note) for row in rows] == [
        ("other", None, "its values differ from ours"),
        ("broken", None, "ValueError: no such thing"),
    ]


@pytest.mark.parametrize("name", ["Q4_0", "BF16", "F64", "F4"])
def test_products_are_those_of_numpy(name: str, tmp_path: Path) -> None:
    kind = by_name(name)
    assert kind is not None
    with weightmap.open(samples.per_type(str(tmp_path), kind, 130)) as model:
        tensor = model.records[0]
        vector = np.random.default_rng(0).standard_normal(samples.COLUMNS, dtype=np.float32)
        expected = tensor.array(np.float32).astype(np.float64) @ vector
        scale = float(np.abs(expected).max())
        assert np.abs(tasks.product(tensor, vector) - expected).max() < 1e-5 * scale
