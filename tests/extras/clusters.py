"""Real clusters on this machine, of worker processes, for tests that run on each kind of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from weightmap import distributed
from weightmap.distributed import Crew

KINDS = ("dask", "ray")
ADDRESSES: dict[str, str] = {}  # of the cluster that runs, for the command line


@contextmanager
def cluster(kind: str, workers: int) -> Iterator[Crew]:
    """A crew of so many worker processes, gone at the end."""
    with dask(workers) if kind == "dask" else ray(workers) as crew:
        yield crew


@contextmanager
def dask(workers: int) -> Iterator[Crew]:
    package = pytest.importorskip("distributed")
    settings = pytest.importorskip("dask.config")
    # two deaths of workers on one piece are enough to give it up
    with (
        settings.set({"distributed.scheduler.allowed-failures": 1}),
        package.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="2GiB"
        ) as running,
    ):
        ADDRESSES["dask"] = running.scheduler_address
        with distributed.on_dask(running.scheduler_address) as crew:
            yield crew


@contextmanager
def ray(workers: int) -> Iterator[Crew]:
    package = pytest.importorskip("ray")
    with distributed.on_ray(cores=workers) as crew:
        ADDRESSES["ray"] = package.get_runtime_context().gcs_address
        yield crew
