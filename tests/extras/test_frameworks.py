"""Values in PyTorch and JAX themselves: the same bits, no copy where none is needed, and writing never reaches the file."""

from __future__ import annotations

import gc
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.build import gguf, safetensors
from support.web import serving

import weightmap

FLOATS = np.random.default_rng(3).standard_normal((48, 64)).astype("<f4")
CODES = np.arange(256, dtype=np.uint8)
STORED: dict[str, tuple[str, str, np.ndarray]] = {  # name: (dtype in the file, in the framework, elements as stored)
    "f64": ("F64", "float64", FLOATS.astype("<f8")),
    "f32": ("F32", "float32", FLOATS),
    "f16": ("F16", "float16", FLOATS.astype("<f2")),
    "bf16": ("BF16", "bfloat16", (FLOATS.view("<u4") >> 16).astype("<u2")),
    "c64": ("C64", "complex64", FLOATS.view("<c8")),
    "i64": ("I64", "int64", np.arange(-5, 2**40, 2**36, dtype="<i8")),
    "i32": ("I32", "int32", np.arange(-5, 100, dtype="<i4")),
    "i16": ("I16", "int16", np.arange(-5, 100, dtype="<i2")),
    "i8": ("I8", "int8", CODES.view("i1")),
    "u64": ("U64", "uint64", np.array([0, 2**64 - 1], "<u8")),
    "u32": ("U32", "uint32", np.array([0, 2**32 - 1], "<u4")),
    "u16": ("U16", "uint16", np.array([0, 2**16 - 1], "<u2")),
    "u8": ("U8", "uint8", CODES),
    "e4m3": ("F8_E4M3", "float8_e4m3fn", CODES),
    "e5m2": ("F8_E5M2", "float8_e5m2", CODES),
    "e8m0": ("F8_E8M0", "float8_e8m0fnu", CODES),
    "e4m3fnuz": ("F8_E4M3FNUZ", "float8_e4m3fnuz", CODES),
    "e5m2fnuz": ("F8_E5M2FNUZ", "float8_e5m2fnuz", CODES),
}
WIDE = ("f64", "i64", "u64")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Every type; the scalar, the truth values and what is empty lie behind those whose places are multiples of 64."""
    tensors = [(name, dtype, stored.shape, stored.tobytes()) for name, (dtype, _, stored) in STORED.items()]
    tensors.sort(key=lambda tensor: -len(tensor[3]) % 64)
    tensors += [("scalar", "F32", (), FLOATS[:1, :1].tobytes()), ("empty", "BF16", (0, 3), b"")]
    tensors += [("bool", "BOOL", (4,), b"\0\1\2\xff"), ("odd", "F32", (3,), FLOATS[0, :3].tobytes())]
    data = safetensors(tensors)
    length = int.from_bytes(data[:8], "little")
    pad = -(8 + length) % 64
    path = tmp_path / "every.safetensors"
    path.write_bytes((length + pad).to_bytes(8, "little") + data[8 : 8 + length] + b" " * pad + data[8 + length :])
    return path


@pytest.fixture
def quantized(tmp_path: Path) -> Path:
    blocks = np.random.default_rng(1).integers(1, 59, (4, 34), dtype=np.uint8)
    tensors = [("q", (2, 64), 8, blocks.tobytes())]
    (tmp_path / "little.gguf").write_bytes(gguf(tensors=tensors))
    big = [("half", (4,), 1, np.arange(4, dtype=">f2").tobytes()), ("byte", (4,), 24, bytes(range(4)))]
    (tmp_path / "big.gguf").write_bytes(gguf(tensors=big, big_endian=True))
    return tmp_path


def address(tensor: Any) -> int:
    """Where the private pages have this tensor."""
    source = tensor._opened.source(tensor._record)
    return source.private(tensor.offset, tensor.nbytes).ctypes.data


class TestTorch:
    torch = pytest.importorskip("torch")

    @pytest.fixture(autouse=True)
    def _no_warning(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield

    def bits(self, made: Any) -> bytes:
        return made.contiguous().view(self.torch.uint8).numpy().tobytes()

    @pytest.mark.parametrize("name", STORED)
    def test_the_bits_are_those_of_the_file_and_lie_in_it(self, file: Path, name: str) -> None:
        _, dtype, stored = STORED[name]
        with weightmap.open(file) as model:
            tensor = model.tensors[name]
            made = weightmap.to_torch(tensor)
            assert (made.dtype, tuple(made.shape)) == (getattr(self.torch, dtype), stored.shape)
            assert self.bits(made) == stored.tobytes()
            assert (made.data_ptr() == address(tensor)) == (tensor.offset % stored.itemsize == 0)
            assert weightmap.to_torch(tensor, copy=True).data_ptr() != address(tensor)

    def test_writing_reaches_neither_the_file_nor_other_views(self, file: Path) -> None:
        before = file.read_bytes()
        with weightmap.open(file) as model:
            view = model.tensors["f32"].array()
            made = weightmap.to_torch(model.tensors["f32"])
            made += 1
            assert np.array_equal(made.numpy(), FLOATS + np.float32(1))
            assert np.array_equal(view, FLOATS)
            assert np.array_equal(model.tensors["f32"].array(copy=True), FLOATS)
            again = weightmap.to_torch(model.tensors["f32"])
            assert again.data_ptr() == made.data_ptr()
        assert file.read_bytes() == before

    def test_what_it_holds_outlives_the_model(self, file: Path) -> None:
        model = weightmap.open(file)
        made = weightmap.to_torch(model.tensors["f32"])
        assert model.close() == 1
        assert np.array_equal(made.numpy(), FLOATS)
        del made
        gc.collect()
        assert model.close() == 0
        with pytest.raises(weightmap.ClosedError):
            weightmap.to_torch(model.tensors["f32"])

    def test_odd_ones(self, file: Path) -> None:
        with weightmap.open(file) as model:
            assert weightmap.to_torch(model.tensors["scalar"]).item() == FLOATS[0, 0]
            empty = weightmap.to_torch(model.tensors["empty"])
            assert (tuple(empty.shape), empty.dtype) == ((0, 3), self.torch.bfloat16)
            assert weightmap.to_torch(model.tensors["bool"]).tolist() == [False, True, True, True]
            assert weightmap.to_torch(model.tensors["odd"]).tolist() == FLOATS[0, :3].tolist()

    def test_dtypes(self, file: Path) -> None:
        torch = self.torch
        with weightmap.open(file) as model:
            for asked in (torch.bfloat16, "bfloat16", "torch.bfloat16"):
                made = weightmap.to_torch(model.tensors["f32"], dtype=asked)
                assert made.dtype == torch.bfloat16
                assert torch.equal(made, torch.from_numpy(FLOATS.copy()).to(torch.bfloat16))
            assert weightmap.to_torch(model.tensors["f32"], dtype=np.float64).dtype == torch.float64
            for wrong in ("floating", "nn", np.longdouble):
                with pytest.raises(TypeError, match="PyTorch has no dtype"):
                    weightmap.to_torch(model.tensors["f32"], dtype=wrong)
            for wrong in (np.dtype("S4"), {"names": ["a"]}, 3):
                with pytest.raises(TypeError, match="dtype must be one of num"):
                    weightmap.to_torch(model.tensors["f32"], dtype=wrong)

    def test_decoded_and_turned_round(self, quantized: Path) -> None:
        with weightmap.open(quantized / "little.gguf") as model:
            assert np.array_equal(weightmap.to_torch(model.tensors["q"]).numpy(), model.tensors["q"].array())
        with weightmap.open(quantized / "big.gguf") as model:
            assert weightmap.to_torch(model.tensors["half"]).tolist() == [0, 1, 2, 3]
            assert weightmap.to_torch(model.tensors["byte"]).data_ptr() == address(model.tensors["byte"])

    def test_a_state_dict(self, file: Path) -> None:
        weights = weightmap.load_weights(file, names=["f32", "b*"])
        state = weights.torch()
        assert list(state) == list(weights)
        assert {name: made.dtype for name, made in state.items()} == {
            "f32": self.torch.float32,
            "bf16": self.torch.bfloat16,
            "bool": self.torch.bool,
        }
        layer = self.torch.nn.Linear(64, 48, bias=False)
        layer.load_state_dict({"weight": state["f32"]}, assign=True)
        assert np.array_equal(layer.weight.detach().numpy(), FLOATS)
        assert weights.torch(dtype="float16")["bf16"].dtype == self.torch.float16
        assert weightmap.load_weights(file, dtype=np.float32, names="bf16").torch()["bf16"].dtype == self.torch.float32
        with pytest.raises(KeyError):
            state["nothing"]

    @pytest.mark.parametrize("name", [name for name in STORED if not name.startswith("e")])
    def test_dlpack(self, file: Path, name: str) -> None:
        with weightmap.open(file) as model:
            made = self.torch.from_dlpack(model.tensors[name])
            assert self.bits(made) == STORED[name][2].tobytes()
            if model.tensors[name].offset % STORED[name][2].itemsize == 0:
                assert made.data_ptr() == address(model.tensors[name])

    def test_remote(self, file: Path) -> None:
        pytest.importorskip("fsspec")
        with serving(file.parent) as web, weightmap.open(web.url(file.name)) as model:
            made = weightmap.to_torch(model.tensors["bf16"])
            made += 1
            assert made.dtype == self.torch.bfloat16
            assert self.bits(weightmap.to_torch(model.tensors["bf16"])) == STORED["bf16"][2].tobytes()

    def test_a_file_that_changed(self, file: Path) -> None:
        with weightmap.open(file) as model:
            os.utime(file, (1, 1))
            with pytest.raises(weightmap.FileChangedError):
                weightmap.to_torch(model.tensors["f32"])


class TestJax:
    jax = pytest.importorskip("jax")

    @pytest.fixture(autouse=True)
    def _wide(self) -> Any:
        self.jax.config.update("jax_enable_x64", True)
        yield
        self.jax.config.update("jax_enable_x64", False)

    @pytest.mark.parametrize("name", STORED)
    def test_the_bits_are_those_of_the_file(self, file: Path, name: str) -> None:
        _, dtype, stored = STORED[name]
        with weightmap.open(file) as model:
            tensor = model.tensors[name]
            made = weightmap.to_jax(tensor)
            assert (made.dtype.name, made.shape) == (dtype, stored.shape)
            assert np.asarray(made).tobytes() == stored.tobytes()
            if address(tensor) % 64 == 0:
                assert made.unsafe_buffer_pointer() == address(tensor)

    def test_some_of_them_lie_where_no_copy_is_needed(self, file: Path) -> None:
        with weightmap.open(file) as model:
            whole = [name for name in STORED if address(model.tensors[name]) % 64 == 0]
        assert {"f32", "bf16", "e4m3", "e5m2", "i8"} <= set(whole)

    @pytest.mark.parametrize("name", WIDE)
    def test_nothing_is_cut_to_32_bits_without_being_asked_to(self, file: Path, name: str) -> None:
        self.jax.config.update("jax_enable_x64", False)
        with weightmap.open(file) as model:
            with pytest.raises(TypeError, match="turn jax_enable_x64 on"):
                weightmap.to_jax(model.tensors[name])
            assert weightmap.to_jax(model.tensors[name], dtype=np.float32).dtype == np.float32
            assert weightmap.to_jax(model.tensors["c64"]).dtype == np.complex64

    def test_decoded_odd_and_turned_round(self, file: Path, quantized: Path) -> None:
        with weightmap.open(quantized / "little.gguf") as model:
            assert np.array_equal(np.asarray(weightmap.to_jax(model.tensors["q"])), model.tensors["q"].array())
        with weightmap.open(quantized / "big.gguf") as model:
            assert weightmap.to_jax(model.tensors["half"]).tolist() == [0, 1, 2, 3]
        with weightmap.open(file) as model:
            assert weightmap.to_jax(model.tensors["scalar"]).item() == FLOATS[0, 0]
            assert weightmap.to_jax(model.tensors["empty"]).shape == (0, 3)
            assert weightmap.to_jax(model.tensors["bool"]).tolist() == [False, True, True, True]
            assert weightmap.to_jax(model.tensors["odd"]).tolist() == FLOATS[0, :3].tolist()

    def test_weights(self, file: Path) -> None:
        made = weightmap.load_weights(file, names=["f32", "bf16"]).jax()
        total = self.jax.jit(lambda weight: (weight.astype("float32") ** 2).sum())(made["bf16"])
        half = (STORED["bf16"][2].astype("<u4") << 16).view("<f4")
        assert float(total) == pytest.approx(float((half.astype(np.float64) ** 2).sum()), rel=1e-5)

    @pytest.mark.parametrize("name", ["f32", "f16", "i32", "u8", "bf16", "e4m3"])
    def test_dlpack(self, file: Path, name: str) -> None:
        with weightmap.open(file) as model:
            made = self.jax.dlpack.from_dlpack(model.tensors[name])
            assert made.dtype.name == STORED[name][1]
            assert np.asarray(made).tobytes() == STORED[name][2].tobytes()
