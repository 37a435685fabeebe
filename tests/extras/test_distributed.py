"""Work on real clusters of worker processes, of Dask and of Ray: the same answers as here, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from extras import clusters
from support import zoo
from support.build import safetensors
from support.shared import ROOT

import weightmap
from weightmap.cli import main
from weightmap.distributed import Crew, NoWorkersError

SAMPLE = ROOT / "app" / "tensorloupe" / "sample"
GGUF, SAFETENSORS = SAMPLE / "minilm-sample.gguf", SAMPLE / "minilm-sample.safetensors"


@pytest.fixture(scope="module", params=clusters.KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def crew(kind: str) -> Iterator[Crew]:
    with clusters.cluster(kind, 2) as running:
        yield running


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Four tensors of F32."""
    path = tmp_path / "model.safetensors"
    data = np.random.default_rng(0).standard_normal(1 << 16, dtype=np.float32).tobytes()
    path.write_bytes(safetensors([(f"w{number}", "F32", (1 << 6, 1 << 10), data) for number in range(4)]))
    return path


def test_workers_are_other_processes(crew: Crew) -> None:
    def process() -> (
        int
    ):  # a function inside of another travels as it is; one of this module the workers could not import
        return os.getpid()

    pids = {pid for _, pid in crew.run(process, [()] * 8)}
    assert pids and os.getpid() not in pids


def test_verdicts_are_those_of_a_validation_here(crew: Crew, tmp_path: Path) -> None:
    zoo.build(tmp_path)
    paths = [*map(str, weightmap.find_models(tmp_path)), str(tmp_path / "none")]
    found = {verdict.path: verdict for verdict in crew.validate(paths, values=True)}
    assert found == {path: weightmap.validate(path, values=True) for path in paths}


def test_a_thousand_files_are_one_command(
    crew: Crew, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    zoo.build(tmp_path, healthy=1000)
    capsys.readouterr()
    assert main(["validate", "--json", str(tmp_path)]) == 1
    here = capsys.readouterr().out
    cluster = ["--dask", clusters.ADDRESSES["dask"]] if kind == "dask" else ["--ray", clusters.ADDRESSES["ray"]]
    assert main(["validate", "--json", *cluster, str(tmp_path)]) == 1
    there = capsys.readouterr().out
    assert here.count('"format":') == 1007
    assert there == here
    assert main(["validate", *cluster, str(tmp_path / "healthy")]) == 0
    assert capsys.readouterr().out.endswith("1,000 models: 1,000 ok\n")


def test_a_killed_worker_loses_nothing(crew: Crew, tmp_path: Path) -> None:
    zoo.build(tmp_path, healthy=200)
    paths = [str(path) for path in weightmap.find_models(tmp_path)]

    def slow(path: str) -> tuple[str, str, int]:
        time.sleep(0.02)
        return path, weightmap.validate(path, values=True).status, os.getpid()

    found, killed = {}, None
    for _, (path, status, pid) in crew.run(slow, [(path,) for path in paths]):
        found[path] = status
        if killed is None and len(found) > 20:
            killed = pid
            os.kill(pid, signal.SIGKILL)
    assert killed is not None
    assert found == {path: weightmap.validate(path, values=True).status for path in paths}


def test_what_kills_every_worker_is_told_and_the_rest_is_done(crew: Crew) -> None:
    def deadly(tensor: Any) -> int:
        if tensor.name == "output_norm.weight" or tensor.name == "token_embd_norm.weight":
            os._exit(1)
        return int(tensor.count)

    names = ["token_embd.weight", "token_embd_norm.weight", "position_embd.weight"]
    found = dict(crew.map(deadly, GGUF, names=names))
    assert found["token_embd.weight"] == 131072
    assert found["position_embd.weight"] == 16384
    assert found["token_embd_norm.weight"].code == "worker_lost"


def test_statistics_come_as_they_are_done(crew: Crew) -> None:
    seen: list[tuple[int, int]] = []
    found = dict(crew.statistics(GGUF, 64, progress=lambda done, total: seen.append((done, total))))
    assert seen[-1] == (len(found), len(found))
    assert any(0 < done < total for done, total in seen)
    with weightmap.open(GGUF) as model:
        assert found.keys() == model.tensors.keys()
        for name, tensor in model.tensors.items():
            ours = tensor.statistics(64)
            assert (found[name].min, found[name].max, found[name].mean) == (ours.min, ours.max, ours.mean)


def test_comparisons_are_those_made_here(crew: Crew) -> None:
    assert crew.compare(GGUF, SAFETENSORS) == weightmap.compare(GGUF, SAFETENSORS)


def test_a_file_that_is_another_one_now_is_refused(crew: Crew, model: Path) -> None:
    def changed(tensor: Any, path: str) -> float:
        os.utime(path, ns=(1, 1))
        return float(tensor[0, 0])

    outcomes = dict(crew.map(changed, model, str(model))).values()
    assert {getattr(outcome, "code", None) for outcome in outcomes} == {"file_changed"}


def test_a_dask_cluster_that_goes_away_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = pytest.importorskip("distributed")
    zoo.build(tmp_path, healthy=2)
    paths = [str(path) for path in weightmap.find_models(tmp_path / "healthy")]

    def slow(path: str) -> str:
        time.sleep(1)
        return path

    with package.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as running:
        crew = weightmap.distributed.on_dask(running.scheduler_address)
        crew.patience = 1.0
        results = crew.run(slow, [(path,) for path in paths * 20])
        next(results)
        running.scale(0)
        with pytest.raises(NoWorkersError, match="no worker for 1 seconds"):
            list(results)
        crew.patience = 60.0
        running.scale(1)
        results = crew.run(slow, [(path,) for path in paths * 20])
        next(results)
        address = running.scheduler_address
    with pytest.raises(NoWorkersError, match="scheduler went away"):
        list(results)
    crew.close()
    capsys.readouterr()
    assert main(["validate", "--dask", address, *paths]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("weightmap: No Dask scheduler answers at tcp://127.0.0.1:")
    assert err.count("\n") == 1
