"""What is handed to frameworks, as far as no framework is needed for it: DLPack to numpy, and clear words where it ends.

What PyTorch and JAX make of it is tested beside them, in tests/extras.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap

VALUES = np.arange(12, dtype="<f4").reshape(3, 4)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    tensors = [("f32", "F32", (3, 4), VALUES.tobytes()), ("bf16", "BF16", (2,), b"\x80\x3f\0\0")]
    path.write_bytes(safetensors([*tensors, ("bool", "BOOL", (2,), b"\1\2"), ("empty", "F32", (0,), b"")]))
    return path


def test_numpy_takes_a_tensor_by_dlpack_without_a_copy(file: Path) -> None:
    before = file.read_bytes()
    with weightmap.open(file) as model:
        tensor = model.tensors["f32"]
        assert tensor.__dlpack_device__() == (1, 0)
        one, other = np.from_dlpack(tensor), np.from_dlpack(tensor)
        assert np.array_equal(one, VALUES)
        assert np.shares_memory(one, other)
        assert not np.shares_memory(one, tensor.array())
        assert model.close() >= 1
    assert np.array_equal(one, VALUES)
    assert file.read_bytes() == before


def test_what_is_decoded_goes_too(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "model.gguf"
    blocks = np.random.default_rng(1).integers(1, 59, (2, 34), dtype=np.uint8)
    path.write_bytes(gguf(tensors=[("q", (2, 32), 8, blocks.tobytes())]))
    with weightmap.open(path) as model, weightmap.open(file) as other:
        assert np.array_equal(np.from_dlpack(model.tensors["q"]), model.tensors["q"].array())
        assert np.from_dlpack(other.tensors["bool"]).tolist() == [True, True]
        assert np.from_dlpack(other.tensors["empty"]).shape == (0,)


def test_bfloat16_is_refused_in_clear_words(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "jax"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    pytest.importorskip("ml_dtypes")
    with weightmap.open(file) as model, pytest.raises(BufferError, match="numpy cannot export bfloat16 by DLPack"):
        np.from_dlpack(model.tensors["bf16"])


@pytest.mark.parametrize(("convert", "name"), [("to_torch", "torch"), ("to_jax", "jax")])
def test_a_framework_that_is_missing_is_named(
    file: Path, convert: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with weightmap.open(file) as model:
        with pytest.raises(weightmap.MissingPackageError, match=rf"pip install 'weightmap\[{name}\]'"):
            getattr(weightmap, convert)(model.tensors["f32"])
        with pytest.raises(ImportError, match=f"not installed: {name}"):
            getattr(weightmap.load_weights(file), name)()


def test_private_pages_are_written_to_and_the_file_is_not(file: Path) -> None:
    from weightmap.source import FileSource

    before = file.read_bytes()
    source = FileSource(file)
    mine, again, theirs = source.private(8, 100), source.private(8, 100), source.view(8, 100)
    mine[:] = 0
    assert not again.any()
    assert theirs.tobytes() == before[8:108]
    assert source.read(8, 100) == before[8:108]
    assert source.private(0, 0).shape == (0,)
    del again, theirs
    assert source.close() == 1
    assert not mine.any()
    del mine
    assert source.close() == 0
    assert file.read_bytes() == before
    with pytest.raises(weightmap.ClosedError):
        source.private(0, 1)
