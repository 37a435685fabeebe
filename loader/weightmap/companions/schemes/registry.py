"""Every scheme that is known, in one list. The first that knows a tensor has it, so the order is part of what they say.

To read a new scheme: write its class beside its kin, and put it where nothing before it takes its tensors.
"""

from __future__ import annotations

from weightmap.companions.base import Scheme
from weightmap.companions.schemes import by_name
from weightmap.companions.schemes.awq import Awq
from weightmap.companions.schemes.bitnet import BitNet
from weightmap.companions.schemes.bitsandbytes import EightBitRows, FourBits
from weightmap.companions.schemes.comfy import ComfyQuant
from weightmap.companions.schemes.compressed_integers import PackedIntegers
from weightmap.companions.schemes.float4 import BytesOfFours, GptOss, ModelOptBytes, PackedFloats
from weightmap.companions.schemes.float8 import EightBits
from weightmap.companions.schemes.gptq import Gptq
from weightmap.companions.schemes.int8_pairs import Int8Pairs
from weightmap.companions.schemes.mlx import Mlx
from weightmap.companions.schemes.stored_floats import StoredFours, StoredSixes
from weightmap.companions.schemes.torchao import TorchAo
from weightmap.companions.schemes.unscaled import Unscaled

SCHEMES: tuple[Scheme, ...] = (
    *by_name.SCHEMES,
    ComfyQuant(),
    FourBits(),
    EightBitRows(),
    GptOss(),
    Gptq(),
    Awq(),
    Int8Pairs(),
    Mlx(),
    TorchAo(),
    PackedIntegers(),
    PackedFloats(),
    BitNet(),
    ModelOptBytes(),
    BytesOfFours(),
    StoredFours(),
    StoredSixes(),
    EightBits(),
    Unscaled(),
)
