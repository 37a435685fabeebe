"""Values for PyTorch, JAX and whatever else takes DLPack: without a copy where file and framework allow it.

What is stored plainly is handed over as it lies in the file, in private pages (`source.mapping`): frameworks know no read-only
arrays, and what is written there never reaches the file. Anything else is decoded once, into memory that the framework keeps.
The frameworks are imported when they are asked for. No value changes on the way: where a framework would narrow one without
being asked to, there is a TypeError.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from weightmap.asked import dtype_asked, tensor_asked
from weightmap.errors import missing_package
from weightmap.reading.decode import decoded
from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.byteorder import BigEndian

# stored types that a framework has a dtype for, by its name there
_TORCH = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "C64": "complex64",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz",
}  # fmt: skip


class Valued(Protocol):
    """What is handed over: a Tensor, or a weight that lies in several."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def elements(self) -> Elements: ...


def to_torch(tensor: Valued, *, dtype: Any = None, copy: bool = False) -> Any:
    """A tensor's values as a torch.Tensor on the CPU, in `tensor.shape`.

    Types that PyTorch has (F64 to F16, BF16, the 8-bit floats, integers, C64) come without a copy and without ml_dtypes, in
    the private pages of a mapping: writing to them works and never reaches the file; if the file shrinks while they are in
    use, touching what was lost ends the process. What is quantized comes decoded, as float32; BOOL as torch.bool.

    dtype  a torch.dtype, its name ("bfloat16"), or a numpy dtype to convert to
    copy   always memory of its own

    Raises MissingPackageError without PyTorch, TypeError where it has no dtype for the values, and the WeightFileErrors of
    `tensor.array`.
    """
    tensor_asked(tensor, "to_torch")
    torch = _framework("torch", "PyTorch")
    wanted = _torch_dtype(torch, dtype)
    stored = _stored(tensor)
    own = None if stored is None else getattr(torch, _TORCH.get(stored.type.name, ""), None)
    if stored is not None and own is not None:
        data = stored.source.private(stored.record.offset, stored.record.nbytes)
        if copy or data.ctypes.data % own.itemsize:
            data = data.copy()
        flat = torch.from_numpy(data).view(own) if data.size else torch.empty(0, dtype=own)
        made = flat.reshape(tensor.shape)
    else:
        try:
            made = torch.from_numpy(_decoded(tensor))
        except TypeError as problem:
            text = f"PyTorch has no dtype for the values of {tensor.name!r}: {str(problem).rstrip('.')}."
            raise TypeError(text) from problem
    return made if wanted is None else made.to(wanted)


def to_jax(tensor: Valued, *, dtype: DTypeLike | None = None) -> Any:
    """A tensor's values as a jax.Array on the default device, in `tensor.shape`.

    On the CPU types that JAX has come without a copy where their place in the file suits it (multiples of 64 bytes), in
    private pages as in `to_torch`. What is quantized comes decoded, as float32.

    dtype  another dtype to convert to

    Raises MissingPackageError without JAX, TypeError for 64-bit values while `jax_enable_x64` is off, which JAX would cut to
    32 bits, and the WeightFileErrors of `tensor.array`.
    """
    tensor_asked(tensor, "to_jax")
    jax = _framework("jax", "JAX")
    wanted = dtype_asked(dtype)
    values = _plain(tensor)
    if wanted is not None and values.dtype != wanted:
        values = values.astype(wanted)
    if values.dtype.kind in "iuf" and values.itemsize == 8 and not jax.config.jax_enable_x64:
        text = f"JAX would cut the {values.dtype} values of {tensor.name!r} to 32 bits: turn jax_enable_x64 on"
        raise TypeError(f"{text}, or name a dtype.")
    return jax.device_put(values, may_alias=True)


def to_dlpack(tensor: Valued, **asked: Any) -> Any:
    """A DLPack capsule of a tensor's values on the CPU, without a copy where they are stored plainly. BufferError where
    neither numpy nor a framework that is loaded can make one: numpy has no bfloat16 and no 8-bit floats to export.
    """
    asked = {name: value for name, value in asked.items() if value is not None}
    values = _plain(tensor)
    if values.dtype.isbuiltin == 1:
        return values.__dlpack__(**asked)
    for module, convert in (("torch", to_torch), ("jax", to_jax)):
        if module in sys.modules:
            return convert(tensor).__dlpack__(**asked)
    text = f"numpy cannot export {values.dtype} by DLPack. Use weightmap.to_torch or to_jax, or take array(np.float32)."
    raise BufferError(text)


class Converted(Mapping[str, Any]):
    """Weights by name as arrays of a framework, each made when it is looked up."""

    def __init__(self, tensors: Mapping[str, Valued], framework: str, dtype: Any) -> None:
        self._tensors, self._framework, self._dtype = tensors, framework, dtype
        _framework(framework, {"torch": "PyTorch", "jax": "JAX"}[framework])

    def __getitem__(self, name: str) -> Any:
        tensor = self._tensors[name]
        if self._framework == "torch":
            return to_torch(tensor, dtype=self._dtype)
        return to_jax(tensor, dtype=self._dtype)

    def __contains__(self, name: object) -> bool:
        return name in self._tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __repr__(self) -> str:
        return f"<{len(self):,} weights for {self._framework}>"


def _framework(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise missing_package(f"Values are handed to {name}", module, module) from problem


def _stored(tensor: Valued) -> StoredElements | None:
    """The elements of what is stored plainly in this machine's byte order; None for everything else."""
    elements = tensor.elements()
    if not isinstance(elements, StoredElements) or elements.type.elements != 1:
        return None
    foreign = isinstance(elements.type, BigEndian) != (sys.byteorder == "big")
    return None if foreign and elements.type.bytes > 1 else elements


def _plain(tensor: Valued) -> NDArray[Any]:
    """Values as numpy or ml_dtypes have them: in private pages, else in memory of their own that may be written to."""
    stored = _stored(tensor)
    dtype = None if stored is None else stored.type.view_dtype()
    if stored is None or dtype is None:
        return _decoded(tensor)
    return stored.source.private(stored.record.offset, stored.record.nbytes).view(dtype).reshape(tensor.shape)


def _decoded(tensor: Valued) -> NDArray[Any]:
    """Values in memory of their own, in this machine's byte order."""
    values = decoded(tensor.elements(), copy=True)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _torch_dtype(torch: Any, dtype: Any) -> Any:
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    name = dtype if isinstance(dtype, str) else np.dtype(dtype_asked(dtype)).name
    found = getattr(torch, name.removeprefix("torch."), None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"PyTorch has no dtype {name!r}.")
    return found
