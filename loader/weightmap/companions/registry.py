"""Every scheme that is known, in one list. The first that knows a tensor has it, so the order is part of what they say.

To read a new scheme: write its class beside its kin, and put it where nothing before it takes its tensors.
"""

from __future__ import annotations

from weightmap.companions import by_name
from weightmap.companions.awq import Awq
from weightmap.companions.base import Scheme
from weightmap.companions.bitnet import BitNet
from weightmap.companions.bitsandbytes import EightBitRows, FourBits
from weightmap.companions.comfy import ComfyQuant
from weightmap.companions.compressed_integers import PackedIntegers
from weightmap.companions.float4 import BytesOfFours, GptOss, ModelOptBytes, PackedFloats
from weightmap.companions.float8 import EightBits
from weightmap.companions.gptq import Gptq
from weightmap.companions.int8_pairs import Int8Pairs
from weightmap.companions.mlx import Mlx
from weightmap.companions.stored_fours import StoredFours
from weightmap.companions.torchao import TorchAo
from weightmap.companions.unscaled import Unscaled

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
    EightBits(),
    Unscaled(),
)
