"""An example of a plug-in: the dtype "I4" of a house's own safetensors files, two signed 4-bit integers in a byte.

Install it beside weightmap (`pip install loader/examples/int4`), and files with this dtype open everywhere that weightmap
is used. It is loaded when a file names a dtype or number that weightmap does not have itself. For a type of GGUF give `id`,
its number in ggml, instead of `safetensors`.
"""

from __future__ import annotations

import numpy as np

from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.workspace import Workspace


class I4(StoredType):
    """Two's complement integers -8..7; the first of two is in the low nibble."""

    name, safetensors = "I4", True
    elements, bytes = 2, 1
    assumed = "The first of two elements is taken to be in the low nibble."

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> None:
        """Each nibble moves to the top of a byte, so that an arithmetic shift brings its sign along when it moves back."""
        codes = work.array(".codes", out.shape, np.uint8)
        np.left_shift(blocks[:, 0], 4, out=codes[:, 0])
        np.bitwise_and(blocks[:, 0], 0xF0, out=codes[:, 1])
        signed = codes.view(np.int8)
        np.right_shift(signed, 4, out=signed)
        np.copyto(out, signed)
