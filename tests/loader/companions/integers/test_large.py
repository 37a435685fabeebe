"""A weight of 8,192 x 8,192 stored turned round: passes keep little in memory, and read about what there is."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from support.composed import checkpoint

import weightmap
from weightmap.companions.integers import bands, upright

SIZE, GROUPS = 8192, 64
FLAT = 48 << 20  # bytes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(1)
    words = random.integers(-(1 << 31), 1 << 31, (SIZE // 8, SIZE), np.int32)
    tensors = {
        "a.qweight": words,
        "a.qzeros": np.full((GROUPS, SIZE // 8), 0x77777777, np.int32),
        "a.scales": random.uniform(0.001, 0.01, (GROUPS, SIZE)).astype(np.float16),
        "a.g_idx": (np.arange(SIZE) // 128).astype(np.int32),
        "b.qweight": words.reshape(SIZE, SIZE // 8),
        "b.qzeros": random.integers(-(1 << 31), 1 << 31, (GROUPS, SIZE // 8), np.int32),
        "b.scales": random.uniform(0.001, 0.01, (GROUPS, SIZE)).astype(np.float16),
    }
    return checkpoint(tmp_path_factory.mktemp("large"), tensors)


@pytest.mark.parametrize("name", ["a.weight", "b.weight"])
def test_a_picture_keeps_little_in_memory(folder: Path, name: str) -> None:
    with weightmap.open(folder) as model:
        weight = model.composed[name]
        tracemalloc.start()
        cells = weight.heatmap(64, 64, threads=2).cells
        row = weight[5000, ::64]
        column = weight[::128, 77]
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < FLAT
        assert np.abs(row).max() <= np.abs(cells[39]).max()
        assert np.array_equal(weight[::128, 64:80][:, 13], column)


def test_a_pass_reads_the_codes_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    plain = bands.byte_rows

    def counted(of, starts, width, *more):
        read.append(len(starts) * width)
        return plain(of, starts, width, *more)

    for module in (bands, upright):
        monkeypatch.setattr(module, "byte_rows", counted)
    with weightmap.open(folder) as model:
        weight = model.composed["a.weight"]
        weight.heatmap(16, 16, threads=2)
        assert sum(read) == sum(model.tensors[name].nbytes for name in ("a.qweight", "a.scales"))
