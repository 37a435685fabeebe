"""Every encoder there is, by the stored type that it writes. A type that is not here can be read, but not written.

`ENCODERS` need values alone, `WEIGHTED` an importance matrix as well.
"""

from __future__ import annotations

from weightmap.quantize import bits, eights, fp4, iq1, iq2, iq3, iq4, k_quants, k_quants_16, legacy, plain, ternary
from weightmap.quantize.base import Encoder, WeightedEncoder
from weightmap.types import registry
from weightmap.types.base import StoredType

BUILT_IN: tuple[Encoder, ...] = (
    plain.F32(),
    plain.F16(),
    plain.BF16(),
    eights.Q8_K(),
    eights.Q8_1(),
    eights.Q8_0(),
    k_quants_16.Q6_K(),
    legacy.Q5_1(),
    legacy.Q5_0(),
    k_quants.Q5_K(),
    legacy.Q4_1(),
    legacy.Q4_0(),
    k_quants.Q4_K(),
    iq4.IQ4_NL(),
    iq4.IQ4_XS(),
    fp4.NVFP4(),
    fp4.MXFP4(),
    k_quants_16.Q3_K(),
    iq3.IQ3_S(),
    iq3.IQ3_XXS(),
    k_quants_16.Q2_K(),
    iq2.IQ2_S(),
    ternary.TQ2_0(),
    ternary.TQ1_0(),
    iq1.IQ1_M(),
    bits.Q1_0(),
)

BUILT_IN_WEIGHTED: tuple[WeightedEncoder, ...] = (iq2.IQ2_XS(), iq2.IQ2_XXS(), iq1.IQ1_S())

_by_name = {encoder.type: encoder for encoder in BUILT_IN}
_weighted = {encoder.type: encoder for encoder in BUILT_IN_WEIGHTED}
ENCODERS: dict[StoredType, Encoder] = {type: _by_name[type.name] for type in registry.BUILT_IN if type.name in _by_name}
WEIGHTED: dict[StoredType, WeightedEncoder] = {
    type: _weighted[type.name] for type in registry.BUILT_IN if type.name in _weighted
}
