"""A Dask array per tensor: the values of the tensor, read by the workers, in chunks of whole rows and blocks."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.shared import ROOT

import weightmap
from weightmap.distributed import dask_array

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

GGUF = ROOT / "app" / "tensorloupe" / "sample" / "minilm-sample.gguf"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_every_tensor_has_the_values_of_its_array(client: Any) -> None:
    with weightmap.open(GGUF) as model:
        for name, tensor in model.tensors.items():
            array = dask_array(GGUF, name)
            values = tensor.array()
            assert (array.shape, array.dtype) == (values.shape, values.dtype)
            np.testing.assert_array_equal(client.compute(array).result(), values)


def test_work_is_spread_over_chunks_of_whole_rows(client: Any) -> None:
    array = dask_array(GGUF, "token_embd.weight", chunks=(100, -1))
    assert array.chunks == ((100,) * 10 + (24,), (128,))
    with weightmap.open(GGUF) as model:
        values = model.tensors["token_embd.weight"].array()
    assert float(abs(array).max()) == float(np.abs(values).max())
    np.testing.assert_array_equal((array[::7] * 2)[:, 3:50].compute(), values[::7, 3:50] * 2)
    np.testing.assert_allclose(array.mean(axis=0).compute(), values.mean(axis=0), rtol=1e-4, atol=1e-7)


def test_only_names_travel() -> None:
    array = dask_array(GGUF, "token_embd.weight", chunks=(64, -1))
    assert len(pickle.dumps(dict(array.__dask_graph__()))) < 30_000  # of 139,264 bytes stored, 524,288 decoded


def test_dtypes_scalars_and_composed_weights(tmp_path: Path, client: Any) -> None:
    path = tmp_path / "model.safetensors"
    scale = np.array([0.5], np.float32)
    codes = np.array([[0x38, 0x40], [0x44, 0xB8]], np.uint8)  # 1, 2, 3, -1
    path.write_bytes(
        safetensors(
            [
                ("layer.weight", "F8_E4M3", (2, 2), codes.tobytes()),
                ("layer.weight_scale", "F32", (1,), scale.tobytes()),
                ("count", "I64", (3,), np.array([1, 2, 1 << 60]).tobytes()),
                ("one", "F16", (), np.float16(1.5).tobytes()),
            ]
        )
    )
    assert dask_array(path, "count").compute().tolist() == [1, 2, 1 << 60]
    assert dask_array(path, "count", dtype=np.float64).dtype == np.float64
    assert float(dask_array(path, "one", dtype=np.float32).compute()) == 1.5
    with weightmap.open(path) as model:
        for name, weight in model.composed.items():
            np.testing.assert_array_equal(dask_array(path, name).compute(), weight.array())
    with pytest.raises(TypeError):
        dask_array(path, "one", dtype=np.int8)
    with pytest.raises(KeyError):
        dask_array(path, "none")


def test_a_file_that_changed_is_refused(tmp_path: Path, client: Any) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(tensors=[("w", (4, 4), 0, bytes(64))]))
    array = dask_array(path, "w")
    path.write_bytes(gguf(tensors=[("w", (4, 4), 0, bytes([1] * 64))]))
    with pytest.raises(weightmap.FileChangedError):
        array.compute()


def test_loaded_weights_travel_by_path_and_are_mapped_by_the_worker(client: Any) -> None:
    def largest(weights: Any, name: str) -> tuple[float, int]:
        import os

        return float(weights[name].max()), os.getpid()

    with weightmap.load_weights(GGUF) as weights:
        here = float(weights["token_embd.weight"].max())
        there, pid = client.submit(largest, weights, "token_embd.weight").result()
        assert there == here
    assert pid in client.run(os.getpid).values()
