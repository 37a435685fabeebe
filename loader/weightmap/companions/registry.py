"""Every scheme that is known, in one list. The first that knows a tensor has it, so the order is part of what they say.

To read a new scheme: write its class beside its kin, and put it where nothing before it takes its tensors.
"""

from __future__ import annotations

from weightmap.companions import by_name
from weightmap.companions.base import Scheme
from weightmap.companions.comfy import ComfyQuant
from weightmap.companions.float4 import BytesOfFours, GptOss, ModelOptBytes, PackedFloats
from weightmap.companions.float8 import EightBits
from weightmap.companions.int8_pairs import Int8Pairs

SCHEMES: tuple[Scheme, ...] = (
    *by_name.SCHEMES,
    ComfyQuant(),
    GptOss(),
    Int8Pairs(),
    PackedFloats(),
    ModelOptBytes(),
    BytesOfFours(),
    EightBits(),
)
