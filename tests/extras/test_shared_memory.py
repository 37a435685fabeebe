"""Workers of one machine hold a file once, however many of them have it mapped."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from extras import clusters
from support.build import safetensors

import weightmap


def large_file(folder: Path) -> Path:
    """64 MB of F32, in four tensors."""
    path = folder / "large.safetensors"
    data = np.random.default_rng(0).standard_normal(1 << 22, dtype=np.float32).tobytes()
    path.write_bytes(safetensors([(f"w{number}", "F32", (1 << 12, 1 << 10), data) for number in range(4)]))
    return path


def memory_of(pid: int, path: Path) -> tuple[int, int]:
    """(resident, proportional) bytes of the mappings of a file in one process."""
    resident = proportional = 0
    inside = False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        head = line.split(maxsplit=5)
        if "-" in head[0] and ":" not in head[0]:
            inside = len(head) == 6 and head[5] == str(path)
        elif inside and line.startswith("Rss:"):
            resident += int(head[1]) * 1024
        elif inside and line.startswith("Pss:"):
            proportional += int(head[1]) * 1024
    return resident, proportional


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells the proportional memory")
@pytest.mark.parametrize("name", clusters.KINDS)
def test_workers_share_one_copy_of_the_file(name: str, tmp_path: Path) -> None:
    large = large_file(tmp_path)
    size = large.stat().st_size

    def touch(handle: Any) -> int:
        import builtins

        model = handle.model()
        views = [tensor.array() for tensor in model.tensors.values()]
        assert all(float(view.max()) > 0 for view in views)
        builtins.kept = views  # type: ignore[attr-defined]  # as a worker that serves them would
        time.sleep(0.3)
        return os.getpid()

    measured = {}
    with clusters.cluster(name, 3) as crew:
        handle = weightmap.distributed.handle(large)
        for workers in (1, 3):
            pids: set[int] = set()
            for _ in range(20):
                pids |= {pid for _, pid in crew.run(touch, [(handle,)] * workers)}
                if len(pids) >= workers:
                    break
            memory = [memory_of(pid, large) for pid in pids]
            measured[workers] = len(pids), sum(one for one, _ in memory), sum(one for _, one in memory)
    assert measured[3][0] == 3
    assert measured[3][1] > 2.9 * size  # each worker has all of it in its mapping
    assert 0.95 * size < measured[3][2] < 1.05 * size  # and together they hold it once
    assert measured[1][2] < 1.05 * size
