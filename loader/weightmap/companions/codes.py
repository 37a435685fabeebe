"""One code, for the person who asks how a value is made."""

from __future__ import annotations

import numpy as np

from weightmap.reading.elements import Elements, StoredElements
from weightmap.types.workspace import Workspace


def code_text(elements: Elements, flat: int) -> str:
    """The bits of a code and what they stand for: "0x7a = -1.25"; the number alone where it is one."""
    number = number_text(elements, flat)
    if not isinstance(elements, StoredElements) or elements.integers:
        return number
    code = getattr(elements.type, "code", None)
    if code is not None:
        block, element = divmod(flat, elements.grain)
        blocks = elements.read_blocks(block, block + 1, Workspace())
        return f"{code(blocks[0], element):#x} = {number}"
    if (coded := elements.codes()) is None:
        return number
    bits = np.empty(1, f"u{elements.type.bytes}")
    coded.read(flat, flat + 1, bits)
    return f"{int(bits[0]):#04x} = {number}"


def number_text(elements: Elements, flat: int) -> str:
    """The shortest text of one value."""
    value = np.empty((1, 1), elements.value)
    elements.gather(np.array([flat]), 1, value, Workspace())
    text = str(value[0, 0])
    return text.removesuffix(".0") if elements.integers else text
