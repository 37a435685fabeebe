"""What a stored type is: how many elements share a block of how many bytes, and how blocks become values.

A type knows nothing of files, shapes or threads. `decode` gets whole blocks and writes values; everything else (which
blocks, how many at a time, on which thread) is decided in `weightmap.reading`. The formula of every type is that of ggml
or of the safetensors format, evaluated in float32 in the order that the C code uses, so that results equal it bit for bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.anatomy import Field
from weightmap.types.workspace import Workspace

Blocks = NDArray[np.uint8]
Values = NDArray[Any]

FLOAT32 = np.dtype(np.float32)


class StoredType(ABC):
    """One stored type. Subclasses set the class attributes and write `decode`; the registry holds one instance of each.

    name            as in the format: "Q4_K", "BF16", "F8_E4M3"
    id              ggml's number of the type, None for types that only safetensors has
    elements        values per block
    bytes           bytes per block
    dtype           numpy dtype of the stored elements where numpy has one (then values are views of the file), else None
    value           dtype that `decode` writes: float32, or one like the stored dtype where float32 would lose something
    fields          (offset, width) of each multi-byte field of a block, to be swapped in big-endian files
    scales          (name, offset, numpy dtype) of each float of a block that its values are multiplied with or added to; other
                    encodings are named in words, and the type writes its own `block_scales`. Empty where any bits are finite
    coded           whether its blocks are codes with scales that can be taken apart: it is a CodedType then
    anatomy         the fields of a block in rising order; empty for a type that is not coded
    groups          sub-blocks of equal size with a scale each; 1 where a block shares one
    order_assumed   None, or the sentence that says why the order of `fields` in big-endian files is a guess
    safetensors     True where `name` is a dtype of the safetensors format
    assumed         None, or the sentence that says on which assumption the decoding rests
    known           False for a type that is only known by name or number: its values are never shown
    reason, remedy  why the values of an unknown type are not shown, and what to do about it, in whole sentences; else None
    """

    name: str
    id: int | None = None
    elements: int = 1
    bytes: int
    dtype: np.dtype[Any] | None = None
    value: np.dtype[Any] = FLOAT32
    fields: tuple[tuple[int, int], ...] = ()
    scales: tuple[tuple[str, int, str], ...] = ()
    coded: bool = False
    anatomy: tuple[Field, ...] = ()
    groups: int = 1
    order_assumed: str | None = None
    safetensors: bool = False
    assumed: str | None = None
    known: bool = True
    reason: str | None = None
    remedy: str | None = None

    @abstractmethod
    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Write the values of `blocks` (n, self.bytes) uint8 into `out` (n, self.elements) of dtype `self.value`.

        `blocks` is C-contiguous, possibly read-only and misaligned; `out` is C-contiguous and overwritten whole. `work`
        lends scratch arrays that live until the next call with the same workspace; decoders ask for names that begin with
        a dot (".codes") and leave all others to the caller. NaN and Inf in a block are values like others: a decoder
        computes with them without a warning of numpy's (see `fields.quiet`).
        """

    def block_scales(self, blocks: Blocks, work: Workspace) -> NDArray[np.float32]:
        """The scales of `blocks` (n, self.bytes) in the order of `self.scales`: float32 (n, len(self.scales)), which a look
        for NaN and Inf reads instead of decoding every value.
        """
        found = work.array(".block scales", (len(blocks), len(self.scales)), np.float32)
        for place, (_, offset, dtype) in enumerate(self.scales):
            field = blocks[:, offset : offset + np.dtype(dtype).itemsize].view(dtype)
            np.copyto(found[:, place : place + 1], field)
        return found

    @property
    def sub_elements(self) -> int:
        """Elements that share a scale."""
        return self.elements // self.groups

    def view_dtype(self) -> np.dtype[Any] | None:
        """The dtype of a zero-copy view of stored elements: numpy's own, or that of ml_dtypes where it is installed."""
        return self.dtype

    def nbytes(self, count: int) -> int:
        """Bytes that `count` elements take; `count` must be a multiple of `elements`."""
        return count // self.elements * self.bytes

    @property
    def bits_per_weight(self) -> float:
        """Stored bits per element."""
        return self.bytes * 8 / self.elements

    def __repr__(self) -> str:
        return f"<stored type {self.name}>"
