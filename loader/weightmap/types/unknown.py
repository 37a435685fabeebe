"""Types that are known by name or number only: removed from ggml, foreign to it, or never heard of.

Their tensors are listed and said to be unreadable; the rest of the file reads on. None of them is decoded, because a wrong
guess would show wrong values.
"""

from __future__ import annotations

from typing import NoReturn

from weightmap.errors import error
from weightmap.findings import finding
from weightmap.types.base import Blocks, StoredType, Values
from weightmap.types.workspace import Workspace

REMOVED: dict[int, str] = {
    4: "Q4_2",
    5: "Q4_3",
    31: "Q4_0_4_4",
    32: "Q4_0_4_8",
    33: "Q4_0_8_8",
    37: "IQ4_NL_4_8",
    38: "IQ4_NL_8_8",
}

# what github.com/ikawrakow/ik_llama.cpp numbers beside ggml
IK_LLAMA: dict[int, str] = {
    98: "Q8_0_X4",
    99: "Q8_1_X4",
    133: "Q6_0",
    134: "IQ1_BN",
    135: "IQ2_BN",
    136: "Q8_K64",
    137: "IQ2_K",
    138: "IQ3_K",
    139: "IQ4_K",
    140: "IQ5_K",
    141: "IQ6_K",
    144: "IQ4_KS",
    145: "IQ2_KS",
    146: "IQ4_KSS",
    147: "Q8_K16",
    148: "Q8_K32",
    149: "Q8_KR8",
    150: "Q8_K128",
    151: "Q8_KV",
    202: "Q4_0_R8",
    206: "Q5_0_R4",
    208: "Q8_0_R8",
    210: "Q2_K_R4",
    211: "Q3_K_R4",
    212: "Q4_K_R4",
    213: "Q5_K_R4",
    214: "Q6_K_R4",
    216: "IQ2_XXS_R4",
    217: "IQ2_XS_R4",
    218: "IQ3_XXS_R4",
    219: "IQ1_S_R4",
    220: "IQ4_NL_R4",
    221: "IQ3_S_R4",
    222: "IQ2_S_R4",
    223: "IQ4_XS_R8",
    229: "IQ1_M_R4",
    230: "BF16_R16",
    233: "Q6_0_R4",
    335: "IQ2_BN_R4",
    337: "IQ2_K_R4",
    338: "IQ3_K_R4",
    339: "IQ4_K_R4",
    340: "IQ5_K_R4",
    344: "IQ4_KS_R4",
    398: "Q8_KV_R8",
    399: "Q8_K_R8",
}

REQUANTIZE = "Quantize the model again with a current llama.cpp."


class UnknownType(StoredType):
    """A type without a decoder. `bytes` is 0: how much room its blocks take is not known."""

    bytes, known = 0, False

    def __init__(self, name: str, id: int | None, reason: str | None = None, remedy: str | None = None) -> None:
        self.name, self.id, self.reason, self.remedy = name, id, reason, remedy

    def decode(self, blocks: Blocks, out: Values, work: Workspace) -> NoReturn:
        """Raise UnsupportedFormatError with the reason."""
        message = f"The values of type {self.name} cannot be given. {self.reason or ''}".rstrip()
        raise error(finding("unsupported_type", message, advice=self.remedy))


def unknown(id: int, *notes: str) -> UnknownType:
    """The unknown type of this ggml number, with `notes` (whole sentences) after the reason."""
    name, reason, remedy = _described(id)
    return UnknownType(name, id, " ".join((reason, *notes)), remedy)


def _described(id: int) -> tuple[str, str, str]:
    """A telling name, what the number stands for, and what to do about it."""
    if id == 36:
        return (
            "IQ4_NL_4_4 (removed) or I2_S (BitNet)",
            "Two types use the number 36: IQ4_NL_4_4, which ggml removed, and I2_S of BitNet; the file does not say which.",
            REQUANTIZE,
        )
    if removed := REMOVED.get(id):
        return (
            f"{removed} (removed)",
            f"ggml removed the type {removed}, number {id}, and no longer reads it.",
            REQUANTIZE,
        )
    if foreign := IK_LLAMA.get(id):
        return (
            f"{foreign} (ik_llama.cpp)",
            f"Number {id} is the type {foreign} of ik_llama.cpp, which ggml does not have.",
            "Use ik_llama.cpp, or quantize the model again with a type of ggml.",
        )
    return (
        f"type {id}",
        f"No type with the number {id} is known here.",
        "Look for a newer release, or for a plug-in that reads this type.",
    )
