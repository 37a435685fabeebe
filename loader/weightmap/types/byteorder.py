"""Big-endian files hold the same blocks with their multi-byte fields the other way round.

One wrapper serves every type: it turns the fields that the type declares, in scratch memory, and hands the result to the
type's own decoder.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightmap.types.anatomy import Coding, Scaling
from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.coded import CodedType
from weightmap.types.workspace import Workspace


class BigEndian(StoredType):
    """A stored type as it lies in a big-endian file. Everything but the byte order is that of `little`."""

    def __init__(self, little: StoredType) -> None:
        self.little = little
        self.name, self.id, self.elements, self.bytes = little.name, little.id, little.elements, little.bytes
        self.value, self.fields, self.safetensors = little.value, little.fields, little.safetensors
        self.scales, self.anatomy, self.groups = little.scales, little.anatomy, little.groups
        self.dtype = None if little.dtype is None else little.dtype.newbyteorder(">")
        self.assumed = " ".join(filter(None, (little.assumed, little.order_assumed))) or None

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Swap the declared fields, then decode as usual."""
        self.little.decode(self._turned(blocks, work), out, work)

    def block_scales(self, blocks: Blocks, work: Workspace) -> NDArray[np.float32]:
        """Swap the declared fields, then look as usual."""
        return self.little.block_scales(self._turned(blocks, work), work)

    def _turned(self, blocks: Blocks, work: Workspace) -> Blocks:
        turned = work.array(".big-endian", blocks.shape, np.uint8)
        np.copyto(turned, blocks)
        for offset, width in self.fields:
            field = slice(offset, offset + width)
            np.copyto(turned[:, field].view(f"<u{width}"), blocks[:, field].view(f">u{width}"))
        return turned

    def view_dtype(self) -> np.dtype[Any] | None:
        """The swapped dtype where numpy has one; the dtypes of ml_dtypes cannot be swapped."""
        return self.dtype


class BigEndianCoded(BigEndian, CodedType):
    """The same of a type whose blocks can be taken apart."""

    little: CodedType

    def __init__(self, little: CodedType) -> None:
        super().__init__(little)
        self.levels, self.first_code, self.code_elements = little.levels, little.first_code, little.code_elements
        self.ends, self.formula = little.ends, little.formula

    def scaling(self, blocks: Blocks, work: Workspace) -> Scaling:
        """Swap the declared fields, then take apart as usual."""
        return self.little.scaling(self._turned(blocks, work), work)

    def coding(self, blocks: Blocks, work: Workspace) -> Coding:
        """Swap the declared fields, then take apart as usual."""
        return self.little.coding(self._turned(blocks, work), work)


@cache
def big_endian(type: StoredType) -> StoredType:
    """The type as big-endian files store it: the type itself where it has no field of several bytes, or is unknown."""
    if not type.fields or not type.known:
        return type
    return BigEndianCoded(type) if isinstance(type, CodedType) else BigEndian(type)
